import type { Lease, ListedSession } from '@handrail/session';
import { fenced, held } from './log-errors.js';
import { MemoryChannels } from './memory-channel.js';
import { MemoryRecords } from './memory-records.js';

interface Holder {
  readonly owner: string;
  readonly ttlMs: number;
  /** The time at which another owner may claim. */
  until: number;
}

/** One session of a memory log. It stays when the session is removed, so that its epoch never falls. */
export class MemorySession {
  readonly records: MemoryRecords;
  readonly channels = new MemoryChannels();
  private about: { readonly title?: string; readonly note?: string } | null = null;
  private epoch = 0;
  private holder: Holder | null = null;
  private updatedAt: number | null = null;

  constructor(private readonly id: string) {
    this.records = new MemoryRecords(id);
  }

  claim(owner: string, ttlMs: number, now: number): Lease {
    const { holder } = this;
    if (holder && holder.owner !== owner && now < holder.until) throw held(this.id, holder.owner);
    this.holder = { owner, ttlMs, until: now + ttlMs };
    return { id: this.id, epoch: ++this.epoch, revision: this.records.revision };
  }

  /** Throws `fenced` unless this is the lease of the last claim and was not released. */
  check(lease: Lease): Holder {
    if (!this.holder || lease.epoch !== this.epoch) throw fenced(this.id, this.epoch);
    return this.holder;
  }

  renew(lease: Lease, now: number): void {
    const holder = this.check(lease);
    holder.until = now + holder.ttlMs;
  }

  release(lease: Lease): void {
    if (lease.epoch === this.epoch) this.holder = null;
  }

  describe(about: { readonly title?: string; readonly note?: string }): void {
    this.about = { title: about.title ?? this.about?.title, note: about.note ?? this.about?.note };
  }

  /** Notes the time of a record. That of a description or a snapshot counts only before the first record. */
  touch(now: number, isRecord: boolean): boolean {
    if (!isRecord && this.updatedAt !== null) return false;
    this.updatedAt = now;
    return true;
  }

  /** Returns the entry of the session in the list; null when nothing is stored of it. */
  listed(): ListedSession | null {
    if (this.updatedAt === null) return null;
    const { title = '', note } = this.about ?? {};
    return { id: this.id, title, ...(note === undefined ? {} : { note }), updatedAt: this.updatedAt };
  }

  remove(): void {
    this.records.clear();
    this.about = this.holder = this.updatedAt = null;
  }
}
