import { afterEach, expect, test, vi } from 'vitest';
import { sqliteLog } from '@banister/storage/sqlite';
import { inFolder } from './temporary-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Opens a log while Node's own SQLite is replaced by `Driver`, which warns as Node 22 does. */
async function openWith(Driver: unknown): Promise<{ readonly warnings: unknown[]; readonly error: unknown }> {
  const warnings: unknown[] = [];
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation((text) => void warnings.push(text));
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((id: string) => {
    expect(id).toBe('node:sqlite');
    process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
    process.emitWarning('something else', 'DeprecationWarning');
    return Driver === undefined ? undefined : { DatabaseSync: Driver };
  });
  const log = sqliteLog(inFolder('driver.db'));
  const error: unknown = await log.list().then(
    () => null,
    (reason: unknown) => reason,
  );
  log.close();
  expect(process.emitWarning).toBe(emitWarning);
  return { warnings, error };
}

test("Node's SQLite is used if it exists, without its console warning; otherwise `libsql` is used", async () => {
  const opened: string[] = [];
  class Driver {
    constructor(file: string) {
      opened.push(file);
      throw new Error('opened');
    }
  }
  const { warnings, error } = await openWith(Driver);
  expect(opened).toEqual([inFolder('driver.db')]);
  expect(error).toMatchObject({ code: 'storage', details: { reason: 'failed' } });
  expect(warnings).toEqual(['something else']);
});

test('`libsql` is used if Node has no SQLite', async () => {
  const { error } = await openWith(undefined);
  expect(error).toBeNull();
});
