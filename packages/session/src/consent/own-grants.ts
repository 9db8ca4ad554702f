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

/** Shows the grants that stand: those of this session, and those of the store; null for a store that cannot be read. */
export function showGrants(session: GrantHost, always: readonly Grant[] | null): void {
  const { current, host } = session;
  const { grants: shown } = current();
  const grants = [
    ...ownGrants(session),
    ...(always ?? shown.filter(({ remember }) => remember === 'always')),
  ];
  if (!sameJson(grants, shown)) host.emit({ type: 'grantsChanged', grants });
}
