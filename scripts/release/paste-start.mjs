// @ts-check
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scope } from '../product.mjs';
import { root, runNpm, runProcess } from '../run-process.mjs';

/**
 * Follows the section Start of the README in an empty folder, with packed packages: installs, saves the first example, runs it.
 *
 * @param {readonly string[]} tarballs
 * @returns {Promise<number>} the seconds that it took
 * @throws if the example prints something else than its comments say
 */
export async function pasteStart(tarballs) {
  const page = readFileSync(path.join(root, 'README.md'), 'utf8').split('\n## Start\n')[1] ?? '';
  const [, line = ''] = /^npm install (.*)$/m.exec(page) ?? [];
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const expected = Array.from(code.matchAll(/^console\.log\(.*\/\/ (.*)$/gm), ([, words]) => words).join(
    '\n',
  );
  const names = line.split(' ');
  // What they need of ours, which npm would fetch.
  const needed = ['provider', 'schema', 'storage'].map((name) => `${scope}/${name}`);
  const ours = [...names, ...needed]
    .filter((name) => name.startsWith(scope))
    .map(
      (name) =>
        tarballs.find((file) => path.basename(file).includes(name.slice(1).replace('/', '-'))) ?? name,
    );
  const others = names.filter((name) => !name.startsWith(scope));
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'start-')));
  try {
    const began = Date.now();
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    if ((await runNpm(['install', ...quietly, ...ours, ...others], { cwd: folder })) !== 0)
      throw new Error('npm install failed');
    writeFileSync(path.join(folder, 'first.mjs'), code);
    /** @type {string[]} */
    const printed = [];
    const print = (/** @type {string} */ text) => void printed.push(text);
    const exit = await runProcess(process.execPath, ['first.mjs'], { cwd: folder, print });
    if (exit !== 0 || expected === '' || printed.join('').trim() !== expected)
      throw new Error(`exit code ${exit}, printed ${printed.join('')} instead of ${expected}`);
    return (Date.now() - began) / 1000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
