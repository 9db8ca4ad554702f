import type { AgentSession } from '@banister/session';
import { savedState } from '@banister/session/log';
import { memoryLog } from '@banister/storage';

/**
 * Returns a chat as lines of JSON, with everything that this page has of it, even if it could not be saved.
 */
export async function exportChat({ state }: AgentSession, id: string, title: string): Promise<Blob> {
  const { exportLog } = await import('@banister/storage/jsonl');
  const log = memoryLog();
  const lease = await log.claim(id, 'export', 1_000);
  const { epoch } = lease;
  // A snapshot needs a record.
  await log.append(lease, { version: 1, revision: 1, epoch, operations: [] }, { barrier: true });
  await log.snapshot(lease, 1, savedState(state));
  await log.describe(id, { title });
  const lines: string[] = [];
  for await (const line of exportLog(log, id)) lines.push(line);
  return new Blob(lines, { type: 'application/jsonl' });
}

/** Offers a file for download. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
