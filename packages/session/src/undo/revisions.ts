import type { Domain } from '../tools/domain.js';
import type { Revision } from '../tools/tool.js';

/** Revisions by domain id, of the domains that have them. */
export type Revisions = Readonly<Record<string, string | number>>;

/** Reads the revisions of all domains. A domain whose `revision()` throws counts as having none. */
export function readRevisions(domains: readonly Domain[], reportError: (error: unknown) => void): Revisions {
  const revisions: Record<string, string | number> = {};
  for (const domain of domains) {
    try {
      const revision = domain.revision?.();
      if (revision !== undefined) revisions[domain.id] = revision;
    } catch (error) {
      reportError(error);
    }
  }
  return revisions;
}

/** Revisions in the form that undo providers get: the one there is, or several as a JSON object. */
export function asRevision(revisions: Revisions): Revision {
  const entries = Object.entries(revisions);
  if (entries.length <= 1) return entries[0]?.[1];
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The domains of which two readings differ. */
export function differing(a: Revisions, b: Revisions): readonly string[] {
  return Object.keys({ ...a, ...b }).filter((domain) => a[domain] !== b[domain]);
}

/** The revisions of these domains. */
export function pick(revisions: Revisions, domains: readonly string[]): Revisions {
  return Object.fromEntries(Object.entries(revisions).filter(([domain]) => domains.includes(domain)));
}
