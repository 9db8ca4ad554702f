// @ts-check
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scope } from '../scripts/product.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsdown = path.join(
  path.dirname(createRequire(import.meta.url).resolve('tsdown/package.json')),
  'dist/run.mjs',
);

/**
 * Builds packages as they are published, into their own `node_modules`, in which they find each other: measuring must not
 * change the packages' `dist`, nor depend on whether they are built.
 *
 * @param {readonly string[]} names
 */
export async function buildPackages(names) {
  for (const name of names) {
    const target = path.join(root, '.cache/bench/node_modules', scope, name);
    mkdirSync(target, { recursive: true });
    copyFileSync(path.join(root, 'packages', name, 'package.json'), path.join(target, 'package.json'));
    await build(name, path.join(target, 'dist'));
  }
}

/**
 * @param {string} name
 * @param {string} target
 */
async function build(name, target) {
  const args = [tsdown, '--filter', name, '--no-dts', '--log-level', 'error', '--out-dir', target];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`@banister/${name} could not be built:\n${output}`);
}
