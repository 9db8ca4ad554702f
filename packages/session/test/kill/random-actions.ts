import fc from 'fast-check';
import type { Domain, LocalAgentSession, Provider } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { settle } from '@banister/testing';
import { clockDomain } from './clock-domain.js';
import type { KillApp } from './kill-app.js';

/** A command of the user: its name, two numbers that choose a turn, a message or an option, and the number of the operation at which it comes. */
export interface RandomAction {
  readonly name: string;
  readonly one: number;
  readonly two: number;
  readonly at: number;
}

/** The values that the commands of a user name. */
export interface ActedOn {
  /** The texts to which the model has answers. */
  readonly texts: readonly string[];
  readonly board: Domain;
  readonly app: Pick<KillApp, 'putByUser'>;
  readonly provider: Provider;
}

type Command = (session: LocalAgentSession, actedOn: ActedOn, action: RandomAction) => Promise<unknown>;

const pick = <T>(items: readonly T[], index: number): T => items[index % items.length]!;

/** The id of a turn, on the path or off it; of an unknown one before the first. */
const turnOf = ({ branches, turns }: LocalAgentSession, index: number): string => {
  const ids = new Set([...turns.value.map(({ id }) => id), ...Object.keys(branches.value)]);
  return ids.size === 0 ? 'none' : pick([...ids], index);
};

/** The id of a message of the queue; of an unknown one where it is empty. */
const messageOf = ({ queue }: LocalAgentSession, index: number): string =>
  queue.value.length === 0 ? 'none' : pick(queue.value, index).id;

/** The id of a child turn of the running turn; of an unknown one where there is none. */
const childOf = ({ liveTurn }: LocalAgentSession, index: number): string => {
  const children = liveTurn.value === null ? [] : childrenOf(liveTurn.value);
  return children.length === 0 ? 'none' : pick(children, index).id;
};

/** The model of one send. */
const other = { id: 'other', model: 'other-1', capabilities: { images: false } } as const;

/** Commands that come at any time. */
const anytime: Readonly<Record<string, Command>> = {
  cancel: (session) => session.cancel(),
  keep: (session) => session.cancel({ sideEffects: 'keep' }),
  abort: (session) => session.cancel({ immediate: true }),
  // The turn of a message may not begin before another command.
  enqueue: async (session, { texts }, { one }) => {
    void session.enqueue(pick(texts, one)).catch(() => {});
    await settle();
  },
  requeue: (session, { texts }, { one, two }) =>
    session.requeue(messageOf(session, one), {
      ...(two % 2 === 0 ? {} : { input: pick(texts, two) }),
      ...(two % 3 === 0 ? {} : { before: two % 3 === 1 ? null : messageOf(session, two) }),
    }),
  dequeue: (session, _actedOn, { one }) => session.dequeue(messageOf(session, one)),
  resumeQueue: (session) => session.resumeQueue(),
  domains: async (session, { board }, { one }) =>
    session.configure({ domains: pick([[board], [], [clockDomain], [clockDomain, board]], one) }),
  steer: async (session) => {
    void session.steer('Also').catch(() => {});
    await settle();
  },
};

/** Commands that need an idle session. */
const whenIdle: Readonly<Record<string, Command>> = {
  undo: (session, _texts, { one, two }) =>
    session.undo({ force: true, ...(two % 2 === 0 ? {} : { turnId: turnOf(session, one) }) }),
  redo: (session, _texts, { one, two }) =>
    session.redo({ force: true, ...(two % 2 === 0 ? {} : { turnId: turnOf(session, one) }) }),
  touch: async (session) => session.touch('board'),
  clear: (session) => session.clear(),
  choose: (session, { texts }, { one, two }) =>
    session.send(pick(texts, one), {
      toolChoice: two % 3 === 0 ? 'none' : two % 3 === 1 ? 'required' : { tool: 'board.add' },
    }),
  sendElsewhere: (session, { texts, provider }, { one }) =>
    session.send(pick(texts, one), {
      provider: { ...other, stream: (...asked) => provider.stream(...asked) },
    }),
  compact: (session) => session.compact(),
  uncompact: (session, _actedOn, { one }) =>
    session.uncompact(pick([...session.compactions.value.map(({ id }) => id), 'none'], one)),
  retry: (session) => session.retry(),
  regenerate: (session, _actedOn, { one, two }) =>
    session.regenerate({
      ...(one % 2 === 0 ? {} : { turnId: turnOf(session, one) }),
      effects: two % 3 === 0 ? 'keep' : 'undo',
      force: two % 2 === 0,
    }),
  edit: (session, { texts }, { one, two }) =>
    session.edit(turnOf(session, one), pick(texts, two), {
      effects: two % 3 === 0 ? 'keep' : 'undo',
      force: two % 2 === 0,
    }),
  generate: (session, { texts }, { one }) =>
    session.generate(pick(texts, one), { type: 'object', properties: { a: { type: 'string' } } }),
  switchTo: (session, _actedOn, { one, two }) =>
    session.switchTo(turnOf(session, one), {
      effects: two % 3 === 0 ? 'keep' : 'follow',
      force: two % 2 === 0,
    }),
};

/** The ids of a turn with effects of child turns, and of one of these child turns; of unknown ones if there is none. */
const partOf = ({ undoEntries }: LocalAgentSession, index: number) => {
  const parts = undoEntries.value.flatMap(({ turnId, groups = [] }) =>
    groups.map(({ child }) => ({ turnId, child })),
  );
  return parts.length === 0 ? { turnId: 'none', child: 'none' } : pick(parts, index);
};

/** Commands that cancel one child turn, at any depth. */
const cancelsOfChildren: Readonly<Record<string, Command>> = {
  cancelChild: (session, _actedOn, { one }) => session.cancel({ child: childOf(session, one) }),
  keepChild: (session, _actedOn, { one, two }) =>
    session.cancel({ child: childOf(session, one), sideEffects: 'keep', immediate: two % 2 === 0 }),
  abortChild: (session, _actedOn, { one }) =>
    session.cancel({ child: childOf(session, one), immediate: true }),
};

/** Undo and redo of one child turn of a turn that has ended. */
const movesOfChildren: Readonly<Record<string, Command>> = {
  undoChild: (session, _actedOn, { one, two }) =>
    session.undo({ ...partOf(session, one), force: two % 2 === 0 }),
  redoChild: (session, _actedOn, { one, two }) =>
    session.redo({ ...partOf(session, one), force: two % 2 === 0 }),
};

/** What the user does besides. */
const besides: Readonly<Record<string, Command>> = {
  setMode: (session, _actedOn, { one }) => session.setMode(pick(['auto', 'ask', 'plan'], one)),
  putByUser: async (_session, { app }) => app.putByUser(),
};

const all: Readonly<Record<string, Command>> = {
  ...anytime,
  ...whenIdle,
  ...cancelsOfChildren,
  ...movesOfChildren,
  ...besides,
};

const only = (...names: readonly string[]): Readonly<Record<string, Command>> =>
  Object.fromEntries(names.map((name) => [name, all[name]!]));

const actionOf = (commands: Readonly<Record<string, Command>>, latest: number): fc.Arbitrary<RandomAction> =>
  fc.record({
    name: fc.constantFrom(...Object.keys(commands)),
    one: fc.nat(11),
    two: fc.nat(11),
    at: fc.nat(latest),
  });

/** A command that comes at one of the operations of a life, whatever runs then. */
export const actionsAtOperations = fc.array(actionOf({ ...anytime, ...whenIdle }, 60), { maxLength: 4 });

/** Commands that come one after another when the messages were sent. */
export const actionsAtTheEnd = fc.array(
  actionOf({ ...whenIdle, enqueue: anytime.enqueue!, resumeQueue: anytime.resumeQueue! }, 0),
  { maxLength: 3 },
);

/** Commands that come at one of the operations of a life with agents: most of them cancel a child turn. */
export const childActions = fc.array(
  fc.oneof(
    actionOf(cancelsOfChildren, 90),
    actionOf(cancelsOfChildren, 90),
    actionOf({ ...besides, ...only('cancel', 'keep', 'abort', 'steer', 'domains', 'undo') }, 90),
  ),
  { maxLength: 4 },
);

/** Commands that come one after another when the messages of a life with agents were sent. */
export const childActionsAtTheEnd = fc.array(
  fc.oneof(
    actionOf(movesOfChildren, 0),
    actionOf(only('undo', 'redo', 'touch', 'regenerate', 'retry', 'switchTo', 'enqueue', 'putByUser'), 0),
  ),
  { maxLength: 4 },
);

/** Gives a command. One that rejects ends nothing. */
export async function give(
  session: LocalAgentSession,
  actedOn: ActedOn,
  action: RandomAction,
): Promise<void> {
  await all[action.name]!(session, actedOn, action).catch(() => {});
}
