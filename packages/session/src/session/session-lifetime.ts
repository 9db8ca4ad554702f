import { AgentSessionError } from '../errors/agent-session-error.js';
import type { SessionCore } from './session-core.js';

/** A command that takes time: the turns of a session, or its undo and redo. */
export interface Work {
  readonly isRunning: boolean;
  /** Resolves when the running one ends, or at once when none runs. */
  readonly ended: Promise<unknown>;
}

/** Whether a session takes commands: not while it works, and not from the beginning of its disposal on. */
export class SessionLifetime {
  private disposal: Promise<void> | null = null;

  constructor(
    private readonly core: SessionCore,
    private readonly works: () => readonly Work[],
  ) {}

  /** Throws `disposed`. */
  assertAlive(): void {
    if (this.disposal !== null) throw new AgentSessionError('disposed', 'The session is disposed.');
  }

  /** Throws `disposed`, or `already-running`. */
  assertFree(): void {
    this.assertAlive();
    if (this.works().some((work) => work.isRunning)) {
      throw new AgentSessionError(
        'already-running',
        'The session is busy: a turn, an undo or a redo is running.',
      );
    }
  }

  /**
   * Ends the session, once: every call returns the same promise.
   *
   * @param abort ends the running turn
   */
  dispose(abort: () => void): Promise<void> {
    if (this.disposal === null) {
      let settle!: (end: Promise<void>) => void;
      // On record before anything is emitted: a subscriber that answers the end of the turn with a new one is refused.
      this.disposal = new Promise<void>((resolve) => {
        settle = resolve;
      });
      settle(this.end(abort));
    }
    return this.disposal;
  }

  private async end(abort: () => void): Promise<void> {
    const ended = this.works().map((work) => work.ended);
    abort();
    await Promise.all(ended);
    this.core.emitSession({ type: 'disposed' });
    this.core.close();
  }
}
