import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { LONG, recordOf, refused, snapshotOf, textsOf } from './log-stage.js';

/** How long a lease holds in the tests about time, in milliseconds. */
const TTL = 1_000;

/** Facts about leases and writes. */
export const writerFacts: readonly ProvenLogFact[] = [
  {
    fact: 'claim',
    description: 'each claim raises the epoch by one and returns the last revision, also for the same owner',
    async prove(stage) {
      const first = await stage.claim();
      assertEqual(first, { id: stage.id, epoch: first.epoch, revision: 0 }, 'the first lease');
      await stage.write(first, 1, 'a', 'b');
      const second = await stage.claim();
      assertEqual(second, { id: stage.id, epoch: first.epoch + 1, revision: 2 }, 'the second lease');
    },
  },
  {
    fact: 'held',
    description: 'a claim is refused as held, with the owner, while another owner has the lease',
    async prove(stage) {
      const lease = await stage.claim();
      const error = await refused(stage.other.claim(stage.id, 'second', LONG), 'held', 'the second claim');
      assertEqual(error.details['owner'], 'first', 'details.owner');
      assertEqual(error.details['epoch'], lease.epoch, 'details.epoch');
      await stage.write(lease, 1, 'a');
    },
  },
  {
    fact: 'lease-time',
    description: 'a lease that has run out still writes, until another owner claims',
    async prove(stage) {
      const first = await stage.claim('first', TTL);
      await stage.pass(TTL + 100);
      await stage.write(first, 1, 'a');
      const second = await stage.other.claim(stage.id, 'second', LONG);
      assertEqual([second.epoch, second.revision], [first.epoch + 1, 1], 'epoch and revision');
      await refused(stage.append(first, recordOf(first, 2, 'b')), 'fenced', 'the append of the first owner');
    },
  },
  {
    fact: 'renew',
    description: 'a renewed lease holds others back for its whole time again',
    async prove(stage) {
      const lease = await stage.claim('first', TTL);
      await stage.pass(TTL * 0.6);
      await stage.log.renew(lease);
      await stage.pass(TTL * 0.6);
      await refused(stage.other.claim(stage.id, 'second', TTL), 'held', 'a claim after the renewal');
      await stage.pass(TTL);
      await stage.other.claim(stage.id, 'second', TTL);
      await refused(stage.log.renew(lease), 'fenced', 'a renewal after the claim');
    },
  },
  {
    fact: 'release',
    description:
      'another owner can claim after a release; the released lease neither writes nor ends a newer one',
    async prove(stage) {
      const first = await stage.claim();
      await stage.log.release(first);
      await refused(stage.append(first, recordOf(first, 1, 'a')), 'fenced', 'an append after the release');
      await refused(stage.log.renew(first), 'fenced', 'a renewal after the release');
      const second = await stage.other.claim(stage.id, 'second', LONG);
      assertEqual(second.epoch, first.epoch + 1, 'the epoch');
      await stage.log.release(first);
      await stage.append(second, recordOf(second, 1, 'b'), stage.other);
      await refused(stage.log.claim(stage.id, 'first', LONG), 'held', 'a claim after the second release');
    },
  },
  {
    fact: 'steal',
    description:
      'a claim that steals an epoch takes its lease away, and fences its holder; a lease of a later epoch is held',
    async prove(stage) {
      const first = await stage.claim();
      await stage.write(first, 1, 'a');
      const steal = { steal: first.epoch };
      const second = await stage.other.claim(stage.id, 'second', LONG, steal);
      assertEqual([second.epoch, second.revision], [first.epoch + 1, 1], 'epoch and revision');
      await refused(stage.append(first, recordOf(first, 2, 'zombie')), 'fenced', 'an append of the holder');
      await refused(stage.log.renew(first), 'fenced', 'a renewal of the holder');
      await stage.log.release(first);
      await refused(stage.log.claim(stage.id, 'third', LONG, steal), 'held', 'a later claim that steals it');
      await stage.append(second, recordOf(second, 2, 'b'), stage.other);
      const { records } = await stage.log.load(stage.id);
      assertEqual(textsOf(records), ['1 a', '2 b'], 'the records');
      await stage.other.release(second);
      const free = { steal: second.epoch };
      assertEqual(
        (await stage.log.claim(stage.id, 'third', LONG, free)).epoch,
        second.epoch + 1,
        'the epoch',
      );
    },
  },
  {
    fact: 'freed',
    description:
      'an owner who waits for the lease can claim when it is released, and at once where there is none',
    async prove(stage) {
      const { signal } = stage.signal();
      await stage.freed(signal);
      const lease = await stage.claim();
      let isFreed = false;
      const freed = stage.freed(signal).then(() => (isFreed = true));
      await stage.append(lease, recordOf(lease, 1, 'a'));
      await stage.log.renew(lease);
      assert(!isFreed, 'the lease is held');
      await stage.log.release(lease);
      await freed;
      await stage.other.claim(stage.id, 'second', LONG);
    },
  },
  {
    fact: 'freed-end',
    description: 'a wait for the lease ends when its signal fires, and at once when it had fired before',
    async prove(stage) {
      await stage.claim();
      const controller = stage.signal();
      const freed = stage.freed(controller.signal);
      controller.abort();
      await freed;
      await stage.freed(controller.signal);
    },
  },
  {
    fact: 'fencing',
    description:
      'a lease of an older epoch is fenced: it appends nothing, renews nothing and stores no snapshot',
    async prove(stage) {
      const old = await stage.claim();
      await stage.write(old, 1, 'a');
      const lease = await stage.claim();
      await refused(stage.append(old, recordOf(old, 2, 'zombie')), 'fenced', 'the append');
      await refused(stage.append(lease, recordOf(old, 2, 'zombie')), 'fenced', 'a record of the old epoch');
      await refused(stage.log.renew(old), 'fenced', 'the renewal');
      await refused(stage.log.snapshot(old, 1, snapshotOf('late')), 'fenced', 'the snapshot');
      await stage.write(lease, 2, 'b');
      assertEqual(textsOf((await stage.log.load(stage.id)).records), ['1 a', '2 b'], 'the records');
    },
  },
  {
    fact: 'conflict',
    description: 'a record whose revision is not the next one is refused, and changes nothing',
    async prove(stage) {
      const lease = await stage.claim();
      await stage.write(lease, 1, 'a', 'b');
      for (const revision of [0, 1, 2, 4, 2.5, -1, NaN])
        await refused(
          stage.append(lease, recordOf(lease, revision, 'x')),
          'conflict',
          `revision ${revision}`,
        );
      await stage.write(lease, 3, 'c');
      assertEqual(textsOf((await stage.log.load(stage.id)).records), ['1 a', '2 b', '3 c'], 'the records');
    },
  },
  {
    fact: 'one-writer',
    description: 'of two appends of one revision at the same time, one is refused as a conflict',
    async prove(stage) {
      const lease = await stage.claim();
      for (let revision = 1; revision <= 20; revision++) {
        const both = [stage.log, stage.other].map((log, index) =>
          stage.append(lease, recordOf(lease, revision, `${index}`), log),
        );
        const stored = (await Promise.allSettled(both)).findIndex(({ status }) => status === 'fulfilled');
        assert(stored >= 0, `one append of revision ${revision} must be stored`);
        await refused(both[1 - stored]!, 'conflict', `the other append of revision ${revision}`);
        assertEqual(
          textsOf((await stage.log.load(stage.id)).records).at(-1),
          `${revision} ${stored}`,
          'the record',
        );
      }
    },
  },
  {
    fact: 'order',
    description: 'records are read in the order of their revisions, each once, with and without a barrier',
    async prove(stage) {
      const lease = await stage.claim();
      const count = 1_000;
      for (let revision = 1; revision <= count; revision++)
        await stage.log.append(lease, recordOf(lease, revision, 'x'), { barrier: revision % 3 === 0 });
      const { records, revision } = await stage.other.load(stage.id);
      const expected = Array.from({ length: count }, (_, index) => index + 1);
      assertEqual(
        records.map((record) => record.revision),
        expected,
        'the revisions',
      );
      assertEqual(revision, count, 'the last revision');
    },
  },
];
