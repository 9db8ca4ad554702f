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

  /** What becomes of the effects: as the first request said. */
  get sideEffects(): SideEffects {
    return this.effects;
  }

  /** Raises the level. Nobody is told yet: first it has to be on record. */
  raise(level: CancelLevel, sideEffects: SideEffects): void {
    if (this.current === null) this.effects = sideEffects;
    if (this.current !== 'abort') this.current = level;
  }

  /** Tells everybody who waits. */
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
   * @param unless something in it runs that sees to a cancel itself
   */
  untilCancelled<T>(unless: () => boolean = () => false): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current !== null && !unless());
  }

  /** For work that a plain cancel lets finish. */
  untilAborted<T>(): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current === 'abort');
  }

  private until<T>(reached: () => boolean): MonoTypeOperatorFunction<T> {
    // The source gets the subscriber itself: whatever streams through here pays nothing for being interruptible.
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
