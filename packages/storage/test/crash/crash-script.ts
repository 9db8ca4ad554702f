import type { AgentSession, TurnResult } from '@banister/session';
import { effect } from '@banister/session';
import { callTools, fail, say, type ScriptedAnswer } from '@banister/testing';
import type { Acknowledged } from './crash-page-api.js';

const call = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const done = say('Done.');
const one = (tool: string) => [callTools(call(tool, 'A')), done];

/** The answers to the rounds of a turn, by the text of its message. */
export const answers: Readonly<Record<string, readonly ScriptedAnswer[]>> = {
  Add: one('add'),
  Ensure: one('ensure'),
  Publish: one('publish'),
  Paint: one('paint'),
  Mail: one('mail'),
  Half: one('half'),
  /** A question is asked about it, and approved. */
  Sign: one('once'),
  /** A question is asked about it, and declined. */
  Decline: [callTools(call('once', 'No')), done],
  Both: [
    callTools('One. ', call('add', 'A'), call('ensure', 'B')),
    callTools('Two. ', call('side', 'C'), call('side', 'D'), call('paint', 'E')),
    done,
  ],
  Think: [
    callTools(
      { type: 'thinking', delta: 'Hm, ' },
      { type: 'thinking', delta: 'a card.', signature: 'signed==' },
      call('add', 'A'),
    ),
    done,
  ],
  Fail: [callTools(call('add', 'A'), call('paint', 'B')), fail('auth')],
  /** The answer is slow, so that a cancel comes while it runs. */
  Long: [callTools(call('add', 'A')), say(Array.from({ length: 40 }, (_, at) => `word ${at} `))],
  Also: [done],
};

/** A step of the script. A command that rejects does not end the script. */
export type ScriptStep = (session: AgentSession, note: Note) => Promise<unknown>;

/** Notes a promise that was fulfilled. */
export type Note = <T>(promise: Promise<T>, acknowledged: (value: T) => Acknowledged | null) => Promise<void>;

const turnOf = ({ messages }: TurnResult): Acknowledged => ({
  of: 'turn',
  messages: messages.map(({ id }) => id),
});

const send =
  (text: string): ScriptStep =>
  (session, note) =>
    note(session.send(text), turnOf);
const undo: ScriptStep = (session, note) => note(session.undo(), () => ({ of: 'undoStarted' }));
const redo: ScriptStep = (session, note) => note(session.redo(), () => ({ of: 'redoStarted' }));
const enqueue = (session: AgentSession, note: Note, text: string) => {
  const id = `item-${crypto.randomUUID()}`;
  const item = session.enqueue(text, { id });
  return { id, settled: note(item, () => ({ of: 'dequeued', id })) };
};

/** Cancels the turn of a message as soon as it has some text. */
const cancelled =
  (text: string, sideEffects: 'rollback' | 'keep'): ScriptStep =>
  async (session, note) => {
    const turn = note(session.send(text), turnOf);
    await until(() => session.currentText.value !== '' || !session.isRunning.value);
    await note(session.cancel({ sideEffects }), (report) => (report.cancelled ? { of: 'cancelled' } : null));
    await turn;
  };

/** Returns the id of a turn, counted from the end of the conversation. */
const turnAt = (session: AgentSession, place: number) => session.turns.value.at(place)?.id ?? 'none';

const steered: ScriptStep = async (session, note) => {
  const turn = note(session.send('Both'), turnOf);
  const joined = note(session.steer('Also'), (how) => (how === 'joined' ? { of: 'steered' } : null));
  await Promise.all([turn, joined]);
};

const queued: ScriptStep = async (session, note) => {
  const turn = note(session.send('Add'), turnOf);
  const items = ['Ensure', 'Think', 'Mail'].map((text) => enqueue(session, note, text));
  const { id } = items[2]!;
  await note(session.dequeue(id), (isRemoved) => (isRemoved ? { of: 'dequeued', id } : null));
  await turn;
  // The turns of the other messages begin after the first turn. If the first turn failed, the queue is
  // paused.
  await until(
    () => !session.isRunning.value && (session.queue.value.length === 0 || session.queuePaused.value),
  );
};

/** The script: more than thirty turns, with every kind of command. */
export const script: readonly ScriptStep[] = [
  ...['Add', 'Think', 'Both', 'Publish', 'Paint', 'Mail', 'Sign', 'Decline', 'Half'].map(send),
  send('Fail'),
  (session, note) => note(session.retry(), turnOf),
  undo,
  redo,
  cancelled('Long', 'rollback'),
  queued,
  steered,
  (session, note) => note(session.regenerate(), turnOf),
  (session, note) => note(session.edit(turnAt(session, -2), 'Add'), turnOf),
  (session) => session.switchTo(otherBranch(session), { effects: 'follow' }),
  send('Ensure'),
  cancelled('Long', 'keep'),
  undo,
  undo,
  redo,
  (session, note) => note(session.edit(turnAt(session, -1), 'Publish', { force: true }), turnOf),
  queued,
  ...['Sign', 'Paint', 'Half', 'Both'].map(send),
  (session, note) => note(session.regenerate({ effects: 'keep' }), turnOf),
  steered,
  ...['Ensure', 'Publish'].map(send),
  undo,
  send('Think'),
];

/** Returns the id of a sibling of the last turn that has siblings. */
function otherBranch(session: AgentSession): string {
  const branch = Object.values(session.branches.value).findLast(({ ids }) => ids.length > 1);
  return branch?.ids[0] ?? 'none';
}

/** Resolves when a condition over signals holds. */
export async function until(holds: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (holds()) queueMicrotask(() => (stop(), resolve()));
    });
  });
}
