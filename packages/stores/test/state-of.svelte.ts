/** Returns an object whose fields, and those of the objects in it, are signals. */
export function stateOf<T extends object>(fields: T): T {
  const state = $state(fields);
  return state;
}

/** Runs a function as a component does that is gone afterwards. */
export function runInComponent(run: () => void): void {
  $effect.root(run)();
}
