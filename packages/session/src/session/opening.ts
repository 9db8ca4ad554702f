import type { AgentSessionError } from '../errors/agent-session-error.js';
import { cancelledError } from '../turn/cancellation.js';
import type { TurnResult } from './agent-session.js';
import { emptyReport } from './empty-report.js';
import type { CommandName, Detour, SessionAccess, TurnCommand } from './session-access.js';
import type { SessionCore } from './session-core.js';
import type { PreparedTurn } from './prepared-turn.js';

/** A turn that begins when the session is open. */
interface SentTurn {
  readonly id: string;
  /** Begins the turn, or with an error ends it before it has begun. */
  end(error: AgentSessionError | null): void;
}

/**
 * The time before a session has read its log. Commands wait for its end, in order; a turn is shown as starting, and begins before
 * they are carried out.
 */
export class Opening implements Detour {
  ended: Promise<unknown> = Promise.resolve();
  private attempt: Promise<void> | null = null;
  private sent: SentTurn | null = null;
  private readonly aborter = new AbortController();

  /** @param open reads the log, and calls `finish`; is called again by the command after a failure */
  constructor(
    private readonly access: SessionAccess,
    private readonly core: SessionCore,
    private readonly open: (opening: Opening) => Promise<void>,
  ) {}

  /** Fires when the session is disposed. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get isRunning(): boolean {
    return this.sent !== null;
  }

  /** Resolves when the session is open, or disposed. */
  ready(): Promise<void> {
    this.attempt ??= Promise.race([this.open(this), aborted(this.signal)]).catch((error: unknown) => {
      this.attempt = null;
      throw error;
    });
    return this.attempt;
  }

  /** Ends the opening. @param next the way of commands from now on; null when this session carries them out */
  finish(next: Detour | null): void {
    this.access.detour = next;
    this.sent?.end(null);
  }

  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R> {
    if (name === 'cancel' && this.sent !== null) {
      this.sent.end(cancelledError());
      return Promise.resolve({ ...emptyReport('preparing', null), cancelled: true } as R);
    }
    return this.ready().then(() => (this.signal.aborted ? run() : this.access.pass(name, args, run)));
  }

  start(command: TurnCommand, turn: PreparedTurn, run: () => Promise<TurnResult>): Promise<TurnResult> {
    const { access, core } = this;
    const { request, signal } = turn;
    const started = new Promise<TurnResult>((resolve, reject) => {
      const end = (error: AgentSessionError | null) => {
        this.sent = null;
        signal?.removeEventListener('abort', abort);
        core.showStarting(false);
        if (error === null) resolve(access.start(command, turn, run));
        else reject(error);
        core.publish();
      };
      const abort = () => end(cancelledError());
      const sent = (this.sent = { id: request.id, end });
      signal?.addEventListener('abort', abort);
      core.showStarting(true);
      core.publish();
      this.ready().catch((error: AgentSessionError) => {
        if (this.sent === sent) end(error);
      });
    });
    this.ended = started;
    return started;
  }

  abortTurn(id: string): void {
    if (this.sent?.id === id) this.sent.end(cancelledError());
  }

  abort(): void {
    this.aborter.abort();
    this.sent?.end(cancelledError());
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
