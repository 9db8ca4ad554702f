import { useSession, type AgentSession } from '@banister/react';

/** The current values of the session's signals. */
export function SignalTable({ session }: { readonly session: AgentSession }) {
  const rows = useSession(session, signalRows, sameRows);
  return (
    <section className="how-section">
      <h3>Signals</h3>
      <table className="signals">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Row = readonly [name: string, value: string];

function signalRows(session: AgentSession): readonly Row[] {
  return [
    ['phase', session.phase.value],
    ['isRunning', String(session.isRunning.value)],
    ['currentText.length', String(session.currentText.value.length)],
    ['activeToolCalls', session.activeToolCalls.value.map(({ state }) => state).join(', ') || 'none'],
    ['pendingConfirmations', String(session.pendingConfirmations.value.length)],
    ['turns', String(session.turns.value.length)],
    ['conversation.messages', String(session.conversation.value.messages.length)],
    ['canUndo', String(session.canUndo.value)],
    ['lastOutcome', session.lastOutcome.value?.status ?? 'null'],
  ];
}

function sameRows(a: readonly Row[], b: readonly Row[]): boolean {
  return a.every(([, value], index) => value === b[index]?.[1]);
}
