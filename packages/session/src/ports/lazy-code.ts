import type { Clock } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/** How long the loading of code may take, in milliseconds. */
export const fetchTimeoutMs = 30_000;

/** Code of the library in a chunk of its own. The chunk is loaded when its code is first needed. */
export class LazyCode<T> {
  /** The code; undefined until the chunk is loaded. */
  loaded: T | undefined;
  private loading: Promise<T> | undefined;

  /** @param fetch the dynamic import; called again after a failure */
  constructor(private readonly fetch: () => Promise<T>) {}

  /**
   * Returns the code if it is loaded, otherwise a promise. The promise rejects with `network` if loading fails or takes longer than {@link
   * fetchTimeoutMs}; the next call loads again.
   */
  get(clock: Clock): T | Promise<T> {
    return this.loaded ?? (this.loading ??= this.load(clock));
  }

  private load(clock: Clock): Promise<T> {
    const loading = new Promise<T>((resolve, reject) => {
      const fail = (cause: unknown) => {
        stopTimer();
        if (this.loading === loading) this.loading = undefined;
        reject(notLoaded(cause));
      };
      const stopTimer = clock.schedule(
        () => fail(new Error(`The fetch took longer than ${fetchTimeoutMs / 1000} seconds.`)),
        fetchTimeoutMs,
      );
      this.fetch().then((code) => {
        stopTimer();
        // The code is kept even if it arrives after the timeout, so that the next call need not load it.
        this.loaded = code;
        resolve(code);
      }, fail);
    });
    return loading;
  }
}

/** Returns the error for the user. The platform's own message names the file, which does not help a user, so it is only in `cause`. */
function notLoaded(cause: unknown): AgentSessionError {
  return new AgentSessionError(
    'network',
    'A part of this page that the agent needs could not be loaded. Check the connection and try again.',
    { cause, details: { reason: 'code' } },
  );
}
