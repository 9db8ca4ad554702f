import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from '../operations/observable.js';
import type { CancelRequested } from '../operations/turn-operations.js';
import type { Phase } from '../state/phase.js';

/** `cancel`: running tools finish. `abort`: running tools are aborted. */
type CancelLevel = CancelRequested['level'];
/** Whether the effects of a cancelled turn are rolled back or kept. */
type SideEffects = CancelRequested['sideEffects'];

/** How a turn is cancelled: whether its running tools are aborted, and what becomes of its effects. */
export interface CancelLevels {
  readonly immediate?: boolean | undefined;
  readonly sideEffects?: SideEffects | undefined;
}

/**
 * The state of a turn's cancellation. There are two levels. `cancel` ends every wait at once, but lets running tools and the app's own
 * confirmation handler finish. `abort` aborts those too. A second request can only raise the level.
 */
export class Cancellation {
  private current: CancelLevel | null = null;
  private effects: SideEffects = 'rollback';
  private readonly listeners = new Set<() => void>();

  get level(): CancelLevel | null {
    return this.current;
  }

  /** Whether the effects are rolled back or kept. The first request decides. */
  get sideEffects(): SideEffects {
    return this.effects;
  }

  /**
   * Raises the level for a request to cancel. A second request aborts the turn. Returns the fact of the request, or null if the request has no
   * effect: the turn is already aborted, commits or rolls back.
   */
  request({ immediate, sideEffects }: CancelLevels, phase: Phase): CancelRequested | null {
    if (this.current === 'abort' || phase === 'committing' || phase === 'rolling-back') return null;
    const level = immediate || this.current !== null ? 'abort' : 'cancel';
    this.raise(level, sideEffects === 'keep' ? sideEffects : 'rollback');
    return { type: 'cancelRequested', level, sideEffects: this.effects };
  }

  /** Raises the level. The waits end at `notify`, which is called after the operation `cancelRequested` was delivered. */
  raise(level: CancelLevel, sideEffects: SideEffects): void {
    if (this.current === null) this.effects = sideEffects;
    if (this.current !== 'abort') this.current = level;
  }

  /** Ends the waits that end at the current level. */
  notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Throws `cancelled` if the turn is cancelled. For code between two steps that a cancel does not interrupt. */
  checkpoint(): void {
    if (this.current !== null) throw cancelledError();
  }

  /**
   * An operator for waits. It errors with `cancelled` when the turn is cancelled, at either level.
   *
   * @param unless returns true while a step of the source runs that handles a cancel itself
   */
  untilCancelled<T>(unless: () => boolean = () => false): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current !== null && !unless());
  }

  /** Calls the listener once, when the turn is cancelled at either level. Returns a function that removes the listener. */
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

  /** An operator for work that may finish after a plain cancel. It errors with `cancelled` only at the level `abort`. */
  untilAborted<T>(): MonoTypeOperatorFunction<T> {
    return this.until(() => this.current === 'abort');
  }

  private until<T>(reached: () => boolean): MonoTypeOperatorFunction<T> {
    // The source gets the subscriber itself, so that its facts do not pass through a further subscriber.
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

/** Returns the error of a turn that was interrupted, and whose effects are taken back. */
export function abandonedError(): AgentSessionError {
  return new AgentSessionError('interrupted', 'The turn was interrupted, and was not continued.', {
    details: { abandoned: true },
  });
}
