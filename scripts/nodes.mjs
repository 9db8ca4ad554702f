// @ts-check
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNpm } from './run-process.mjs';

/** The releases of Node that the packages are tested on. */
export const nodeMajors = Object.freeze([20, 22, 24]);

/**
 * The program of a release of Node: the program that runs this script, or a program of the package `node`, installed in `.cache/nodes`.
 *
 * @param {number} major
 * @returns {Promise<string>}
 */
export async function nodeProgram(major) {
  if (Number(process.versions.node.split('.')[0]) === major) return process.execPath;
  const folder = path.join(root, '.cache', 'nodes', String(major));
  const bin = path.join(folder, 'node_modules', 'node', 'bin');
  const program = path.join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  // Its install step fetches the program of this platform, as a package too.
  const code = await runNpm(['install', ...quietly, '--ignore-scripts=false', `node@${major}`], {
    cwd: folder,
  });
  if (code !== 0 || !existsSync(program)) throw new Error(`npm could not install Node ${major}.`);
  return program;
}
