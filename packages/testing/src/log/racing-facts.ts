import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { LONG, recordOf, refused, snapshotOf, textOfSnapshot, textsOf, type LogStage } from './log-stage.js';

/** The maximal number of records that the old writer writes while another claim is made. */
const MOST = 200;

/** Facts about simultaneous calls. */
export const racingFacts: readonly ProvenLogFact[] = [
  {
    fact: 'claim-race',
    description: 'of two owners who claim at the same time, one gets the lease, and the other is held',
    async prove(stage) {
      for (let round = 1; round <= 10; round++) {
        const both = [
          stage.log.claim(stage.id, 'first', LONG),
          stage.other.claim(stage.id, 'second', LONG),
        ] as const;
        const given = (await Promise.allSettled(both)).findIndex(({ status }) => status === 'fulfilled');
        assert(given >= 0, 'one claim must be given');
        const error = await refused(both[1 - given]!, 'held', 'the other claim');
        assertEqual(error.details['owner'], ['first', 'second'][given], 'details.owner');
        await (given === 0 ? stage.log : stage.other).release(await both[given]!);
      }
    },
  },
  {
    fact: 'steal-race',
    description:
      'of two owners who steal the same lease at the same time, one gets it, and the other is held',
    async prove(stage) {
      let lease = await stage.claim();
      for (let round = 1; round <= 10; round++) {
        const steal = { steal: lease.epoch };
        const both = [
          stage.log.claim(stage.id, `second ${round}`, LONG, steal),
          stage.other.claim(stage.id, `third ${round}`, LONG, steal),
        ] as const;
        const given = (await Promise.allSettled(both)).findIndex(({ status }) => status === 'fulfilled');
        assert(given >= 0, 'one claim must be given');
        await refused(both[1 - given]!, 'held', 'the other claim');
        lease = await both[given]!;
      }
    },
  },
  {
    fact: 'claim-during-appends',
    description: 'no append of an older lease is stored once a claim has read the revision',
    async prove(stage) {
      let lease = await stage.claim();
      for (let round = 0; round < 5; round++) {
        const old = lease;
        let last = old.revision;
        const writing = (async () => {
          for (let count = 0; count < MOST; count++) {
            await stage.append(old, recordOf(old, last + 1, 'x'));
            last++;
            await turnOfOthers();
          }
        })();
        const ended = refused(writing, 'fenced', 'an append of the old lease');
        // Each round claims at a different moment of an append.
        for (let turn = 0; turn < 5 + round; turn++) await turnOfOthers();
        // A new claim of the same owner does not wait for the lease to expire.
        lease = await stage.claim();
        await ended;
        assertEqual(last, lease.revision, 'the last revision that the old lease has stored');
        assertEqual((await stage.other.load(stage.id)).revision, last, 'the revision of the log');
      }
    },
  },
  {
    fact: 'snapshot-during-appends',
    description:
      'snapshots between appends lose no record: a reader has the state at a revision, and what follows',
    async prove(stage) {
      const count = 120;
      const lease = await stage.claim();
      const end = new AbortController();
      const reading = readUntil(stage, end.signal);
      reading.catch(() => {});
      const snapshots: Promise<void>[] = [];
      for (let revision = 1; revision <= count; revision++) {
        await stage.append(lease, recordOf(lease, revision, 'x'));
        if (revision % 7 === 0)
          snapshots.push(stage.log.snapshot(lease, revision, snapshotOf('x'.repeat(revision))));
        await turnOfOthers();
      }
      await Promise.all(snapshots);
      end.abort();
      assertEqual(await reading, count, 'the revision that the reader has in the end');
    },
  },
  {
    fact: 'remove-during-tail',
    description:
      'a tail whose session is removed, and written anew further than before, reads nothing of the new one',
    async prove(stage) {
      const lease = await stage.claim();
      await stage.write(lease, 1, 'a', 'b');
      const reader = stage.tail(0);
      await reader.take(2);
      await stage.log.remove(stage.id);
      const next = await stage.claim();
      await stage.write(next, 1, 'A', 'B', 'C', 'D');
      await refused(reader.next(), 'removed', 'the tail of a removed session');
      assertEqual(textsOf(await stage.tail(0).take(4)), ['1 A', '2 B', '3 C', '4 D'], 'a new tail');
    },
  },
];

/** Loads the log repeatedly until the signal aborts, then once more. Resolves with the last revision. */
async function readUntil(stage: LogStage, signal: AbortSignal): Promise<number> {
  for (;;) {
    const isLast = signal.aborted;
    const { snapshot, revision, records } = await stage.other.load(stage.id);
    const base = String(textOfSnapshot(snapshot) ?? '').length;
    const revisions = records.map((record) => record.revision);
    const expected = Array.from({ length: revision - base }, (_, index) => base + index + 1);
    assertEqual(revisions, expected, `the revisions behind the snapshot at ${base}`);
    if (isLast) return revision;
    await turnOfOthers();
  }
}

/** Lets all other work that is due run first. */
function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
