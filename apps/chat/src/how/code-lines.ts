import type { Phase } from '@handrail/session';
import type { ViewName } from '../view/chat-views.js';

/** A job of this app, with the lines that do it. */
export interface CodeLines {
  readonly job: string;
  /** The same in every view, or one text for each framework. */
  readonly code: string | Readonly<Record<ViewName, string>>;
  /** Phases in which these lines are at work. */
  readonly phases: readonly Phase[];
}

export const codeLines: readonly CodeLines[] = [
  {
    job: 'Start a session',
    phases: ['idle'],
    code: `const session = createAgentSession({
  provider: offline(), domains: [board], guards, history,
  id: 'chat-42', log: indexedDbLog(),
});`,
  },
  {
    job: 'Send, and show what happens',
    phases: ['preparing', 'streaming', 'retrying', 'committing'],
    code: {
      react: `const turns = useSignalValue(session.turns);
const live = useSignalValue(session.liveTurn);
<button onClick={() => void session.send(text)}>Send</button>`,
      vue: `const turns = useSignal(() => session.turns);
const live = useSignal(() => session.liveTurn);
<button @click="() => void session.send(text)">Send</button>`,
      svelte: `const turns = $derived(fromSignal(session.turns));
const live = $derived(fromSignal(session.liveTurn));
<button onclick={() => void session.send(text)}>Send</button>`,
    },
  },
  {
    job: 'Draw a call before it is complete',
    phases: ['streaming', 'executing'],
    code: {
      react: `useSignalValue(session.activeToolCalls).map((call) =>
  <ToolCard key={call.id} {...call.arguments} />)`,
      vue: `const calls = useSignal(() => session.activeToolCalls);
<ToolCard v-for="call in calls" :key="call.id"
  v-bind="call.arguments" />`,
      svelte: `const calls = $derived(fromSignal(session.activeToolCalls));
{#each calls.current as call (call.id)}
  <ToolCard {...call.arguments} />
{/each}`,
    },
  },
  {
    job: 'Ask the user',
    phases: ['confirming'],
    code: {
      react: `const asked = useSignalValue(session.pendingConfirmations);
asked[0].approve({ arguments: edited });`,
      vue: `const asked = useSignal(() => session.pendingConfirmations);
asked.value[0].approve({ arguments: edited });`,
      svelte: `const asked = $derived(fromSignal(session.pendingConfirmations));
asked.current[0].approve({ arguments: edited });`,
    },
  },
  {
    job: 'Stop, and take back what was done',
    phases: ['cancelling', 'rolling-back'],
    code: `const { undo, skipped } = await session.cancel();`,
  },
  {
    job: 'Queue a message, or steer the turn',
    phases: ['executing'],
    code: `void session.enqueue(text);
void session.steer(text);`,
  },
  {
    job: 'Edit a message, and go back',
    phases: ['rolling-back'],
    code: `await session.edit(turn.id, 'In other words');
await session.switchTo(turn.id, { effects: 'follow' });`,
  },
  {
    job: 'Undo a whole turn',
    phases: ['rolling-back'],
    code: `await session.undo();
await session.redo();`,
  },
];
