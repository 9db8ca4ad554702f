import { sameJson } from '../json/same-json.js';
import type { Grant } from '../operations/consent-operations.js';
import type { TurnRequest } from '../turn/turn-request.js';

/** The parts of a session, and of its turns, that show the grants. */
export type GrantHost = Pick<TurnRequest, 'current' | 'ports' | 'host'>;

/** Returns the id of the session for which approvals are remembered. One without a log has an id of its own, which ends with it. */
export function sessionIdOf({ host, ports }: Pick<GrantHost, 'host' | 'ports'>): string {
  return (host.id ??= ports.ids.next('session'));
}

/** Returns the grants that were given in this session: a log that was opened under another id, and a copy of it, brings none. */
export function ownGrants({ current, host }: Pick<GrantHost, 'current' | 'host'>): readonly Grant[] {
  const { grants, liveTurn } = current();
  return grants.filter(
    ({ remember, session, turnId = liveTurn?.id }) =>
      remember !== 'always' && session === host.id && turnId === liveTurn?.id,
  );
}

/**
 * Shows the grants that stand: those of this session, and those of the store; null for a store that cannot be read. Those that are shown
 * already keep their order: another order alone would put the whole list into the log again.
 */
export function showGrants(session: GrantHost, always: readonly Grant[] | null): void {
  const { current, host } = session;
  const { grants: shown } = current();
  const standing = [
    ...ownGrants(session),
    ...(always ?? shown.filter(({ remember }) => remember === 'always')),
  ];
  const places = new Map(shown.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: Grant) => places.get(id) ?? shown.length;
  const grants = standing.toSorted((a, b) => placeOf(a) - placeOf(b));
  if (!sameJson(grants, shown)) host.emit({ type: 'grantsChanged', grants });
}
