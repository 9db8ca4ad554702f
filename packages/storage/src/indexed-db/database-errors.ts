import { isAgentSessionError, type AgentSessionError } from '@banister/session';
import { storageError } from '../log-errors.js';
import type { Kept } from '../kept.js';

/** The name of a database, and what it keeps. */
interface KeptIn {
  readonly name: string;
  readonly kept: Kept;
}

/** Names of errors after the browser has dropped a connection. WebKit drops it when a page returns from the background. */
const LOST = new Set(['InvalidStateError', 'UnknownError']);

/** Whether a transaction failed because the connection is gone. */
export function isLostConnection(error: unknown): boolean {
  return isAgentSessionError(error) && error.details['reason'] === 'connection';
}

/** Returns the error for a failed transaction. An error of the log itself is returned unchanged. */
export function connectionError({ name, kept }: KeptIn, error: unknown): AgentSessionError {
  if (isAgentSessionError(error)) return error;
  if (nameOf(error) === 'QuotaExceededError') return quotaError({ name, kept }, error);
  if (LOST.has(nameOf(error)))
    return storageError(
      `The browser has lost its connection to the stored ${kept}. Reload the page if this happens again.`,
      { reason: 'connection', database: name },
      'now',
      error,
    );
  return storageError(
    `The browser could not store or read the ${kept}.`,
    { reason: 'failed', database: name },
    'now',
    error,
  );
}

/** Returns the error for a database that cannot be opened. */
export function openError({ name, kept }: KeptIn, error: unknown): AgentSessionError {
  if (nameOf(error) === 'QuotaExceededError') return quotaError({ name, kept }, error);
  if (nameOf(error) === 'VersionError')
    return storageError(
      `A newer release of this app keeps the ${kept} in this browser. Reload the page to use it.`,
      { reason: 'newer', database: name },
      'after-action',
      error,
    );
  return storageError(
    nameOf(error) === 'ReferenceError'
      ? 'There is no IndexedDB here. In Node use sqliteLog or sqliteMemory, in a test memoryLog or memoryMemory.'
      : `This browser keeps no ${kept} for this page: storage is blocked by its settings, or this is a private window.`,
    { reason: 'unavailable', database: name },
    'after-action',
    error,
  );
}

/** Returns the error for a database that did not open in time. @param isBlocked whether another page prevents the opening */
export function silentError({ name, kept }: KeptIn, isBlocked: boolean): AgentSessionError {
  return isBlocked
    ? storageError(
        'Another tab has an earlier release of this app open. Close that tab, or reload it.',
        { reason: 'blocked', database: name },
        'after-action',
      )
    : storageError(
        `The browser does not open the stored ${kept}. Close other tabs of this app, or restart the browser.`,
        { reason: 'no-answer', database: name },
        'after-action',
      );
}

function quotaError({ name, kept }: KeptIn, cause: unknown): AgentSessionError {
  return storageError(
    `The browser has no room for more ${kept}. Delete other ${kept}, or free space on the disk.`,
    { reason: 'quota', database: name },
    'after-action',
    cause,
  );
}

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null ? String((error as { name?: unknown }).name) : '';
}
