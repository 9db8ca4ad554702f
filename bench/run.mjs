// npm run bench [-- session | load | http | views | storage | stores | gateway] [--only W1,W5] [--quick] [--rounds 5] [--json | --from FILE]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPackages } from './build-packages.mjs';
import { buildRunes } from './build-runes.mjs';
import { buildStorage } from './build-storage.mjs';
import { buildViews } from './build-views.mjs';
import { cells } from './cells.mjs';
import { formatRows } from './format-rows.mjs';
import { toRows } from './to-rows.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    from: { type: 'string', multiple: true },
  },
});
// Prints rows of earlier runs as one table, without measuring.
if (options.from !== undefined) {
  console.log(formatRows(options.from.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')))));
  process.exit(0);
}
// The group `gateway` has no cells, because it needs servers in their own processes.
if (positionals.includes('gateway')) {
  await buildPackages(['provider', 'schema', 'session', 'wire', 'openai', 'relay', 'gateway']);
  const { benchGateway } = await import('./gateway/run.mjs');
  await benchGateway();
  process.exit(0);
}
const only = options.only?.split(',').map((name) => name.trim().toLowerCase());
const groups = positionals.length === 0 ? ['session'] : positionals;
const chosen = cells
  .filter(({ group = 'session' }) => groups.includes(group))
  .filter(({ workload }) => only === undefined || only.includes(workload.toLowerCase()))
  .filter(({ quick }) => !options.quick || quick);
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
if (chosen.length === 0 || !(rounds >= 1)) {
  console.error(
    `Nothing to measure. ${groupNames()
      .map((name) => `${name}: ${workloadsOf(name).join(', ')}`)
      .join('; ')}.`,
  );
  process.exit(1);
}

const providers = groups.includes('http') ? ['wire', 'openai', 'anthropic'] : [];
const stores = groups.includes('stores') ? ['stores'] : [];
const logs = groups.includes('load') ? ['storage', 'crew'] : [];
if (groups.some((group) => group !== 'storage'))
  await buildPackages(['provider', 'schema', 'session', ...providers, ...stores, ...logs]);
if (groups.includes('stores')) buildRunes();
if (groups.includes('views')) await buildViews();
if (groups.includes('storage')) await buildStorage();
/** @type {Map<typeof cells[number], { floor: object[], banister: object[] }>} */
const samples = new Map(chosen.map((cell) => [cell, { floor: [], banister: [] }]));
// The sides alternate, and each round measures all cells, so that a disturbance of the machine affects both sides.
for (let round = 0; round < rounds; round++) {
  for (const cell of chosen) {
    progress(`round ${round + 1} of ${rounds}: ${cell.workload}, ${cell.size}, ${cell.scheduler}`);
    for (const side of /** @type {const} */ (['floor', 'banister'])) {
      samples.get(cell)[side].push(...(await measure(side, cell)));
    }
  }
}
progress('');

const rows = toRows(samples);
console.log(options.json ? JSON.stringify(rows.map(withoutBar), null, 2) : formatRows(rows));

/** Without `bar`, because `bars` has the same in words. */
function withoutBar({ bar: _bar, ...row }) {
  return row;
}

function groupNames() {
  return [...new Set(cells.map(({ group = 'session' }) => group))];
}

function workloadsOf(name) {
  const its = cells.filter(({ group = 'session' }) => group === name);
  return [...new Set(its.map(({ workload }) => workload))];
}

/** Measures in a new process, so that a workload does not profit from code that another workload has warmed up. */
function measure(side, cell) {
  const script = fileURLToPath(new URL('measure-cell.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, side, JSON.stringify(cell)], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(output.trim().split('\n').map(parseLine));
      else
        reject(new Error(`${cell.workload} ${cell.size}: the ${side} did not give the result that it must.`));
    });
  });
}

function parseLine(line) {
  return JSON.parse(line);
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
