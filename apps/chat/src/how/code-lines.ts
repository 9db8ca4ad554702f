import type { OperationType } from '@banister/session';
import type { ViewName } from '../view/chat-views.js';

/** A task that this app does with the session. */
export type Job = 'start' | 'send' | 'draw' | 'ask' | 'review' | 'stop' | 'queue' | 'branch' | 'undo';

/** A task of this app, with the lines of code that do it. */
export interface CodeLines {
  readonly job: Job;
  readonly title: string;
  /** The code: one text for all views, or one for each framework. */
  readonly code: string | Readonly<Record<ViewName, string>>;
  /** The operations that these lines cause, or wait for. */
  readonly operations: readonly OperationType[];
}

export const codeLines: readonly CodeLines[] = [
  {
    job: 'start',
    title: 'Start a session',
    operations: ['configured', 'ownerChanged', 'commandBegan'],
    code: `const session = createAgentSession({
  provider: offline(), domains: [board], guards, history,
  id: 'chat-42', log: indexedDbLog(),
});`,
  },
  {
    job: 'send',
    title: 'Send, and show what happens',
    operations: [
      'turnStarted',
      'roundStarted',
      'modelCallStarted',
      'modelCallFinished',
      'text',
      'thinking',
      'roundCompleted',
      'retrying',
      'providerSwitched',
      'commitStarted',
      'committed',
      'completed',
      'stopped',
      'failed',
    ],
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
    job: 'draw',
    title: 'Draw a call before it is complete',
    operations: [
      'toolCallPartial',
      'toolsRequested',
      'toolStarted',
      'toolProgress',
      'toolCompleted',
      'toolFailed',
      'toolInterrupted',
    ],
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
    job: 'ask',
    title: 'Ask the user',
    operations: ['guardDecided', 'confirmationRequested', 'confirmationResolved'],
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
    job: 'review',
    title: 'Review changes before they count',
    operations: ['reviewOpened', 'reviewResolved', 'rejectStarted'],
    code: `void session.send(text, { commit: 'review' });
await session.reject([change.toolCallId]);
await session.accept();`,
  },
  {
    job: 'stop',
    title: 'Stop, and take back what was done',
    operations: ['cancelRequested', 'rollbackStarted', 'rolledBack', 'cancelled'],
    code: `const { undo, skipped } = await session.cancel();`,
  },
  {
    job: 'queue',
    title: 'Queue a message, or steer the turn',
    operations: ['queued', 'dequeued', 'queueResumed', 'steered'],
    code: `void session.enqueue(text);
void session.steer(text);`,
  },
  {
    job: 'branch',
    title: 'Edit a message, and go back',
    operations: ['headMoved', 'pathCleared'],
    code: `await session.edit(turn.id, 'In other words');
await session.switchTo(turn.id, { effects: 'follow' });`,
  },
  {
    job: 'undo',
    title: 'Undo a whole turn',
    operations: ['undoStarted', 'redoStarted', 'undone', 'redone'],
    code: `await session.undo();
await session.redo();`,
  },
];

const jobs: ReadonlyMap<OperationType, Job> = new Map(
  codeLines.flatMap(({ job, operations }) => operations.map((type) => [type, job] as const)),
);

/**
 * Returns the task to which operations of a type belong; undefined for operations that belong to the previous
 * task.
 */
export function jobOf(type: OperationType): Job | undefined {
  return jobs.get(type);
}
