import type { AgentSessionError } from '@banister/provider';
import { warn } from '../ports/warn.js';
import { untracked } from '../signals/signals-core.js';
import type { SessionOutputs } from './session-outputs.js';

/**
 * Returns a public method that calls an async function. The method never throws synchronously, and an effect that calls it does not track
 * the signals that it reads. Its rejection may be ignored, because the state holds the failure.
 *
 * @param readers returns the readers of the session. If given, an ignored rejection logs a warning in development, unless one of the readers reads how turns end
 */
export function command<Args extends unknown[], R>(
  run: (...args: Args) => Promise<R>,
  readers?: () => Pick<SessionOutputs, 'projection' | 'stream'>,
): (...args: Args) => Promise<R> {
  return (...args) => {
    const promise = untracked(() => {
      try {
        return run(...args);
      } catch (error) {
        return Promise.reject<R>(error as Error);
      }
    });
    let isRead = false;
    promise.catch(({ code, message }: AgentSessionError) => {
      if (isRead || !readers) return;
      const { projection, stream } = readers();
      if (projection.showsEnds || stream.isRead) return;
      if (code !== 'cancelled' && code !== 'disposed')
        warn(`The call failed, and no code reads why (${code}): ${message} Read lastError, or await send().`);
    });
    // `await`, `then` and `Promise.all` read `constructor`.
    return Object.defineProperty(promise, 'constructor', {
      get: () => {
        isRead = true;
        return Promise;
      },
      configurable: true,
    });
  };
}
