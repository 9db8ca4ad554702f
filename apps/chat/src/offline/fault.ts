/**
 * What can go wrong with a model. `stall`: it falls silent. `cut`: the connection ends in the middle. `error`: the server
 * fails. `deaf`: it falls silent, and does not even notice that nobody listens any more.
 */
export type FaultKind = 'stall' | 'cut' | 'error' | 'deaf';

export interface Fault {
  readonly kind: FaultKind | null;
  /** True the first time: a fault strikes once, so that trying again works. */
  strike(): boolean;
}

export function createFault(kind: FaultKind | null): Fault {
  let struck = kind === null;
  return {
    kind,
    strike() {
      const strikes = !struck;
      struck = true;
      return strikes;
    },
  };
}

/** The fault that the page's address asks for: `?fault=stall`. */
export function faultIn(query: URLSearchParams): FaultKind | null {
  const asked = query.get('fault');
  return asked === 'stall' || asked === 'cut' || asked === 'error' || asked === 'deaf' ? asked : null;
}
