import { textOf, type Lease, type ListedSession, type LogRecord } from '@banister/session';
import { conflict, evicted, fenced, held, removedSince } from './log-errors.js';

/** The writer of a session. */
export interface Holder {
  readonly owner: string;
  readonly ttlMs: number;
  /** The time at which another owner may claim; null when the lease lasts as long as the page of its owner. */
  readonly until: number | null;
}

/** All that a log keeps of a session, its records and its snapshot excepted. It stays when the session is removed. */
export interface Head {
  readonly id: string;
  /** Rises by one with each claim, and never falls. */
  readonly epoch: number;
  /** The epoch at the last removal, whose lease and all earlier ones are refused for ever; 0 for a session that was never removed. */
  readonly life: number;
  /** The revision of the last record; 0 for an empty log. */
  readonly revision: number;
  /** The checksum of the last record. */
  readonly sum: number;
  /** The revision of the snapshot; null without one. */
  readonly base: number | null;
  readonly holder: Holder | null;
  readonly title?: string;
  readonly note?: string;
  /** The time of the last record, or of what was stored before the first one; null when nothing is stored. */
  readonly updatedAt: number | null;
}

// The rules of a log, as functions from a head to the next one. A log calls them inside a transaction; an error changes nothing.

export function emptyHead(id: string): Head {
  return { id, epoch: 0, life: 0, revision: 0, sum: 0, base: null, holder: null, updatedAt: null };
}

/** Returns the lease of the last claim. */
export function leaseOf({ id, epoch, revision }: Head): Lease {
  return { id, epoch, revision };
}

/** Whether another owner has a lease that may still hold. */
function isHeld({ holder }: Head, owner: string, now: number): boolean {
  return holder !== null && holder.owner !== owner && (holder.until === null || now < holder.until);
}

/**
 * Throws `held` while another owner has the lease.
 *
 * @param steal the epoch of a lease that does not hold the new holder back
 */
export function claimed(head: Head, holder: Holder, now: number, steal: number | undefined): Head {
  if (head.epoch !== steal && isHeld(head, holder.owner, now))
    throw held(head.id, head.holder!.owner, head.epoch);
  return { ...head, epoch: head.epoch + 1, holder };
}

/** Throws `removed` for a lease from before a removal, and `fenced` unless it is that of the last claim and was not released. */
export function checked(head: Head, { epoch }: Lease): Holder {
  // Epochs never fall: this head is not the one that the lease was taken from.
  if (head.epoch < epoch) throw evicted(head.id);
  if (epoch <= head.life) throw removedSince(head.id);
  if (!head.holder || head.epoch !== epoch) throw fenced(head.id, head.epoch);
  return head.holder;
}

export function renewed(head: Head, lease: Lease, now: number): Head {
  const holder = checked(head, lease);
  return { ...head, holder: { ...holder, until: now + holder.ttlMs } };
}

export function released(head: Head, lease: Lease): Head {
  return lease.epoch === head.epoch ? { ...head, holder: null } : head;
}

/** @param sum the checksum of the record */
export function appended(head: Head, lease: Lease, record: LogRecord, sum: number, now: number): Head {
  checked(head, lease);
  if (record.epoch !== lease.epoch) throw fenced(head.id, lease.epoch);
  const { revision } = record;
  if (revision !== head.revision + 1) throw conflict(head.id, revision, head.revision);
  const title = head.title ?? titleIn(record);
  return { ...head, ...(title === undefined ? {} : { title }), revision, sum, updatedAt: now };
}

const LONGEST_TITLE = 60;

/** Returns the first line of the first message that begins a turn and has a text; undefined where there is none. */
function titleIn({ operations }: LogRecord): string | undefined {
  for (const operation of operations) {
    if (operation.type !== 'turnStarted') continue;
    // One step after the other: a search for spaces before a line end would take a time that grows with their square.
    const [first = ''] = textOf(operation.input)
      .trim()
      .split(/[\n\v\f\r\u0085\u2028\u2029]/);
    const line = first.trimEnd();
    if (line === '') continue;
    if (line.length <= LONGEST_TITLE) return line;
    // Without the first half of a character.
    return `${line.slice(0, LONGEST_TITLE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  }
  return undefined;
}

export function withSnapshot(head: Head, lease: Lease, revision: number, now: number): Head {
  checked(head, lease);
  const isKept = Number.isInteger(revision) && revision >= (head.base ?? 0) && revision <= head.revision;
  if (!isKept) throw conflict(head.id, revision, head.revision);
  return { ...head, base: revision, updatedAt: head.updatedAt ?? now };
}

export function described(head: Head, about: Pick<Head, 'title' | 'note'>, now: number): Head {
  const { title = head.title, note = head.note } = about;
  return {
    ...head,
    ...(title === undefined ? {} : { title }),
    ...(note === undefined ? {} : { note }),
    updatedAt: head.updatedAt ?? now,
  };
}

export function removed({ id, epoch }: Head): Head {
  return { ...emptyHead(id), epoch, life: epoch };
}

/** Returns the sessions of which something is stored, that with the newest record first. */
export function listOf(heads: readonly Head[]): readonly ListedSession[] {
  return heads
    .filter(({ updatedAt }) => updatedAt !== null)
    .sort((a, b) => b.updatedAt! - a.updatedAt!)
    .map(({ id, title = '', note, updatedAt }) => ({
      id,
      title,
      ...(note === undefined ? {} : { note }),
      updatedAt: updatedAt!,
    }));
}
