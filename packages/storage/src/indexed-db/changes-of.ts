/** Tells all pages of an origin, this page included, that a small store has changed. */
export function changesOf(name: string) {
  return {
    /** Announces a change. */
    changed(): void {
      const channel = new BroadcastChannel(name);
      channel.postMessage('changed');
      channel.close();
    },

    /** Calls the listener after each change. Returns a function that ends the subscription. */
    subscribe(listener: () => void): () => void {
      const channel = new BroadcastChannel(name);
      channel.onmessage = () => listener();
      // In Node an open channel keeps the process alive, unless it is unreferenced.
      (channel as { unref?(): void }).unref?.();
      return () => channel.close();
    },
  };
}
