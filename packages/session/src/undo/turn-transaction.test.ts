import { createVirtualClock, settle } from '@banister/testing';
import { expect, it } from 'vitest';
import type { CallEffects } from '../conversation/turn-undo.js';
import { ClosureHistory } from './closure-history.js';
import type { CallRecord } from './live-call.js';
import { TurnTransaction, type OpenRevert, type TurnLog } from './turn-transaction.js';

/** A transaction whose effects are given to the history at its end, and whose reverts wait until the test releases them. */
async function transactionOf(...ids: readonly string[]) {
  const clock = createVirtualClock();
  const reverted = new Set<string>();
  const events: string[] = [];
  const held = new Map<string, () => void>();
  const effects = (): readonly CallEffects[] =>
    ids.map((callId) => ({
      callId,
      tool: 'board.add',
      irreversible: false,
      steps: [
        {
          step: 1,
          description: callId,
          irreversible: false,
          state: reverted.has(callId) ? 'reverted' : 'in-effect',
        },
      ],
    }));
  const log: TurnLog = {
    turnId: 'turn_1',
    effects,
    answered: () => new Set(ids),
    position: (callId) => ids.indexOf(callId),
    unknown: () => [],
    readRevisions: () => ({}),
    owned: () => {},
    moved: ({ callId, outcome }) => {
      if (outcome === 'success') reverted.add(callId);
      events.push(`${callId} ${outcome}`);
    },
  };
  const recordOf = (id: string): CallRecord => ({
    item: { toolCallId: id, toolName: 'board.add', description: id },
    domain: 'board',
    change: { from: undefined, to: undefined },
    irreversible: false,
    steps: [
      {
        code: {
          revert: () =>
            new Promise<void>((resolve) => {
              events.push(`${id} begins`);
              held.set(id, resolve);
            }),
          reapply: undefined,
        },
        isInEffect: true,
        moves: 0,
        isLogged: true,
      },
    ],
  });
  const limit = { clock, validator: 'auto' as const, revertTimeoutMs: 1_000 };
  const transaction = new TurnTransaction(new ClosureHistory(), log, limit, true);
  await transaction.open('Go');
  for (const id of ids) await transaction.record(recordOf(id));
  const release = async (id: string) => {
    held.get(id)!();
    await settle();
  };
  return { transaction, events, release };
}

const reverts =
  (...ids: readonly string[]) =>
  async (revert: OpenRevert) => {
    for (const id of ids) await revert(id);
  };
const none = () => ({});

it('two runs that take effects back while the turn is open go one after the other', async () => {
  const { transaction, events, release } = await transactionOf('a', 'b');
  const first = transaction.revertOpen(none, reverts('b'));
  const second = transaction.revertOpen(none, reverts('a'));
  await settle();
  expect(events).toEqual(['b begins']);
  await release('b');
  expect(events).toEqual(['b begins', 'b success', 'a begins']);
  await release('a');
  await Promise.all([first, second]);
  expect(events.at(-1)).toBe('a success');
});

it('a run begins after a run that failed', async () => {
  const { transaction, events, release } = await transactionOf('a', 'b');
  const failed = transaction.revertOpen(none, () => Promise.reject(new Error('It has failed.')));
  await expect(failed).rejects.toThrow('It has failed.');
  void transaction.revertOpen(none, reverts('b'));
  await settle();
  expect(events).toEqual(['b begins']);
  await release('b');
});

it('the revisions of a run are read when it begins', async () => {
  const { transaction, release } = await transactionOf('a', 'b');
  const read: string[] = [];
  const expected = (run: string) => () => {
    read.push(run);
    return {};
  };
  void transaction.revertOpen(expected('first'), reverts('b'));
  const second = transaction.revertOpen(expected('second'), reverts());
  await settle();
  expect(read).toEqual(['first']);
  await release('b');
  await second;
  expect(read).toEqual(['first', 'second']);
});

it('a commit waits for the run that has begun, and lists what stays', async () => {
  const { transaction, events, release } = await transactionOf('a', 'b');
  void transaction.revertOpen(none, reverts('b'));
  const committing = transaction.commit();
  await settle();
  expect(events).toEqual(['b begins']);
  await release('b');
  expect((await committing).effects.map(({ toolCallId }) => toolCallId)).toEqual(['a']);
});

it('a rollback waits for the run that has begun, and takes back the rest', async () => {
  const { transaction, events, release } = await transactionOf('a', 'b', 'c');
  void transaction.revertOpen(none, reverts('b'));
  const rolling = transaction.rollback(none);
  await settle();
  expect(events).toEqual(['b begins']);
  await release('b');
  await release('c');
  await release('a');
  const { report } = await rolling;
  expect(report.done.map(({ toolCallId }) => toolCallId).sort()).toEqual(['a', 'b', 'c']);
  expect(events.filter((event) => event.endsWith('begins'))).toEqual(['b begins', 'c begins', 'a begins']);
});
