import type { SessionLog } from '@banister/session';
import { rowOf } from '../log-row.js';

/** The version of the lines that this release writes. */
export const LINES_VERSION = 1;

/** The first line of an export. */
export interface ExportedHead {
  readonly version: number;
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  /** The number of lines after the first line. A truncated file has fewer. */
  readonly lines: number;
}

/**
 * Returns the log of a session as lines of JSON: a first line about the session, the snapshot, and each record after the snapshot. Each
 * line ends with a line feed. A damaged log is exported up to the damage.
 *
 * @throws AgentSessionError the error of the log, before the first line
 * @example
 * const lines = await Array.fromAsync(exportLog(log, 'chat-42'));
 * save(new Blob(lines, { type: 'application/jsonl' }));
 */
export async function* exportLog(log: SessionLog, id: string): AsyncGenerator<string, void, void> {
  const { snapshot, records } = await log.load(id);
  const { title = '', note } = (await log.list({ prefix: id })).find((session) => session.id === id) ?? {};
  const lines = records.length + (snapshot === null ? 0 : 1);
  yield lineOf('log', { version: LINES_VERSION, id, title, ...(note === undefined ? {} : { note }), lines });
  if (snapshot !== null) yield lineOf('snapshot', snapshot);
  for (const record of records) yield lineOf('record', record);
}

/** The JSON of the value is in the line unchanged, so that a reader can verify its checksum. */
function lineOf(name: 'log' | 'snapshot' | 'record', value: unknown): string {
  const { text, sum } = rowOf(0, value, name);
  return `{"${name}":${text},"sum":${sum}}\n`;
}
