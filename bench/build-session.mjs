// @ts-check
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsdown = path.join(
  path.dirname(createRequire(import.meta.url).resolve('tsdown/package.json')),
  'dist/run.mjs',
);

/**
 * Builds `@handrail/session` as it is published, into a folder of its own: measuring must not disturb the packages'
 * `dist`, nor depend on whether somebody built them.
 */
export async function buildSession() {
  const target = path.join(root, '.cache/bench/session');
  const args = [tsdown, '--filter', 'session', '--no-dts', '--log-level', 'error', '--out-dir', target];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`The session could not be built:\n${output}`);
}
