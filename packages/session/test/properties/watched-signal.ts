/** An abort signal that counts its listeners. */
export interface WatchedSignal {
  readonly signal: AbortSignal;
  readonly listeners: number;
  abort(): void;
}

export function createWatchedSignal(): WatchedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as (...args: unknown[]) => void;
  Object.assign(signal, {
    addEventListener: (type: string, listener: unknown, options: unknown) => {
      listening.add(listener);
      add(type, listener, options);
    },
    removeEventListener: (type: string, listener: unknown, options: unknown) => {
      listening.delete(listener);
      remove(type, listener, options);
    },
  });
  return {
    signal,
    get listeners() {
      return listening.size;
    },
    abort: () => controller.abort(),
  };
}
