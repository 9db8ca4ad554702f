import type { Revisions } from '../conversation/revisions.js';
import type { Domain } from '../tools/domain.js';
import type { Revision } from '../tools/tool.js';

export type { Revisions };

/** Reads the revisions of all domains. A domain whose `revision()` throws, or returns no revision, is absent, and the error is reported. */
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

/** Any other value would differ from itself, or be another one after a reload. */
function isRevision(value: unknown): boolean {
  return typeof value === 'string' || Number.isFinite(value);
}

/** Returns revisions in the form that undo providers get: the only one, or several as the text of a JSON object. */
export function asRevision(revisions: Revisions): Revision {
  const entries = Object.entries(revisions);
  if (entries.length <= 1) return entries[0]?.[1];
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Returns the domains whose revisions differ in two readings. */
export function differing(a: Revisions, b: Revisions): readonly string[] {
  return Object.keys({ ...a, ...b }).filter((domain) => a[domain] !== b[domain]);
}
