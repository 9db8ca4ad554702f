import type { ContextSource } from './context-source.js';

/** A line, and the number of changes of the app before it was read. */
interface CachedLine {
  readonly line: string;
  readonly readAt: number;
  readonly changes: number;
}

/** The lines of sources with the policy `cached`. The turns of a session share them; they are not stored. */
export class ContextCache {
  private readonly lines = new WeakMap<ContextSource, CachedLine>();
  /** The number of changes in each domain. */
  private readonly changesIn = new Map<string, number>();
  private allChanges = 0;
  /** The number of changes whose domains are unknown. */
  private anyChanges = 0;

  /** Returns the line of a source if it is still valid; undefined if the source has to be read. */
  lineOf(source: ContextSource, now: number): string | undefined {
    const known = this.lines.get(source);
    if (known === undefined || known.changes !== this.changesFor(source)) return undefined;
    const age = now - known.readAt;
    // The age is below 0 after a change of the system clock.
    return age >= 0 && age < ttlOf(source) ? known.line : undefined;
  }

  /**
   * Called before a source is read. Returns a function that stores the line of the source. A change during the reading makes the line
   * invalid.
   */
  reading(source: ContextSource, readAt: number): (line: string) => void {
    const changes = this.changesFor(source);
    return (line) => void this.lines.set(source, { line, readAt, changes });
  }

  /** Called when a call has changed a domain; without a domain when effects in any domains have moved. */
  changed(domain?: string): void {
    this.allChanges++;
    if (domain === undefined) this.anyChanges++;
    else this.changesIn.set(domain, (this.changesIn.get(domain) ?? 0) + 1);
  }

  private changesFor({ domain }: ContextSource): number {
    return domain === undefined ? this.allChanges : this.anyChanges + (this.changesIn.get(domain) ?? 0);
  }
}

/** Returns how long a line of the source is valid, in milliseconds; 0 if it is read before each request. */
function ttlOf({ policy }: ContextSource): number {
  return typeof policy === 'object' ? policy.ttlMs : 0;
}
