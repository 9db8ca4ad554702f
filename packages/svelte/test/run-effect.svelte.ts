/** Runs an effect of Svelte outside of a component, until the returned function is called. */
export function runEffect(run: () => void): () => void {
  return $effect.root(() => {
    $effect(run);
  });
}
