import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from '../operations/observable.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { CancelRequested } from '../operations/turn-operations.js';

export type CancelLevel = CancelRequested['level'];
export type SideEffects = CancelRequested['sideEffects'];

/**
 * The one way in which a turn is cancelled. Two levels: `cancel` ends every wait at once, but lets running tools and the
 * app's own confirmation handler finish; `abort` cuts those too. A turn is cancelled once; the second request can only
 * raise the level.
 */
export class Cancellation {
  private current: CancelLevel | null = null;
  private effects: SideEffects = 'rollback';
  private readonly listeners = new Set<() => void>();

  get level(): CancelLevel | null {
    return this.current;
  }

  /** Whether the effects are rolled back or kept; the first request decides. */
  get sideEffects(): SideEffects {
    return this.effects;
  }

  /** Raises the level. The waits end only at `notify`, after the operation `cancelRequested` is out. */
  raise(level: CancelLevel, sideEffects: SideEffects): void {
    if (this.current === null) this.effects = sideEffects;
    if (this.current !== 'abort') this.current = level;
  }

  /** Ends the waits that the level ends. */
  notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Between two steps that are not interrupted themselves: ends the turn here when it is cancelled. */
  checkpoint(): void {
    if (this.current !== null) throw cancelledError();
  }

  /**
   * For waits: ends the source at once when the turn is cancelled, at either level.
   *
   * @param unless true while a step of the source runs that reacts to a cancel by itself
   */
  untilCancelled<T>(unless: () => boolean = () => false): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current !== null && !unless());
  }

  /** For work that a plain cancel lets finish. */
  untilAborted<T>(): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current === 'abort');
  }

  private until<T>(reached: () => boolean): MonoTypeOperatorFunction<T> {
    // The source gets the subscriber itself, so that its facts pass without a step in between.
    return (source) =>
      new Observable<T>((subscriber) => {
        const listener = () => {
          if (reached()) subscriber.error(cancelledError());
        };
        this.listeners.add(listener);
        subscriber.add(() => this.listeners.delete(listener));
        listener();
        if (!subscriber.closed) source.subscribe(subscriber);
      });
  }
}

export function cancelledError(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The turn was cancelled.');
}
