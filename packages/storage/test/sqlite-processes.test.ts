// Several processes use one SQLite file. One process is killed, or stopped and continued.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SessionLog } from '@banister/session';
import type { Lease } from '@banister/session/log';
import { sqliteLog } from '@banister/storage/sqlite';
import { afterAll, expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'banister-'));
afterAll(() => rmSync(folder, { recursive: true }));
const patience = { timeout: 60_000 };

/** Starts a process that writes until it is killed or refused. */
function startWriter(file: string, owner: string, ttlMs: number) {
  const code =
    "import('./scripts/run-source.mjs').then(({ runSource }) => " +
    "runSource('packages/storage/test/sqlite-writer.ts', process.argv.slice(1)))";
  const child = spawn(process.execPath, ['-e', code, file, owner, String(ttlMs)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const revisions = () => lines.flatMap((line) => /^stored (\d+)$/.exec(line)?.slice(1).map(Number) ?? []);
  return { child, lines, revisions, ended };
}

test('F1 a killed process has stored every acknowledged record', async () => {
  const file = path.join(folder, 'killed.db');
  const log = sqliteLog(file);
  for (const [index, count] of [25, 60, 110].entries()) {
    const writer = startWriter(file, 'the same', 60_000);
    await vi.waitUntil(() => writer.revisions().length >= count, { ...patience, interval: 1 });
    writer.child.kill('SIGKILL');
    await writer.ended;
    const { revision, records, damage } = await log.load('chat');
    expect(damage).toBeUndefined();
    expect(revision).toBeGreaterThanOrEqual(writer.revisions().at(-1)!);
    expect(records.map((record) => record.revision)).toEqual(records.map((_, at) => at + 1));
    expect(records.at(-1)?.epoch).toBe(index + 1);
  }
  log.close();
});

/**
 * Stops the writer and claims the lease. A process that is stopped inside a transaction locks the file until
 * it is continued.
 */
async function takeOver(child: ChildProcess, log: SessionLog): Promise<Lease> {
  for (;;) {
    child.kill('SIGSTOP');
    try {
      return await log.claim('chat', 'next', 60_000);
    } catch {
      child.kill('SIGCONT');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test('F2 a writer that was stopped while another writer took over writes nothing more', async () => {
  const file = path.join(folder, 'stopped.db');
  const writer = startWriter(file, 'stopped', 200);
  await vi.waitUntil(() => writer.revisions().length >= 20, patience);
  const log = sqliteLog(file);
  const lease = await takeOver(writer.child, log);
  const record = { version: 1, revision: lease.revision + 1, epoch: lease.epoch, operations: [] };
  await log.append(lease, record, { barrier: true });
  writer.child.kill('SIGCONT');
  await writer.ended;
  expect(writer.lines.at(-1)).toBe('fenced');
  const { records } = await log.load('chat');
  expect(records.map(({ epoch }) => epoch).lastIndexOf(1)).toBe(lease.revision - 1);
  expect(records).toHaveLength(lease.revision + 1);
  log.close();
});
