import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { docPages, root, writeDocExamples } from './kit/doc-examples.js';

// The examples in Vue and in Svelte, checked with types, which docs-types.test.ts does for those in TypeScript.

const examples = writeDocExamples('docs-views', docPages);
const folder = path.join(root, '.cache/docs-views');

/** Runs a type checker on one kind of example, and returns its output if it reports errors. */
function problemsOf(language: 'vue' | 'svelte', checker: string, ...args: readonly string[]): string {
  const own = examples.filter((one) => one.language === language);
  expect(own.length).toBeGreaterThan(8);
  // Two of them import the session of the page, which its first example makes.
  copyFileSync(path.join(folder, `docs-${language}-md-1.ts`), path.join(folder, 'session.ts'));
  const config = path.join(folder, `${language}.json`);
  const include = own.map(({ file }) => file);
  writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', include, exclude: [] }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules', checker), ...args, config],
    { cwd: root, encoding: 'utf8' },
  );
  return status === 0 ? '' : `${stdout}${stderr}`;
}

// Each checker takes as long as all other examples together.
describe.runIf(inject('tier') === 'full')('T5: the examples of the documentation have their types', () => {
  test('in Vue', { timeout: 600_000 }, () => {
    expect(problemsOf('vue', 'vue-tsc/bin/vue-tsc.js', '--noEmit', '-p')).toBe('');
  });

  test('in Svelte', { timeout: 600_000 }, () => {
    const workspace = ['--workspace', folder, '--threshold', 'warning', '--output', 'human'];
    expect(problemsOf('svelte', 'svelte-check/bin/svelte-check', ...workspace, '--tsconfig')).toBe('');
  });
});
