import type { Lease } from '@banister/session/log';
import { assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { LONG, recordOf, type LogStage } from './log-stage.js';

/** How long a lease holds in the test about time, in milliseconds: longer than the log may take for two orphans. */
const TTL = 4_500;

/** Facts about sessions with open work whose writer is gone. */
export const orphanFacts: readonly ProvenLogFact[] = [
  {
    fact: 'orphans',
    description:
      'a session is an orphan when its writer ends with open work: not before, not after the end of the work, and again when its next writer ends',
    async prove(stage) {
      const live = await writer(stage, 'live', true);
      await left(stage, 'unsaid', undefined);
      const ended = await writer(stage, 'ended', true);
      await write(stage, ended, 2, false);
      await stage.log.release(ended);
      await left(stage, 'first', true);
      const reader = stage.orphans();
      assertEqual(await stage.orphan(reader), 'first', 'the first orphan');
      await left(stage, 'second', true);
      assertEqual(await stage.orphan(reader), 'second', 'the second orphan');
      await stage.log.release(live);
      assertEqual(await stage.orphan(reader), 'live', 'the session whose writer was alive');
      const next = await stage.claim('next', LONG, 'first');
      await stage.log.describe('first', { title: 'Groceries' });
      await stage.log.release(next);
      assertEqual(await stage.orphan(reader), 'first', 'the session whose next writer ended');
      const last = await stage.claim('next', LONG, 'second');
      await write(stage, last, 2, false);
      await stage.log.release(last);
      await stage.log.remove('live');
      await left(stage, 'third', true);
      assertEqual(await stage.orphan(reader), 'third', 'the orphan behind one whose work has ended');
      const late = stage.orphans();
      const all = [await stage.orphan(late), await stage.orphan(late)];
      assertEqual(all.sort(), ['first', 'third'], 'the orphans for a reader that is late');
    },
  },
  {
    fact: 'orphans-time',
    description:
      'a session whose writer dies in its work is an orphan when the lease has run out, not before',
    async prove(stage) {
      await writer(stage, 'dead', true, TTL);
      const reader = stage.orphans();
      for (const id of ['first', 'second']) {
        await left(stage, id, true);
        assertEqual(await stage.orphan(reader), id, 'the orphan while the lease lasts');
      }
      await stage.pass(TTL);
      assertEqual(await stage.orphan(reader), 'dead', 'the orphan after the lease');
    },
  },
  {
    fact: 'orphans-end',
    description: 'the orphans end when their signal fires, and at once when it had fired before',
    async prove(stage) {
      const controller = stage.signal();
      const waiting = stage.orphans(controller).next();
      await stage.pass(100);
      controller.abort();
      assertEqual((await waiting).done, true, 'the end while it waits');
      await left(stage, 'first', true);
      assertEqual((await stage.orphans(controller).next()).done, true, 'the end of a reader that is late');
    },
  },
];

/** Claims a session and appends its first record. */
async function writer(stage: LogStage, id: string, open: boolean | undefined, ttlMs = LONG): Promise<Lease> {
  const lease = await stage.claim('first', ttlMs, id);
  await write(stage, lease, 1, open);
  return lease;
}

/** Writes a session whose writer ends. */
async function left(stage: LogStage, id: string, open: boolean | undefined): Promise<void> {
  await stage.log.release(await writer(stage, id, open));
}

async function write(stage: LogStage, lease: Lease, revision: number, open: boolean | undefined) {
  await stage.log.append(lease, recordOf(lease, revision, 'x'), { barrier: true, open });
}
