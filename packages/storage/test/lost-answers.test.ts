// A log stores a record, and the answer to the write is lost.
import './without-locks.js';
import fc from 'fast-check';
import type { SessionLog } from '@banister/session';
import { memoryLog } from '@banister/storage';
import { callTools, say } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { eachLog, newLog } from './each-log.js';
import { makePage, opened, withoutSnapshots } from './faulty-turns.js';
import { removeFiles } from './temporary-folder.js';

afterAll(removeFiles);

/** How a log handles a call: `lost` stores and then rejects, `refused` only rejects. */
type Answer = 'done' | 'lost' | 'refused';

/** A log whose appends and loads end as planned. Calls after the plan succeed. */
function faulty(log: SessionLog, appends: readonly Answer[], loads: readonly Answer[]): SessionLog {
  const planned =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>, plan: Iterator<Answer>) =>
    async (...args: A): Promise<T> => {
      const answer: Answer = plan.next().value ?? 'done';
      if (answer === 'refused') throw new Error('The network is down.');
      const result = await call(...args);
      if (answer === 'lost') throw new Error('The connection was lost.');
      return result;
    };
  // The first load is the opening.
  const load = planned(log.load, ['done' as const, ...loads][Symbol.iterator]());
  return { ...withoutSnapshots(log), append: planned(log.append, appends[Symbol.iterator]()), load };
}

const answers = [
  callTools({ tool: 'board.add', args: { title: 'Plan' } }),
  say('One.'),
  say('Two.'),
  say('Three.'),
];

/** Sends three messages over a log that fails as planned, then loads the page again. */
async function expectWrittenOnce(log: SessionLog, appends: readonly Answer[], loads: readonly Answer[]) {
  const page = makePage();
  const session = await opened(page.open(faulty(log, appends, loads), answers));
  for (const message of ['Add Plan', 'And?', 'And now?']) await session.send(message).catch(() => {});
  const live = session.turns.value;
  await session.dispose();

  const { records, damage } = await log.load('chat-42');
  const operations = records.flatMap((record) => record.operations);
  const sequences = operations.map(({ sequence }) => sequence);
  expect(damage).toBeUndefined();
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  const next = await opened(page.open(log, [say('Good.')]));
  expect(next.link.value).toEqual({ role: 'writer', open: true, saved: true });
  if (operations.at(-1)?.type === 'disposed') expect(next.turns.value).toEqual(live);
  await next.send('Once more');
  expect(page.errors).toEqual([]);
  await next.dispose();
}

const someAnswers = fc.array(fc.constantFrom<Answer>('done', 'done', 'lost', 'refused'), { maxLength: 16 });
const all = [['memoryLog', () => memoryLog()] as const, ...eachLog];

describe.each(all)('a session over %s', (_name, connect) => {
  test('audit-A2 after an append with a lost answer and a refused append, the log has each operation once', async () => {
    for (let lost = 0; lost < 8; lost++)
      for (let refused = lost + 1; refused < lost + 4; refused++) {
        const plan = Array.from({ length: refused + 1 }, (): Answer => 'done');
        plan[lost] = 'lost';
        plan[refused] = 'refused';
        await expectWrittenOnce(connect(newLog()), plan, []);
      }
  });

  test('audit-A2 the log has each operation once, no matter which answers are lost and which calls are refused', async () => {
    const schedule = fc.asyncProperty(someAnswers, someAnswers, (appends, loads) =>
      expectWrittenOnce(connect(newLog()), appends, loads),
    );
    await fc.assert(schedule, propertyRun('lost answers', 300));
  });
});
