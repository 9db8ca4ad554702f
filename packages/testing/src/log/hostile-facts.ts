import type { Operation } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { LONG, errorOf, recordOf, refused, textsOf } from './log-stage.js';

/** The number of characters in the huge record. */
const HUGE = 4_000_000;

/** Facts about input that a session never writes. */
export const hostileFacts: readonly ProvenLogFact[] = [
  {
    fact: 'hostile-keys',
    description:
      'keys such as __proto__ in a record change no prototype; the log keeps the record or refuses it',
    async prove(stage) {
      const lease = await stage.claim();
      const operation = JSON.parse(
        '{"type":"progress","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      ) as Operation;
      const record: LogRecord = { version: 1, revision: 1, epoch: lease.epoch, operations: [operation] };
      const wasStored = await stage.append(lease, record).then(
        () => true,
        () => false,
      );
      if (!wasStored) await errorOf(stage.append(lease, record), 'a record with __proto__');
      assert(!('polluted' in {}), 'Object.prototype was changed');
      const { records } = await stage.other.load(stage.id);
      assertEqual(records.length, wasStored ? 1 : 0, 'the number of records');
      for (const read of records.flatMap(({ operations }) => operations))
        assert(!('polluted' in read), 'the prototype of a stored operation was changed');
      await stage.write(lease, wasStored ? 2 : 1, 'b');
    },
  },
  {
    fact: 'hostile-ids',
    description: 'any string is the id of a session of its own',
    async prove(stage) {
      const ids = [
        ...['__proto__', 'constructor', '', ' ', 'a/b', '../a', 'a:b', '%00', '\u0000', 'a\u0000', 'A', 'a'],
        // Two forms of the same letter, lone surrogates, a pair, and a long string.
        ...['ä', 'a\u0308', '\ud83d', '\udc4b', '\u{1f44b}', '\uffff', "'", '"', '\n', 'x'.repeat(5_000)],
      ];
      for (const id of ids) {
        const lease = await stage.claim('first', LONG, id);
        assertEqual(lease.revision, 0, `the revision of ${JSON.stringify(id)}`);
        await stage.append(lease, recordOf(lease, 1, `text of ${id}`));
      }
      for (const id of ids)
        assertEqual(textsOf((await stage.other.load(id)).records), [`1 text of ${id}`], JSON.stringify(id));
      assertEqual((await stage.other.list()).map(({ id }) => id).sort(), [...ids].sort(), 'the list');
    },
  },
  {
    fact: 'revision-back',
    description: 'a revision that goes back is refused after a new claim as well, and readers never see it',
    async prove(stage) {
      const first = await stage.claim();
      await stage.write(first, 1, 'a', 'b');
      const reader = stage.tail(0);
      await reader.take(2);
      const lease = await stage.claim();
      await refused(stage.append(lease, recordOf(lease, 1, 'x')), 'conflict', 'revision 1 once more');
      await stage.write(lease, 3, 'c');
      assertEqual(textsOf(await reader.take(1)), ['3 c'], 'the next record');
    },
  },
  {
    fact: 'huge-record',
    description: `a record of ${HUGE / 1e6} million characters is stored whole, or refused and not stored at all`,
    async prove(stage) {
      const lease = await stage.claim();
      const text = '0123456789'.repeat(HUGE / 10);
      const appended = stage.append(lease, recordOf(lease, 1, text));
      const wasStored = await appended.then(
        () => true,
        () => false,
      );
      if (!wasStored) await errorOf(appended, 'a huge record');
      const { records } = await stage.other.load(stage.id);
      if (wasStored) assert(textsOf(records)[0] === `1 ${text}`, 'the text must be read as it was written');
      else assertEqual(records, [], 'the records');
      await stage.write(lease, wasStored ? 2 : 1, 'b');
    },
  },
  {
    fact: 'not-json',
    description: 'a record that is not JSON is refused and leaves the log as it was',
    async prove(stage) {
      const lease = await stage.claim();
      const circle: { type: string; self?: unknown } = { type: 'progress' };
      circle.self = circle;
      for (const operation of [circle, { type: 'progress', value: 1n }]) {
        const record = { ...recordOf(lease, 1, 'x'), operations: [operation as unknown as Operation] };
        await errorOf(stage.append(lease, record), 'a record that is not JSON');
      }
      await stage.write(lease, 1, 'a');
      assertEqual(textsOf((await stage.other.load(stage.id)).records), ['1 a'], 'the records');
    },
  },
];
