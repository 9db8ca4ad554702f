import { defined } from '@banister/provider/internal/json/defined';
import type { Revisions } from '../conversation/revisions.js';

/** Changes of revisions that the session itself made, by domain id. A revision is absent if the domain has none. */
export type Moved = Readonly<
  Record<string, { readonly from?: string | number; readonly to?: string | number }>
>;

/** Returns the changes of these domains, including domains whose revision is the same. */
export function movedOf(domains: readonly string[], from: Revisions, to: Revisions): Moved {
  const known = domains.filter((domain) => from[domain] !== undefined || to[domain] !== undefined);
  return Object.fromEntries(known.map((domain) => [domain, defined({ from: from[domain], to: to[domain] })]));
}
