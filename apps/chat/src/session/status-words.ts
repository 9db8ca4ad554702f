import { callsOf, type AgentSession, type TurnRecord } from '@handrail/session';
import { isTakenBack } from './taken-back.js';

/**
 * The phase of the session, in words for people. Reads signals: an effect that calls it runs again when one changes.
 */
export function statusWords(session: AgentSession): string {
  switch (session.phase.value) {
    case 'idle':
      return idleWords(session);
    case 'preparing':
      return 'Thinking…';
    case 'streaming':
      return session.activeToolCalls.value.some((call) => call.state === 'assembling')
        ? 'Preparing a change…'
        : session.currentText.value === ''
          ? 'Thinking…'
          : 'Writing…';
    case 'confirming': {
      const { length } = session.pendingConfirmations.value;
      return length === 1 ? 'Waiting for your answer' : `Waiting for ${length} answers`;
    }
    case 'executing':
      return 'Working on the board…';
    case 'retrying':
      return 'Trying again…';
    case 'committing':
      return 'Finishing…';
    case 'cancelling':
      return 'Stopping…';
    case 'rolling-back':
      return 'Taking changes back…';
  }
}

function idleWords(session: AgentSession): string {
  if (session.interrupted.value !== null) return 'Interrupted';
  const last = session.turns.value.at(-1);
  if (last?.undo) return undoWords(last.undo);
  switch (last?.status) {
    case 'completed': {
      const changes = last.rounds
        .flatMap(callsOf)
        .filter((call) => call.result?.outcome === 'success').length;
      return changes === 0 ? 'Ready' : 'Done';
    }
    case 'stopped':
      return 'Stopped early';
    case 'cancelled':
      return 'Stopped';
    case 'failed':
      if (isTakenBack(last)) return 'Taken back';
      return last.outcome?.error?.code === 'interrupted' ? 'Interrupted' : 'Failed';
    default:
      return 'Ready';
  }
}

function undoWords({ state, by }: NonNullable<TurnRecord['undo']>): string {
  if (state !== 'redone') return by === 'branch' ? 'Taken back' : 'Undone';
  return by === 'branch' ? 'Done' : 'Done again';
}
