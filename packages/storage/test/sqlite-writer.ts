import { sqliteLog } from '@banister/storage/sqlite';

/**
 * A process that writes records to a SQLite file. It prints its epoch, the revision of each record, and the
 * reason why it ended.
 */
export async function main([file = '', owner = '', ttlMs = '']: readonly string[]): Promise<number> {
  const log = sqliteLog(file);
  const lease = await log.claim('chat', owner, Number(ttlMs));
  console.log(`epoch ${lease.epoch}`);
  try {
    for (let revision = lease.revision + 1; ; revision++) {
      const record = { version: 1, revision, epoch: lease.epoch, operations: [] };
      await log.append(lease, record, { barrier: true });
      console.log(`stored ${revision}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    console.log((error as { details: { reason: string } }).details.reason);
    return 0;
  }
}
