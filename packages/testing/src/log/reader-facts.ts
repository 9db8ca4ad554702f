import type { LogRecord } from '@banister/session/log';
import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { recordOf, refused, snapshotOf, textOfSnapshot, textsOf } from './log-stage.js';

/** Facts about `load`, `tail` and `snapshot`. */
export const readerFacts: readonly ProvenLogFact[] = [
  {
    fact: 'load',
    description: 'a session that does not exist is an empty log; a record is read as it was written',
    async prove(stage) {
      assertEqual(await stage.other.load(stage.id), { snapshot: null, revision: 0, records: [] }, 'the log');
      const lease = await stage.claim();
      const record = recordOf(lease, 1, 'Grüße, 世界 \u{1f44b} "\\ \u0000');
      await stage.append(lease, record);
      const loaded = await stage.other.load(stage.id);
      assertEqual(loaded, { snapshot: null, revision: 1, records: [record] }, 'the log with a record');
      assertEqual((await stage.other.load('chat-2')).revision, 0, 'the revision of another session');
    },
  },
  {
    fact: 'tail',
    description: 'a tail begins after any cursor',
    async prove(stage) {
      const lease = await stage.claim();
      const texts = ['a', 'b', 'c', 'd'];
      await stage.write(lease, 1, ...texts);
      const all = texts.map((text, index) => `${index + 1} ${text}`);
      for (let after = 0; after < texts.length; after++) {
        const records = await stage.tail(after).take(texts.length - after);
        assertEqual(textsOf(records), all.slice(after), `the records after ${after}`);
      }
    },
  },
  {
    fact: 'tail-live',
    description: 'a tail reads the records in the log and then each new one, without a gap between them',
    async prove(stage) {
      const early = stage.tail(0);
      const first = early.next();
      const lease = await stage.claim();
      const count = 100;
      const readers = new Map<number, Promise<readonly LogRecord[]>>();
      for (let revision = 1; revision <= count; revision++) {
        await stage.append(lease, recordOf(lease, revision, 'x'));
        // Each of these readers starts behind, and catches up while more records are written.
        if (revision % 10 === 0) readers.set(revision, stage.tail(revision - 5).take(count - revision + 5));
      }
      const { value } = await first;
      assertEqual((value as LogRecord).revision, 1, 'the revision that the first reader waited for');
      readers.set(1, early.take(count - 1));
      for (const [started, reading] of readers) {
        const revisions = (await reading).map(({ revision }) => revision);
        const after = count - revisions.length;
        const expected = revisions.map((_, index) => after + index + 1);
        assertEqual(revisions, expected, `the revisions of the reader that began at ${started}`);
      }
    },
  },
  {
    fact: 'two-readers',
    description: 'two readers each get every record; the end of one does not end the other',
    async prove(stage) {
      const lease = await stage.claim();
      const [one, two] = [stage.tail(0), stage.tail(0)];
      const both = Promise.all([one.take(2), two.take(2)]);
      // Awaited later. Until then its rejection counts as handled, as with `take`.
      both.catch(() => {});
      await stage.write(lease, 1, 'a', 'b');
      for (const records of await both) assertEqual(textsOf(records), ['1 a', '2 b'], 'the records');
      one.controller.abort();
      await stage.write(lease, 3, 'c');
      assertEqual(textsOf(await two.take(1)), ['3 c'], 'the record of the second reader');
    },
  },
  {
    fact: 'slow-reader',
    description: 'a reader that reads nothing for long loses no record',
    async prove(stage) {
      const lease = await stage.claim();
      const reader = stage.tail(0);
      await stage.write(lease, 1, 'first');
      await reader.take(1);
      const texts = Array.from({ length: 500 }, (_, index) => `text ${index}`);
      await stage.write(lease, 2, ...texts);
      const expected = texts.map((text, index) => `${index + 2} ${text}`);
      assertEqual(textsOf(await reader.take(texts.length)), expected, 'the records');
    },
  },
  {
    fact: 'tail-end',
    description:
      'a tail ends when its signal fires, also while it waits, and at once when it had fired before',
    async prove(stage) {
      const lease = await stage.claim();
      const reader = stage.tail(0);
      const waiting = reader.next();
      reader.controller.abort();
      assertEqual((await waiting).done, true, 'the end while it waits');
      await stage.write(lease, 1, 'a');
      assertEqual((await reader.next()).done, true, 'the end afterwards');
      const late = new AbortController();
      late.abort();
      assertEqual((await stage.tail(0, late).next()).done, true, 'the end of a tail that is late');
    },
  },
  {
    fact: 'gap',
    description: 'a tail from a cursor that the log cannot go on from is refused as a gap',
    async prove(stage) {
      const lease = await stage.claim();
      await stage.write(lease, 1, 'a', 'b');
      await refused(stage.tail(3).next(), 'gap', 'a tail from a later revision than the log has');
      const reader = stage.tail(1);
      await reader.take(1);
      await stage.log.remove(stage.id);
      await refused(reader.next(), 'removed', 'the tail of a removed session');
    },
  },
  {
    fact: 'snapshot',
    description: 'load returns the last snapshot and the records after it; a tail goes on from there',
    async prove(stage) {
      const lease = await stage.claim();
      await stage.write(lease, 1, 'a', 'b', 'c');
      await stage.log.snapshot(lease, 2, snapshotOf('ab'));
      const { snapshot, revision, records } = await stage.other.load(stage.id);
      assertEqual(snapshot, snapshotOf('ab'), 'the snapshot');
      assertEqual([revision, textsOf(records)], [3, ['3 c']], 'the records after it');
      const reader = stage.tail(2);
      await stage.log.snapshot(lease, 3, snapshotOf('abc'));
      await stage.write(lease, 4, 'd');
      const later = await stage.other.load(stage.id);
      assertEqual(textOfSnapshot(later.snapshot), 'abc', 'the later snapshot');
      assertEqual([later.revision, textsOf(later.records)], [4, ['4 d']], 'the records after the later one');
      await readOnOrGap(reader.next(), 3);
      assertEqual(textsOf(await stage.tail(3).take(1)), ['4 d'], 'the tail from the snapshot');
    },
  },
  {
    fact: 'snapshot-refused',
    description: 'a snapshot of a revision that the log does not have, or of an older one, is refused',
    async prove(stage) {
      const lease = await stage.claim();
      await stage.log.snapshot(lease, 0, snapshotOf('opened'));
      await stage.write(lease, 1, 'a', 'b');
      await refused(
        stage.log.snapshot(lease, 3, snapshotOf('other')),
        'conflict',
        'a snapshot of a later revision',
      );
      await refused(
        stage.log.snapshot(lease, 1.5, snapshotOf('other')),
        'conflict',
        'a snapshot between two revisions',
      );
      await stage.log.snapshot(lease, 2, snapshotOf('ab'));
      await refused(
        stage.log.snapshot(lease, 1, snapshotOf('other')),
        'conflict',
        'a snapshot of an earlier revision',
      );
      const { snapshot, revision } = await stage.log.load(stage.id);
      assertEqual([textOfSnapshot(snapshot), revision], ['ab', 2], 'snapshot and revision');
    },
  },
  {
    fact: 'copies',
    description: 'a log shares no object with its writers and readers',
    async prove(stage) {
      const lease = await stage.claim();
      const record = recordOf(lease, 1, 'a');
      const saved = snapshotOf('a');
      await stage.append(lease, record);
      await stage.log.snapshot(lease, 0, saved);
      spoil(record);
      spoil(saved);
      const loaded = await stage.log.load(stage.id);
      assertEqual(textsOf(loaded.records), ['1 a'], 'the record after the writer changed its own');
      assertEqual(textOfSnapshot(loaded.snapshot), 'a', 'the snapshot after the writer changed its own');
      spoil(loaded.records[0]);
      spoil(loaded.snapshot);
      const again = await stage.log.load(stage.id);
      assertEqual(textsOf(again.records), ['1 a'], 'the record after a reader changed its own');
      assertEqual(textOfSnapshot(again.snapshot), 'a', 'the snapshot after a reader changed its own');
      const [one, two] = [await stage.tail(0).take(1), await stage.tail(0).take(1)];
      assert(one[0] !== two[0] && one[0]?.operations !== two[0]?.operations, 'two tails share a record');
    },
  },
];

/** If a snapshot has dropped the next record of a tail, the tail still returns that record or is refused; it never skips the record. */
async function readOnOrGap(next: Promise<IteratorResult<LogRecord>>, revision: number): Promise<void> {
  const result = await next.catch(() => null);
  if (result === null) await refused(next, 'gap', 'the tail behind a snapshot');
  else assertEqual((result.value as LogRecord).revision, revision, 'the next record behind a snapshot');
}

/** Removes every field of an object, at every depth, unless it is frozen. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  for (const inner of Object.values(value)) spoil(inner);
  for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}
