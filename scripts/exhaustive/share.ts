import { apiNames, type ApiName } from '../replay/apis.js';
import type { Chunking } from '../replay/chunking.js';
import { replayEntry } from '../replay/replay-index.js';
import { checkCorruptions } from './corruptions.js';
import { indexFile } from '../recordings-folder.mjs';
import { readRecordings, type Recording } from './recording.js';
import { count, createTally, type Tally } from './tally.js';
import { checkCuts, cutsOf } from './truncations.js';

/** A part of all cases: every `of`-th case, starting with `part`. */
export interface Share {
  readonly part: number;
  readonly of: number;
  /** The only API to check; null for all. */
  readonly api: ApiName | null;
}

/** The tallies of each API, in a form that can be sent between processes. */
export type Figures = readonly (readonly [string, Tally])[];

/** The total number of corrupted answers. */
const CORRUPTIONS = 50_000;

/** Every answer in single bytes, in pieces of seven bytes, and in pieces of random sizes. */
const chunkings: readonly Chunking[] = [
  { kind: 'fixed', size: 1 },
  { kind: 'fixed', size: 7 },
  ...Array.from({ length: 20 }, (_, seed): Chunking => ({ kind: 'random', seed })),
];

/** Checks a share of the cases of every API. */
export async function checkShare({ part, of, api: only }: Share): Promise<Figures> {
  const mine = <T>(cases: readonly T[]): readonly T[] => cases.filter((_, index) => index % of === part);
  const recordings = readRecordings();
  const figures: (readonly [string, Tally])[] = [];
  const check = async (name: string, run: (tally: Tally) => Promise<void>): Promise<void> => {
    const tally = createTally();
    figures.push([name, tally]);
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    await run(tally);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', onUnhandled);
    for (const reason of unhandled) count(tally, 'unhandled rejection', [String(reason)]);
  };

  const seeds = Array.from({ length: CORRUPTIONS }, (_, index) => index + 1);
  for (const [position, api] of apiNames.entries()) {
    if (only !== null && api !== only) continue;
    const ofApi = recordings.filter((recording) => recording.api === api);
    await check(`${api}: replayed in pieces`, (tally) => replayAll(mine(ofApi), tally));
    await check(`${api}: cut`, async (tally) => {
      for (const recording of ofApi) await checkCuts(recording, mine(cutsOf(recording)), tally);
    });
    await check(`${api}: corrupted`, (tally) =>
      checkCorruptions(ofApi, mine(seeds.filter((seed) => seed % apiNames.length === position)), tally),
    );
  }
  return figures;
}

async function replayAll(recordings: readonly Recording[], tally: Tally): Promise<void> {
  for (const { name, entry } of recordings) {
    for (const chunking of chunkings) {
      const differences = await replayEntry(entry, indexFile, chunking, 'memory');
      count(tally, `${name}, ${JSON.stringify(chunking)}`, differences);
    }
  }
}
