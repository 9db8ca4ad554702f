import { isAgentSessionError, type AgentSessionError } from '@banister/session';
import { messageOf } from '@banister/provider';
import { storageError } from '../log-errors.js';
import type { Kept } from '../kept.js';

/** Result codes of SQLite: `code` of libsql and better-sqlite3, `errcode` of `node:sqlite`. */
const codes = {
  SQLITE_BUSY: 5,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_NOTADB: 26,
};

/** Returns the error for a failed database call. An error of the log itself is returned unchanged. */
export function sqliteError(path: string, kept: Kept, error: unknown): AgentSessionError {
  if (isAgentSessionError(error)) return error;
  const details = { database: path };
  if (hasCode(error, 'SQLITE_FULL'))
    return storageError(
      `The disk has no room for more ${kept}.`,
      { ...details, reason: 'quota' },
      'after-action',
      error,
    );
  if (hasCode(error, 'SQLITE_BUSY'))
    return storageError(
      `Another process writes to the ${kept} for long. Try again.`,
      { ...details, reason: 'busy' },
      'now',
      error,
    );
  if (hasCode(error, 'SQLITE_CORRUPT') || hasCode(error, 'SQLITE_NOTADB'))
    return storageError(
      `The file of the ${kept} is damaged, or it is not a database.`,
      { ...details, reason: 'damaged' },
      'never',
      error,
    );
  return storageError(
    `The ${kept} could not be stored or read: ${messageOf(error)}`,
    { ...details, reason: 'failed' },
    'now',
    error,
  );
}

/** Returns the error for a database that a newer release has made. */
export function newerDatabase(path: string, kept: Kept, version: number): AgentSessionError {
  return storageError(
    `A newer release of this app keeps the ${kept} in this file.`,
    { reason: 'newer', database: path, version },
    'after-action',
  );
}

function hasCode(error: unknown, name: keyof typeof codes): boolean {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // The low byte is the result code; the higher bytes add detail.
  return String(code).startsWith(name) || (typeof errcode === 'number' && (errcode & 0xff) === codes[name]);
}
