import fc from 'fast-check';
import type { LocalAgentSession } from '@handrail/session';
import { settle } from '@handrail/testing';

/** A command of the user: its name, two numbers that choose a turn, a message or an option, and the number of the operation at which it comes. */
export interface RandomAction {
  readonly name: string;
  readonly one: number;
  readonly two: number;
  readonly at: number;
}

type Command = (
  session: LocalAgentSession,
  texts: readonly string[],
  action: RandomAction,
) => Promise<unknown>;

const pick = <T>(items: readonly T[], index: number): T => items[index % items.length]!;

/** The id of a turn, on the path or off it; of an unknown one before the first. */
const turnOf = ({ branches, turns }: LocalAgentSession, index: number): string => {
  const ids = new Set([...turns.value.map(({ id }) => id), ...Object.keys(branches.value)]);
  return ids.size === 0 ? 'none' : pick([...ids], index);
};

/** The id of a message of the queue; of an unknown one where it is empty. */
const messageOf = ({ queue }: LocalAgentSession, index: number): string =>
  queue.value.length === 0 ? 'none' : pick(queue.value, index).id;

/** Commands that come at any time. */
const anytime: Readonly<Record<string, Command>> = {
  cancel: (session) => session.cancel(),
  keep: (session) => session.cancel({ sideEffects: 'keep' }),
  abort: (session) => session.cancel({ immediate: true }),
  // The turn of a message may not begin before another command.
  enqueue: async (session, texts, { one }) => {
    void session.enqueue(pick(texts, one)).catch(() => {});
    await settle();
  },
  requeue: (session, texts, { one, two }) =>
    session.requeue(messageOf(session, one), {
      ...(two % 2 === 0 ? {} : { input: pick(texts, two) }),
      ...(two % 3 === 0 ? {} : { before: two % 3 === 1 ? null : messageOf(session, two) }),
    }),
  dequeue: (session, _texts, { one }) => session.dequeue(messageOf(session, one)),
  resumeQueue: (session) => session.resumeQueue(),
  steer: async (session) => {
    void session.steer('Also').catch(() => {});
    await settle();
  },
};

/** Commands that need an idle session. */
const whenIdle: Readonly<Record<string, Command>> = {
  undo: (session) => session.undo({ force: true }),
  redo: (session) => session.redo({ force: true }),
  retry: (session) => session.retry(),
  regenerate: (session, _texts, { one, two }) =>
    session.regenerate({
      ...(one % 2 === 0 ? {} : { turnId: turnOf(session, one) }),
      effects: two % 3 === 0 ? 'keep' : 'undo',
      force: two % 2 === 0,
    }),
  edit: (session, texts, { one, two }) =>
    session.edit(turnOf(session, one), pick(texts, two), {
      effects: two % 3 === 0 ? 'keep' : 'undo',
      force: two % 2 === 0,
    }),
  switchTo: (session, _texts, { one, two }) =>
    session.switchTo(turnOf(session, one), {
      effects: two % 3 === 0 ? 'keep' : 'follow',
      force: two % 2 === 0,
    }),
};

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

/** Gives a command. One that rejects ends nothing. */
export async function give(
  session: LocalAgentSession,
  texts: readonly string[],
  action: RandomAction,
): Promise<void> {
  await { ...anytime, ...whenIdle }[action.name]!(session, texts, action).catch(() => {});
}
