import { packages } from '../packages.mjs';
import { countLines } from './count-lines.js';
import { measureDeltaWay } from './delta-way.js';
import { functionsOf } from './function-lengths.js';
import { circlesOf } from './import-circles.js';
import { mutableFieldsOf } from './mutable-fields.js';
import { sourcesOf } from './read-imports.js';
import { stagesOf } from './turn-members.js';

/** Prints the measures of the sources of all packages. Resolves with the exit code. */
export async function main(): Promise<number> {
  const files = packages.flatMap((name) => sourcesOf(`packages/${name}/src`));
  printFunctions(files);
  printCircles();
  printStages();
  printFields();
  const { files: onTheWay, functions, types } = await measureDeltaWay();
  console.log(
    `A delta's way: ${onTheWay.length} files, ${functions.length} functions, ${types.length} types`,
  );
  for (const file of onTheWay) console.log(`  ${file}`);
  console.log(`  types: ${types.join(', ')}`);
  const { code, comment } = countLines(files);
  const share = Math.round((comment / (code + comment)) * 100);
  console.log(`Lines: ${code} of code in ${files.length} files, ${comment} of comments (${share} %)`);
  return 0;
}

function printFunctions(files: readonly string[]): void {
  const functions = [...files.flatMap(functionsOf)].sort((one, other) => one.lines - other.lines);
  const at = (share: number) => functions[Math.floor((functions.length - 1) * share)]?.lines ?? 0;
  const longest = functions.at(-1);
  console.log(
    `Functions: ${functions.length}; lines at p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, longest ${longest?.lines}`,
  );
  for (const { file, line, name, lines } of functions.slice(-3).reverse()) {
    console.log(`  ${lines} ${name} (${file}:${line})`);
  }
}

function printCircles(): void {
  const folders = [...packages.map((name) => `packages/${name}/src`), 'apps/chat/src'];
  const circles = folders.flatMap((folder) => circlesOf(sourcesOf(folder)));
  console.log(`Import circles, types and dynamic imports included: ${circles.length}`);
  for (const circle of circles) console.log(`  ${circle.join(' ⇄ ')}`);
}

/** Prints how many mutable fields the session has in addition to state and turn, and the rooms that have most of them. */
function printFields(): void {
  const folder = 'packages/session/src/';
  const rooms = new Map<string, number>();
  for (const file of sourcesOf(folder.slice(0, -1))) {
    const [room = ''] = file.slice(folder.length).split('/');
    rooms.set(room, (rooms.get(room) ?? 0) + mutableFieldsOf(file).length);
  }
  const counted = [...rooms]
    .filter(([room]) => room !== 'state' && room !== 'turn')
    .sort(([, one], [, other]) => other - one);
  const all = counted.reduce((sum, [, count]) => sum + count, 0);
  console.log(`Mutable fields outside of state and turn: ${all}, most in one room: ${counted[0]?.[1] ?? 0}`);
  for (const [room, count] of counted.slice(0, 3)) console.log(`  ${count} ${room}`);
}

function printStages(): void {
  const stages = sourcesOf('packages/session/src/turn').flatMap(stagesOf);
  const sorted = [...stages].sort((one, other) => other.members.length - one.members.length);
  const median = sorted[Math.floor(sorted.length / 2)]?.members.length ?? 0;
  console.log(
    `Members that a stage takes of its turn: median ${median}, most ${sorted[0]?.members.length ?? 0}, of ${stages.length} functions`,
  );
  for (const { file, name, members } of sorted.slice(0, 3)) {
    console.log(`  ${members.length} ${name} (${file}): ${members.join(', ')}`);
  }
}
