// @ts-check
// Runs tests on each release of Node that the packages support: `npm run test:nodes`. With `--smoke` only the tests that depend on the
// release, and not on the release that runs this script, because that release runs all tests anyway.
import path from 'node:path';
import { ensureInstall } from './ensure-install.mjs';
import { nodeMajors, nodeProgram } from './nodes.mjs';
import { root, runProcess } from './run-process.mjs';

/** Logs on `node:sqlite`, and on IndexedDB beside the Web Locks of Node. */
const smoke = ['packages/storage/test/sqlite-log.test.ts', 'packages/storage/test/sqlite-driver.test.ts'];

/** The pipeline, the logs, the providers over sockets, and the gateway on its mounts. */
const usual = [
  ...smoke,
  ...[
    'cancel',
    'confirmation',
    'conversation',
    'interrupted',
    'journal',
    'open-log',
    'resumed-turn',
    'retries',
  ].map((name) => `packages/session/test/${name}.test.ts`),
  ...['indexed-db-log', 'memory-log', 'reloaded-session', 'sqlite-processes', 'jsonl'].map(
    (name) => `packages/storage/test/${name}.test.ts`,
  ),
  ...['openai-7', 'conformance', 'responses-conformance', 'session-over-socket', 'wire'].map(
    (name) => `packages/openai/test/${name}.test.ts`,
  ),
  ...['conformance', 'session-over-socket', 'wire'].map((name) => `packages/anthropic/test/${name}.test.ts`),
  ...['mounts', 'streaming'].map((name) => `packages/gateway/test/${name}.test.ts`),
  'packages/relay/test/relay.test.ts',
];

const isSmoke = process.argv.includes('--smoke');

try {
  await ensureInstall();
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  let code = 0;
  if (!isSmoke) code ||= await runProcess(process.execPath, ['scripts/test-packed.mjs', '--imports']);
  for (const major of nodeMajors) {
    const program = await nodeProgram(major);
    if (isSmoke && program === process.execPath) continue;
    console.log(`\n── Node ${major} ──`);
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const args = [
      'run',
      '--project',
      'unit',
      '--project',
      'alone',
      '--reporter=default',
      ...(isSmoke ? smoke : usual),
    ];
    code = (await runProcess(program, [vitest, ...args], { env: { BANISTER_TIER: 'quick' } })) || code;
  }
  return code;
}
