import type { Revisions } from '../conversation/revisions.js';
import type { Domain } from '../tools/domain.js';
import type { Revision } from '../tools/tool.js';

export type { Revisions };

/**
 * Reads the revisions of all domains. If `revision()` of a domain throws, or returns something else than a revision, the domain is left
 * out, and the error is reported.
 */
export function readRevisions(domains: readonly Domain[], reportError: (error: unknown) => void): Revisions {
  const revisions: Record<string, string | number> = {};
  for (const domain of domains) {
    try {
      const revision = domain.revision?.();
      if (revision === undefined) continue;
      if (!isRevision(revision))
        throw new TypeError(`revision() of the domain "${domain.id}" returned no text and no finite number.`);
      revisions[domain.id] = revision;
    } catch (error) {
      reportError(error);
    }
  }
  return revisions;
}

/** Other values, such as NaN or an object, are not equal to themselves, or not after a reload. */
function isRevision(value: unknown): boolean {
  return typeof value === 'string' || Number.isFinite(value);
}

/** Returns revisions in the form for undo providers: a single revision as it is, several as a JSON object in a string. */
export function asRevision(revisions: Revisions): Revision {
  const entries = Object.entries(revisions);
  if (entries.length <= 1) return entries[0]?.[1];
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Returns the domains whose revisions differ between two readings. */
export function differing(a: Revisions, b: Revisions): readonly string[] {
  return Object.keys({ ...a, ...b }).filter((domain) => a[domain] !== b[domain]);
}
