import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { propertySeed } from '../../test/kit/property-seed.js';
import { sourcesOf } from '../house/read-imports.js';
import { root } from '../run-process.mjs';
import { draw } from './draw.js';
import { equivalents, isEquivalent, nameOf } from './equivalents.js';
import { mutantsOf, mutated, traced, type Mutant } from './mutants.js';
import { TestOrder } from './test-order.js';
import { createTester, type ChangedFile, type Tester, type Verdict } from './tester.js';

/** The folders that are mutated: those of packages/session/src, the fallback of providers, the validators, the stores, and the crew. */
const folders = [
  ...[
    'turn',
    'undo',
    'guards',
    'consent',
    'extension',
    'review',
    'words',
    'state',
    'limits',
    'tools',
    'context',
    'middleware',
    'compaction',
    'structured',
    'discovery',
    'queue',
    'export',
    'agents',
    'children',
  ].map((folder) => `packages/session/src/${folder}`),
  'packages/provider/src/fallback',
  'packages/schema/src',
  'packages/stores/src',
  'packages/crew/src',
];

/** The files that are mutated in other folders: the files of attachments. */
const files = ['read-files.ts', 'message-files.ts'].map((file) => `packages/session/src/session/${file}`);

/** Share of the mutants that the tests must notice. */
const REQUIRED = 0.85;

/** With a mutant, a test may take this many times as long as the slowest test without a mutant; `least` is in milliseconds. */
const PATIENCE = { factor: 5, least: 15_000 };

/** The patience for the sources without a mutant. */
const MUCH_PATIENCE = { testMs: 300_000, silenceMs: 600_000 };

/**
 * Draws mutants of these folders, runs their tests against each mutant, and prints the survivors. Resolves with 0 if enough
 * mutants were noticed, otherwise with 1.
 *
 * `--count` is the number of mutants (400), `--seed` the seed of the draw (default: the date), `--only` a part of `path:line:` (may be
 * repeated), `--tests` a part of the paths of the test files (may be repeated; default: all test files).
 */
export async function main(args: readonly string[]): Promise<number> {
  const { seed, count, only, tests } = parse(args);
  const sources = [...folders.flatMap(sourcesOf), ...files].map((file) => ({
    file,
    code: readFileSync(path.join(root, file), 'utf8'),
  }));
  const candidates = sources
    .flatMap(({ file, code }) => mutantsOf(file, code))
    .filter((mutant) => only.some((part) => placeOf(mutant).includes(part)) && !isEquivalent(mutant));
  const drawn = draw(candidates, count, seed);
  console.log(
    `Seed ${seed}: ${drawn.length} of ${candidates.length} mutants, ${equivalents.length} equivalents left out`,
  );

  const started = performance.now();
  const baseline = await testSources(seed, sources, tests);
  const survivors = await testAll(drawn, seed, sources, baseline);
  const share = (drawn.length - survivors.length) / drawn.length;
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(`\n${survivors.length} survive:`);
  for (const survivor of survivors) console.log(`  ${described(survivor)}`);
  console.log(`\nKilled by folder: ${sharesOf(drawn, survivors).join(', ')}`);
  console.log(`\nSeed ${seed}, ${minutes} minutes, ${(share * 100).toFixed(1)} % killed`);
  console.log(`${drawn.length - survivors.length} passed, ${survivors.length} failed`);
  return share >= REQUIRED ? 0 : 1;
}

function parse(args: readonly string[]) {
  const options = {
    seed: { type: 'string', default: process.env['MUTATION_SEED'] ?? '' },
    count: { type: 'string', default: '400' },
    only: { type: 'string', multiple: true, default: [''] as string[] },
    tests: { type: 'string', multiple: true, default: [''] as string[] },
  } satisfies ParseArgsConfig['options'];
  const { seed, count, only, tests } = parseArgs({ args: [...args], options }).values;
  return { seed: propertySeed(seed, new Date()), count: Number(count), only, tests };
}

/** Returns the verdict on the traced sources without a mutant. All tests must pass. */
async function testSources(
  seed: number,
  sources: readonly ChangedFile[],
  tests: readonly string[],
): Promise<Verdict> {
  const tester = createTester(seed, MUCH_PATIENCE);
  try {
    const files = sources.map(({ file, code }) => ({ file, code: traced(file, code) }));
    const verdict = await tester.test(files, tests);
    const { killer, seconds, slowestMs } = verdict;
    if (killer !== null) throw new Error(`Without a mutant, "${killer.title}" of ${killer.file} fails.`);
    console.log(
      `The tests take ${seconds.toFixed(1)} s without a mutant, the slowest one ${(slowestMs / 1000).toFixed(1)} s.`,
    );
    return verdict;
  } finally {
    tester.dispose();
  }
}

/** Tests all mutants, spread over the processors. Resolves with the survivors. */
async function testAll(
  mutants: readonly Mutant[],
  seed: number,
  sources: readonly ChangedFile[],
  baseline: Verdict,
): Promise<readonly Mutant[]> {
  const survivors: Mutant[] = [];
  const queue = [...mutants];
  const order = new TestOrder(baseline.ran);
  const work = async (tester: Tester): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const { file } = mutant;
      const source = sources.find((one) => one.file === file)!;
      const tests = order.testsOf(mutant);
      const verdict = await tester.test([{ file, code: mutated(source.code, mutant) }], tests);
      if (verdict.killer === null) survivors.push(mutant);
      else order.note(mutant, verdict.killer.file);
      console.log(lineOf(mutant, verdict));
    }
  };
  const testMs = Math.max(PATIENCE.least, baseline.slowestMs * PATIENCE.factor);
  // More, so that a test which only waits fails by itself: the process stays then.
  const patience = { testMs, silenceMs: testMs + 2 * baseline.silenceMs };
  const testers = Array.from({ length: availableParallelism() }, () => createTester(seed, patience));
  try {
    await Promise.all(testers.map(work));
  } finally {
    for (const tester of testers) tester.dispose();
  }
  return survivors;
}

/** The number of killed mutants for each folder and file, and in total. */
function sharesOf(drawn: readonly Mutant[], survivors: readonly Mutant[]): readonly string[] {
  return [...folders, ...files].flatMap((place) => {
    const isOwn = ({ file }: Mutant) => file === place || file.startsWith(`${place}/`);
    const own = drawn.filter(isOwn).length;
    const killed = own - survivors.filter(isOwn).length;
    return own === 0 ? [] : [`${nameOf(place)} ${killed} of ${own}`];
  });
}

function lineOf(mutant: Mutant, { killer, seconds }: Verdict): string {
  const result = killer === null ? 'SURVIVES' : 'killed  ';
  return `${result} ${seconds.toFixed(1).padStart(5)} s  ${described(mutant)}${killer === null ? '' : `  by ${killer.title}`}`;
}

/** The place of a mutant. It has a colon after the line, so that `--only` can name a whole line. */
function placeOf({ file, line }: Mutant): string {
  return `${nameOf(file)}:${line}:`;
}

function described(mutant: Mutant): string {
  const { inside, from, to } = mutant;
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 70);
  return `${placeOf(mutant)} ${inside}: ${short(from)} → ${short(to)}`;
}
