import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { ReadConversation } from '../conversation/open-conversation.js';
import type { Operation } from '../operations/operation.js';
import { fold } from '../state/fold.js';
import { initialState } from '../state/initial-state.js';
import type { SessionState } from '../state/session-state.js';
import { stateOf } from '../state/read-stored-state.js';
import { following } from './following.js';
import { RECORD_VERSION } from './log-journal.js';
import type { LoadedLog, LogRecord } from './session-log.js';

/** A log, as far as this release can read it. */
export interface ReadLog {
  readonly state: SessionState;
  /** The number of records that were read. */
  readonly count: number;
  /** The highest epoch of the records; 0 without records. */
  readonly epoch: number;
  /** Why the rest cannot be read; null if everything was read. */
  readonly problem: AgentSessionError | null;
}

/**
 * The type of `readConversation`. The chunk of sessions passes this function to the chunk of logs: if both chunks imported it, a bundler would
 * divide the first chunk of a page.
 */
export type ReadSaved = (saved: unknown) => ReadConversation;

/** The place of a record in its log. */
export type LogPlace = Pick<LogRecord, 'revision' | 'epoch'>;

/** Reads a log with a reader for its snapshot. The public `readLog` calls it with the reader of saved conversations. */
export function readLogWith(
  log: Pick<LoadedLog, 'snapshot' | 'records' | 'damage'>,
  readSaved: ReadSaved,
): ReadLog {
  const { snapshot, records, damage = null } = log;
  const empty = initialState();
  let state: SessionState;
  try {
    state = isAbsent(snapshot) ? empty : stateOf(readSaved(snapshot));
  } catch (error) {
    return {
      state: empty,
      count: 0,
      epoch: 0,
      problem: isNewer(error) ? error : damaged('its snapshot', error),
    };
  }
  const { readable, operations, problem = damage } = checked(records, state.sequence);
  const epoch = Math.max(0, ...readable.map((record) => record.epoch));
  try {
    const folded = fold(state, operations);
    return { state: folded, count: readable.length, epoch, problem };
  } catch {
    return { ...foldedSingly(state, readable), epoch };
  }
}

function isAbsent(snapshot: unknown): boolean {
  return snapshot === null || snapshot === undefined;
}

/** Checks the form of the records, up to the first record that cannot be read. */
function checked(records: readonly unknown[], sequence: number) {
  const readable: LogRecord[] = [];
  const operations: Operation[] = [];
  let last = sequence;
  for (const given of records) {
    try {
      const record = readRecord(given, readable.at(-1));
      const news = following(last, record.operations);
      last = news.at(-1)?.sequence ?? last;
      operations.push(...news);
      readable.push(record);
    } catch (error) {
      return { readable, operations, problem: problemOf(given, error) };
    }
  }
  return { readable, operations };
}

/** Folds the records one by one, up to the first record that cannot be folded. */
function foldedSingly(before: SessionState, records: readonly LogRecord[]): Omit<ReadLog, 'epoch'> {
  let state = before;
  for (const [count, record] of records.entries()) {
    try {
      state = fold(state, following(state.sequence, record.operations));
    } catch (error) {
      return { state, count, problem: problemOf(record, error) };
    }
  }
  return { state, count: records.length, problem: null };
}

/**
 * Returns a record if its form is right. Throws `unsupported` for a record of a newer release.
 *
 * @param before the previous record; undefined if it is unknown
 */
export function readRecord(value: unknown, before: LogPlace | undefined): LogRecord {
  const { version, revision, epoch, operations } = objectOf(value, 'it');
  if (!isCount(version) || version < 1) throw new Error('it has no version');
  if (version > RECORD_VERSION) throw newer(version, revision);
  if (!isCount(revision) || !isCount(epoch)) throw new Error('it has no revision, or no epoch');
  if (before !== undefined && revision !== before.revision + 1)
    throw new Error(`it follows record ${before.revision}`);
  if (before !== undefined && epoch < before.epoch)
    throw new Error(`its owner, of epoch ${epoch}, was replaced by that of epoch ${before.epoch}`);
  if (!Array.isArray(operations)) throw new Error('it has no operations');
  for (const operation of operations as unknown[]) {
    const { type, sequence, at } = objectOf(operation, 'an operation');
    if (typeof type !== 'string' || !isCount(sequence) || typeof at !== 'number')
      throw new Error('an operation has no type, no sequence or no time');
  }
  return value as LogRecord;
}

function objectOf(value: unknown, name: string): { readonly [key: string]: unknown } {
  if (!isJsonObject(value)) throw new Error(`${name} is no object`);
  return value;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Returns the error with which the commands reject after this error occurred at a record. */
export function problemOf(record: unknown, error: unknown): AgentSessionError {
  if (isNewer(error)) return error;
  const revision = isJsonObject(record) ? record['revision'] : undefined;
  return damaged(isCount(revision) ? `its record ${revision}` : 'a record of it', error);
}

function isNewer(error: unknown): error is AgentSessionError {
  return error instanceof AgentSessionError && error.code === 'unsupported';
}

function newer(version: number, revision: unknown): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    'A newer release of this app wrote to this conversation. Here it can be read up to that point, but not changed.',
    { details: { version, supported: RECORD_VERSION, revision: isCount(revision) ? revision : null } },
  );
}

function damaged(place: string, cause: unknown): AgentSessionError {
  return new AgentSessionError(
    'storage',
    `The log of this conversation is damaged: ${place} cannot be read (${messageOf(cause)}). The conversation is shown up to there, and cannot be changed.`,
    { details: { reason: 'damaged' }, retry: 'never', cause },
  );
}
