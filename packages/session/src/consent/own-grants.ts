import { sameJson } from '@banister/provider/internal/json/same-json';
import type { Grant } from './consent-operations.js';
import type { TurnRequest } from '../turn/turn-request.js';

/** The parts of a session, and of its turns, that are needed to show the grants. */
type GrantHost = Pick<TurnRequest, 'current' | 'ports' | 'host'> & Partial<Pick<TurnRequest, 'agent'>>;

/** Returns the id of the session for which approvals are remembered. A session without a log gets an id of its own, which is not stored. */
export function sessionIdOf({ host, ports }: Pick<GrantHost, 'host' | 'ports'>): string {
  return (host.id ??= ports.ids.next('session'));
}

/**
 * Returns the grants that were given in this session. Grants from a log with another id, or from a copy of the log, are left out. For a child
 * turn, the list also has the grants for other turns, because the child turn does not see which turn the user sent.
 */
export function ownGrants({
  current,
  host,
  agent,
}: Pick<GrantHost, 'current' | 'host' | 'agent'>): readonly Grant[] {
  const { grants, liveTurn } = current();
  return grants.filter(
    ({ remember, session, turnId = liveTurn?.id }) =>
      remember !== 'always' && session === host.id && (agent !== undefined || turnId === liveTurn?.id),
  );
}

/**
 * Shows the grants that are valid: the grants of this session, and of the store. null means that the store cannot be read, and keeps its
 * shown grants. Shown grants keep their order, because a mere change of the order would write the whole list into the log again.
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
