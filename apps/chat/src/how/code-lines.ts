import type { Phase } from '@handrail/session';

/** A job of this app, with the lines that do it. */
export interface CodeLines {
  readonly job: string;
  readonly code: string;
  /** Phases in which these lines are at work. */
  readonly phases: readonly Phase[];
}

export const codeLines: readonly CodeLines[] = [
  {
    job: 'Start a session',
    phases: ['idle'],
    code: `const session = createAgentSession({
  provider: offline(), domains: [board], guards, history,
});`,
  },
  {
    job: 'Send, and show what happens',
    phases: ['preparing', 'streaming', 'retrying', 'committing'],
    code: `const turns = useSignalValue(session.turns);
const live = useSignalValue(session.liveTurn);
<button onClick={() => session.send(text)}>Send</button>`,
  },
  {
    job: 'Draw a call before it is complete',
    phases: ['streaming', 'executing'],
    code: `useSignalValue(session.activeToolCalls).map((call) =>
  <GhostCard key={call.id} {...call.arguments} />)`,
  },
  {
    job: 'Ask the user',
    phases: ['confirming'],
    code: `const asked = useSignalValue(session.pendingConfirmations);
asked[0].approve({ arguments: edited });`,
  },
  {
    job: 'Stop, and take back what was done',
    phases: ['cancelling', 'rolling-back'],
    code: `const { undo, skipped } = await session.cancel();`,
  },
  {
    job: 'Undo a whole turn',
    phases: ['rolling-back'],
    code: `await session.undo();
await session.redo();`,
  },
];
