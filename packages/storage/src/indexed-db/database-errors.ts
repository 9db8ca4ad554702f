import { isAgentSessionError, type AgentSessionError } from '@banister/session';
import { storageError } from '../log-errors.js';
import type { StoredWords } from '../stored-words.js';

/** Names of errors after the browser has dropped a connection. WebKit drops it when a page returns from the background. */
const LOST = new Set(['InvalidStateError', 'UnknownError']);

/** Whether a transaction failed because the connection is gone. */
export function isLostConnection(error: unknown): boolean {
  return isAgentSessionError(error) && error.details['reason'] === 'connection';
}

/** Returns the error for a failed transaction. An error of the log itself is returned unchanged. */
export function connectionError(name: string, words: StoredWords, error: unknown): AgentSessionError {
  if (isAgentSessionError(error)) return error;
  if (nameOf(error) === 'QuotaExceededError') return quotaError(name, words, error);
  if (LOST.has(nameOf(error)))
    return storageError(
      `The browser has lost its connection to the stored ${words.all}. Reload the page if this happens again.`,
      { reason: 'connection', database: name },
      'now',
      error,
    );
  return storageError(
    `The browser could not store or read the ${words.all}.`,
    { reason: 'failed', database: name },
    'now',
    error,
  );
}

/** Returns the error for a database that cannot be opened. */
export function openError(name: string, words: StoredWords, error: unknown): AgentSessionError {
  if (nameOf(error) === 'QuotaExceededError') return quotaError(name, words, error);
  if (nameOf(error) === 'VersionError')
    return storageError(
      `A newer release of this app keeps the ${words.all} in this browser. Reload the page to use it.`,
      { reason: 'newer', database: name },
      'after-action',
      error,
    );
  return storageError(
    nameOf(error) === 'ReferenceError'
      ? `There is no IndexedDB here. ${words.elsewhere}`
      : `This browser keeps no ${words.all} for this page: storage is blocked by its settings, or this is a private window.`,
    { reason: 'unavailable', database: name },
    'after-action',
    error,
  );
}

/** Returns the error for a database that did not open in time. @param isBlocked whether another page prevents the opening */
export function silentError(name: string, words: StoredWords, isBlocked: boolean): AgentSessionError {
  return isBlocked
    ? storageError(
        'Another tab has an earlier release of this app open. Close that tab, or reload it.',
        { reason: 'blocked', database: name },
        'after-action',
      )
    : storageError(
        `The browser does not open the stored ${words.all}. Close other tabs of this app, or restart the browser.`,
        { reason: 'no-answer', database: name },
        'after-action',
      );
}

function quotaError(name: string, words: StoredWords, cause: unknown): AgentSessionError {
  return storageError(
    `The browser has no room for ${words.more}. Delete other ${words.all}, or free space on the disk.`,
    { reason: 'quota', database: name },
    'after-action',
    cause,
  );
}

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null ? String((error as { name?: unknown }).name) : '';
}
