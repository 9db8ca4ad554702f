/** Returns an object whose fields are signals, at every depth. */
export function stateOf<T extends object>(fields: T): T {
  const state = $state(fields);
  return state;
}

/** Runs a function as a component that is unmounted afterwards. */
export function runInComponent(run: () => void): void {
  $effect.root(run)();
}
