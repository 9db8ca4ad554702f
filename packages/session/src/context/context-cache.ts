import type { ContextSource } from './context-source.js';

/** A line, and the changes of the app before it was read. */
interface CachedLine {
  readonly line: string;
  readonly readAt: number;
  readonly changes: number;
}

/** The lines of sources with the policy `cached`. Shared by the turns of a session, and gone with its page. */
export class ContextCache {
  private readonly lines = new WeakMap<ContextSource, CachedLine>();
  /** How many changes were made in each domain. */
  private readonly changesIn = new Map<string, number>();
  private allChanges = 0;
  /** How many changes were made whose domains are unknown. */
  private anyChanges = 0;

  /** Returns the line of a source if it still stands; undefined where it has to be read. */
  lineOf(source: ContextSource, now: number): string | undefined {
    const known = this.lines.get(source);
    if (known === undefined || known.changes !== this.changesFor(source)) return undefined;
    const age = now - known.readAt;
    // Below 0 after a change of the system clock.
    return age >= 0 && age < ttlOf(source) ? known.line : undefined;
  }

  /** Returns the function that keeps the line of a source, which is read from now on: a change while it is read makes it stale. */
  reading(source: ContextSource, readAt: number): (line: string) => void {
    const changes = this.changesFor(source);
    return (line) => void this.lines.set(source, { line, readAt, changes });
  }

  /** Is called when a call has changed a domain; without one when effects of any domains were moved. */
  changed(domain?: string): void {
    this.allChanges++;
    if (domain === undefined) this.anyChanges++;
    else this.changesIn.set(domain, (this.changesIn.get(domain) ?? 0) + 1);
  }

  private changesFor({ domain }: ContextSource): number {
    return domain === undefined ? this.allChanges : this.anyChanges + (this.changesIn.get(domain) ?? 0);
  }
}

/** Returns the time that a line of the source stands, in milliseconds; 0 where it is read before each request. */
function ttlOf({ policy }: ContextSource): number {
  return typeof policy === 'object' ? policy.ttlMs : 0;
}
