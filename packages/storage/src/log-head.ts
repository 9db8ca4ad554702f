import type { Lease, ListedSession, ListQuery, LogRecord } from '@banister/session/log';
import { conflict, evicted, fenced, held, removedSince } from './log-errors.js';
import { titleOf } from './title-of.js';

/** The writer of a session. */
export interface Holder {
  readonly owner: string;
  readonly ttlMs: number;
  /** The time from which another owner may claim; null if the lease lasts as long as its owner's page. */
  readonly until: number | null;
}

/** Everything that a log stores about a session except records and snapshot. A removed session keeps its head. */
export interface Head {
  readonly id: string;
  /** Rises by one with each claim; it never falls. */
  readonly epoch: number;
  /** The epoch at the last removal: leases with this or an earlier epoch are refused forever. 0 if the session was never removed. */
  readonly life: number;
  /** The revision of the last record; 0 for an empty log. */
  readonly revision: number;
  /** The checksum of the last record. */
  readonly sum: number;
  /** The revision of the snapshot; null without one. */
  readonly base: number | null;
  readonly holder: Holder | null;
  /** True if work was open after the last record; otherwise absent. */
  readonly open?: true;
  readonly title?: string;
  readonly note?: string;
  /** The time of the last record. Before the first record: the time of the first write; null if nothing is stored. */
  readonly updatedAt: number | null;
}

// The rules of a log: each function returns the next head. A log calls them inside a transaction; an error changes nothing.

export function emptyHead(id: string): Head {
  return { id, epoch: 0, life: 0, revision: 0, sum: 0, base: null, holder: null, updatedAt: null };
}

/** Returns the lease of the last claim. */
export function leaseOf({ id, epoch, revision }: Head): Lease {
  return { id, epoch, revision };
}

/** Whether another owner has a lease that has not expired. */
function isHeld({ holder }: Head, owner: string, now: number): boolean {
  return holder !== null && holder.owner !== owner && (holder.until === null || now < holder.until);
}

/**
 * Throws `held` while another owner has the lease.
 *
 * @param steal an epoch; if the current lease has this epoch, the new holder takes it over
 */
export function claimed(head: Head, holder: Holder, now: number, steal: number | undefined): Head {
  if (head.epoch !== steal && isHeld(head, holder.owner, now))
    throw held(head.id, head.holder!.owner, head.epoch);
  return { ...head, epoch: head.epoch + 1, holder };
}

/** Throws `removed` if the session was removed after the claim, and `fenced` if the lease is released or a later claim exists. */
export function checked(head: Head, { epoch }: Lease): Holder {
  // Epochs never fall, so the log was deleted and made again after the claim.
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

/** A record, and the fields that its head keeps. */
interface Appended {
  readonly record: LogRecord;
  /** The checksum of the record. */
  readonly sum: number;
  /** Whether work is open after the record. Default: false. */
  readonly open?: boolean | undefined;
}

export function appended(head: Head, lease: Lease, { record, sum, open }: Appended, now: number): Head {
  checked(head, lease);
  if (record.epoch !== lease.epoch) throw fenced(head.id, lease.epoch);
  const { revision } = record;
  if (revision !== head.revision + 1) throw conflict(head.id, revision, head.revision);
  const { open: _before, title = titleIn(record), ...rest } = head;
  return {
    ...rest,
    ...(open === true && { open }),
    ...(title === undefined ? {} : { title }),
    revision,
    sum,
    updatedAt: now,
  };
}

/** Returns the title that the first message of a record gives; undefined if the record begins no turn with text. */
function titleIn({ operations }: LogRecord): string | undefined {
  return titleOf(
    operations.flatMap((operation) => (operation.type === 'turnStarted' ? [operation.input] : [])),
  );
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

/** Returns the sessions that have stored data, newest record first. */
export function listOf(
  heads: readonly Head[],
  { prefix = '', limit, before }: ListQuery = {},
): readonly ListedSession[] {
  return heads
    .filter(isStored)
    .filter((head) => head.id.startsWith(prefix) && (before === undefined || inOrder(before, head) < 0))
    .sort(inOrder)
    .slice(0, limit)
    .map(({ id, title = '', note, updatedAt }) => ({
      id,
      title,
      ...(note === undefined ? {} : { note }),
      updatedAt,
    }));
}

type Stored = Head & { readonly updatedAt: number };

function isStored(head: Head): head is Stored {
  return head.updatedAt !== null;
}

/** Compares two places in the list: the newest first, and equal times by the code units of the ids. */
function inOrder(a: Pick<Stored, 'id' | 'updatedAt'>, b: Pick<Stored, 'id' | 'updatedAt'>): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
