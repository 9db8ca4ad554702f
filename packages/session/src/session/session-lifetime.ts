import { AgentSessionError } from '../errors/agent-session-error.js';
import { disposedError } from '../errors/disposed-error.js';
import type { SessionAccess } from './session-access.js';
import type { Disposed } from '../operations/session-operations.js';
import type { SessionCore } from './session-core.js';
import type { Work } from './work.js';

/** Decides whether a session accepts a command: not while another one runs, and not once `dispose` was called. */
export class SessionLifetime {
  private disposal: Promise<void> | null = null;
  private readonly aborter = new AbortController();

  constructor(
    private readonly core: SessionCore,
    private readonly access: SessionAccess,
    private readonly works: () => readonly Work[],
  ) {}

  /** Fires when the session is disposed. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Throws `disposed`; `storage` when another writer owns the session. */
  assertAlive(): void {
    if (this.disposal !== null) throw disposedError();
    const fencedBy = this.core.journal?.fencedBy;
    // Without a detour: with one, the commands go to the other writer.
    if (fencedBy && this.access.detour === null) throw fencedBy;
  }

  /** Throws as `assertAlive`, or `already-running`. */
  assertFree(): void {
    this.assertAlive();
    if (this.isBusy) {
      throw new AgentSessionError(
        'already-running',
        'The session is busy: a turn, an undo or a redo is running.',
      );
    }
  }

  /** Whether another command runs. */
  get isBusy(): boolean {
    return this.works().some((work) => work.isRunning);
  }

  /** Resolves when the running commands have ended, or at once when none runs. */
  get ended(): Promise<unknown> {
    return Promise.allSettled(this.works().map((work) => work.ended));
  }

  /**
   * Ends the session, once: every call returns the same promise.
   *
   * @param abort ends the running turn
   */
  dispose(abort: () => void): Promise<void> {
    if (this.disposal === null) {
      let resolveDisposal!: (end: Promise<void>) => void;
      // Set before any operation is emitted, so that a subscriber cannot start a new turn when this one ends.
      this.disposal = new Promise<void>((resolve) => {
        resolveDisposal = resolve;
      });
      resolveDisposal(this.end(abort));
    }
    return this.disposal;
  }

  private async end(abort: () => void): Promise<void> {
    const { ended } = this;
    this.aborter.abort(disposedError());
    this.access.detour?.abort();
    this.access.leave();
    abort();
    await ended;
    // A session that is not open, or does not own its log, has no operation of its own.
    if (this.access.isOpen && this.access.detour === null) this.core.emitSession(this.disposed());
    this.core.close();
    // The end of the session stands also where it cannot be written.
    await this.core.journal?.close().catch(() => {});
    await this.access.close();
  }

  private disposed(): Disposed {
    const isLeft = this.core.current.liveTurn !== null;
    return isLeft ? { type: 'disposed', left: true } : { type: 'disposed' };
  }
}
