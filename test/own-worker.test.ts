import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inOwnWorker } from './kit/own-worker.js';

/** A folder with these test files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'banister-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

test('test files that replace modules or the database, or timers or globals for good, have a worker of their own', () => {
  const calls = ['mock', 'doMock', 'resetModules', 'hoisted', 'useFakeTimers', 'stubGlobal'];
  const files = calls.map((call) => [`a/${call}.test.ts`, `beforeEach(() => vi.${call}());`] as const);
  const database = ['a/b/database.test.ts', `import 'fake-indexeddb/auto';`] as const;
  const folder = folderOf(Object.fromEntries([...files, database]));
  expect(inOwnWorker([folder])).toEqual([...files, database].map(([name]) => path.join(folder, name)).sort());
});

test('other files share a worker: those that only watch, or that bring back what they replace, those of a browser, and code that is no test', () => {
  const folder = folderOf({
    'watches.test.ts': 'const seen = vi.fn(); vi.spyOn(console, "error"); await vi.waitUntil(() => true);',
    'globals.test.ts': 'vi.stubGlobal(); afterEach(() => vi.unstubAllGlobals());',
    'timers.test.ts': 'vi.useFakeTimers(); afterEach(() => vi.useRealTimers());',
    'page.browser.test.ts': 'vi.useFakeTimers();',
    'kit.ts': 'vi.useFakeTimers();',
    'node_modules/other/other.test.ts': 'vi.useFakeTimers();',
  });
  expect(inOwnWorker([folder])).toEqual([]);
});
