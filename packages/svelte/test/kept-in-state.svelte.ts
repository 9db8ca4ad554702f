/** Returns a value after it was put into `$state`, by itself and within an object. */
export function keptInState<T>(value: T): { readonly alone: T; readonly within: T } {
  const alone = $state(value);
  const within = $state({ value });
  return { alone, within: within.value };
}
