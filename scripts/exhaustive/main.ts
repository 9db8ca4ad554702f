import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { allLives, killEverywhere } from '../../packages/storage/test/crash/kill-everywhere.js';
import { apiNames, isApiName, type ApiName } from '../replay/apis.js';
import { root } from '../run-process.mjs';
import { recordingsRemark } from '../recordings-folder.mjs';
import { checkDepartures } from './departures.js';
import { checkShare, type Figures, type Share } from './share.js';
import { add, count, createTally, type Tally } from './tally.js';

/** The number of answers through a gateway whose clients leave at random moments. */
const DEPARTURES = 20_000;

/**
 * Cuts, corrupts and replays every recording, spread over the processors; lets clients leave a gateway; then kills pages and browsers after
 * every record of their log. Prints what was checked for each API, the first failures, and how many cases passed and failed. Resolves with
 * the exit code.
 */
export async function main(args: readonly string[]): Promise<number> {
  const { api, pages, departures, share } = parse(args);
  if (share !== undefined) {
    const [part = 0, of = 1] = share.split('/').map(Number);
    const figures = await checkShare({ part, of, api });
    await new Promise((resolve) => process.send!(figures, resolve));
    return 0;
  }
  console.log(recordingsRemark);
  const started = performance.now();
  const total = createTally();
  const print = (name: string, tally: Tally) => {
    add(total, tally);
    console.log(`${name.padEnd(36)} ${tally.passed} passed, ${tally.failed} failed`);
    for (const failure of tally.failures) console.log(`  ${failure}`);
  };
  if (!pages && !departures)
    for (const [name, tally] of await inProcesses(availableParallelism(), api)) print(name, tally);
  if (api === null && !pages) {
    const tally = createTally();
    const { closings, heap, sockets } = await checkDepartures(DEPARTURES, 1, tally);
    print(`gateway: ${DEPARTURES} answers`, tally);
    const after = [0.5, 0.99, 1].map((share) =>
      Math.round(closings[Math.ceil(share * closings.length) - 1] ?? 0),
    );
    console.log(
      `  ${closings.length} models closed, p50 ${after[0]} ms, p99 ${after[1]} ms, at most ${after[2]} ms`,
    );
    console.log(
      `  heap: ${heap.halfway.toFixed(1)} MB after half of them, ${heap.end.toFixed(1)} MB after all; sockets open: ${sockets}`,
    );
  }
  // After the processes have ended, because browsers use all processors.
  if (api === null && !departures) print('pages: killed behind every record', await killedPages());
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n${seconds} s\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function killedPages(): Promise<Tally> {
  const tally = createTally();
  const lives = allLives();
  await killEverywhere(lives, (life, problems) => {
    count(tally, life, problems);
    console.log(`pages: ${tally.passed + tally.failed} of ${lives.length} lives, ${tally.failed} failed`);
  });
  return tally;
}

interface Arguments {
  readonly api: ApiName | null;
  readonly pages: boolean;
  readonly departures: boolean;
  readonly share?: string;
}

/**
 * `--api` checks only this API, `--departures` checks only clients that leave a gateway, `--pages` only pages that are killed;
 * `--share 1/2` names the part of the cases that a process checks.
 */
function parse(args: readonly string[]): Arguments {
  const options = {
    api: { type: 'string' },
    pages: { type: 'boolean' },
    departures: { type: 'boolean' },
    share: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { api = null, pages = false, departures = false, share } = values;
  if (api !== null && !isApiName(api))
    throw new Error(`--api is one of ${apiNames.join(', ')}; got "${api}".`);
  return { api, pages, departures, ...(share === undefined ? {} : { share }) };
}

async function inProcesses(of: number, only: ApiName | null): Promise<ReadonlyMap<string, Tally>> {
  const shares = await Promise.all(
    Array.from({ length: of }, (_, part) => inProcess({ part, of, api: only })),
  );
  const sums = new Map<string, Tally>();
  // In the order of the APIs and of the checks, which is the same in every share.
  for (const api of apiNames) {
    for (const figures of shares) {
      for (const [name, tally] of figures) {
        if (!name.startsWith(api)) continue;
        const sum = sums.get(name) ?? createTally();
        sums.set(name, sum);
        add(sum, tally);
      }
    }
  }
  return sums;
}

function inProcess({ part, of, api }: Share): Promise<Figures> {
  const child = fork(path.join(root, 'scripts/exhaustive.mjs'), [
    '--share',
    `${part}/${of}`,
    ...(api === null ? [] : ['--api', api]),
  ]);
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as Figures));
    child.once('exit', (code) => reject(new Error(`share ${part} of ${of} ended with exit code ${code}`)));
  });
}
