import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from '../operations/observable.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { cancelledError } from '../errors/cancelled-error.js';
import type { CancelRequested } from '../operations/turn-operations.js';

/** `cancel`: running tools finish. `abort`: they are cut. */
export type CancelLevel = CancelRequested['level'];
/** The treatment of a cancelled turn's effects. */
export type SideEffects = CancelRequested['sideEffects'];

/**
 * The state of a turn's cancellation. It has two levels: `cancel` ends every wait at once, but lets running tools and the app's own
 * confirmation handler finish; `abort` cuts those too. A second request can only raise the level.
 */
export class Cancellation {
  private current: CancelLevel | null = null;
  private effects: SideEffects = 'rollback';
  private readonly listeners = new Set<() => void>();

  get level(): CancelLevel | null {
    return this.current;
  }

  /** Whether the effects are rolled back or kept, by the first request. */
  get sideEffects(): SideEffects {
    return this.effects;
  }

  /** Raises the level. The waits end at `notify`, which is called after the operation `cancelRequested` was delivered. */
  raise(level: CancelLevel, sideEffects: SideEffects): void {
    if (this.current === null) this.effects = sideEffects;
    if (this.current !== 'abort') this.current = level;
  }

  /** Ends the waits that the level ends. */
  notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Throws `cancelled` once the turn is cancelled. For code between two steps that a cancel does not interrupt. */
  checkpoint(): void {
    if (this.current !== null) throw cancelledError();
  }

  /**
   * An operator for waits: errors with `cancelled` when the turn is cancelled, at either level.
   *
   * @param unless returns true while a step of the source runs that handles a cancel itself
   */
  untilCancelled<T>(unless: () => boolean = () => false): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current !== null && !unless());
  }

  /** Calls the listener once, when the turn is cancelled at either level. Returns the function that removes it. */
  onCancelled(listener: () => void): () => void {
    const { listeners } = this;
    const once = () => {
      if (this.current === null) return;
      listeners.delete(once);
      listener();
    };
    listeners.add(once);
    return () => listeners.delete(once);
  }

  /** An operator for work that a plain cancel lets finish: errors with `cancelled` at the level `abort` only. */
  untilAborted<T>(): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current === 'abort');
  }

  private until<T>(reached: () => boolean): MonoTypeOperatorFunction<T> {
    // The source gets the subscriber itself, so that no further subscriber handles each of its facts.
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

/** Returns the error of a turn that was interrupted, and is taken back. */
export function abandonedError(): AgentSessionError {
  return new AgentSessionError('interrupted', 'The turn was interrupted, and was not continued.', {
    details: { abandoned: true },
  });
}
