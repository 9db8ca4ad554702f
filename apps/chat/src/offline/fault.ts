const kinds = ['stall', 'stall-thinking', 'stall-call', 'cut', 'error', 'deaf', 'busy', 'down'] as const;

/**
 * The faults of a model. `stall`: it stalls in the middle of its answer, of its thoughts, or of a call.
 * `cut`: the connection ends in the middle. `error`: the server fails. `deaf`: it stalls, and does not notice
 * that its answer was aborted. `busy`: the server asks to wait before it answers. `down`: the server of the
 * first of two models cannot be reached at all.
 */
export type FaultKind = (typeof kinds)[number];

export interface Fault {
  readonly kind: FaultKind | null;
  /**
   * Returns true the first time that the fault is of one of these kinds. A fault happens only once, so that
   * trying again works.
   */
  strike(...kinds: readonly FaultKind[]): boolean;
}

export function createFault(kind: FaultKind | null): Fault {
  let struck = kind === null;
  return {
    kind,
    strike(...possible) {
      const strikes = !struck && kind !== null && possible.includes(kind);
      struck ||= strikes;
      return strikes;
    },
  };
}

/** Returns the fault in the page's address: `?fault=stall`. */
export function faultIn(query: URLSearchParams): FaultKind | null {
  const asked = query.get('fault');
  return kinds.find((kind) => kind === asked) ?? null;
}
