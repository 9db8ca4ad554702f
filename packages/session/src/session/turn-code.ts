import type * as turnModule from '../turn/turn.js';

/** The code that runs turns: a chunk of its own, since a page shows its chat long before somebody writes into it. */
export type TurnCode = typeof turnModule;

let code: TurnCode | undefined;
let loading: Promise<TurnCode> | undefined;

/** The code, at once when it is there. A load that failed, for example offline, is tried again at the next call. */
export function turnCode(): TurnCode | Promise<TurnCode> {
  if (code !== undefined) return code;
  loading ??= import('../turn/turn.js').then(
    (loaded) => (code = loaded),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * Loads the code that runs turns. Every session begins to do so in the background when it is created, so that the first
 * `send` seldom waits; call this where that should happen earlier, or be over: in a service worker's cache, or in a
 * test that counts microtasks.
 *
 * @throws what the platform's `import()` throws when the chunk cannot be loaded
 */
export async function preloadTurns(): Promise<void> {
  await turnCode();
}
