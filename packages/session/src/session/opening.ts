import { AgentSessionError } from '../errors/agent-session-error.js';
import { cancelledError } from '../errors/cancelled-error.js';
import type { ErrorInstances } from '../errors/error-instances.js';
import type { Ids } from '../ports/ports.js';
import type { ShownState } from '../state/shown-state.js';
import type { CancelOptions, CancelReport } from './agent-session.js';
import { emptyReport } from './empty-report.js';
import { HeldTurn, type SentTurn } from './held-turn.js';
import type { LoadedSession } from './loaded-session.js';
import type { TurnEnd } from './prepared-turn.js';

/** A call that waits until the session is open. */
interface Waiting {
  /** Carries out the call. Returns a promise if the later calls have to wait for more. */
  begin(session: LoadedSession): void | Promise<unknown>;
  /** Rejects the call if the session cannot be opened now. Absent: the call waits for the next attempt. */
  refuse?(error: AgentSessionError): void;
}

interface OpeningOptions {
  readonly ids: Ids;
  readonly errors: ErrorInstances;
  readonly shown: ShownState;
  /** Publishes the shown turns. */
  publish(): void;
}

/**
 * Holds calls until a session can carry them out: its code is being loaded, or its log is not read yet. The calls are carried out in order.
 * Meanwhile a turn is shown as starting. A turn that ends before it can begin is shown as ended, and recorded when the session is open.
 */
export class Opening {
  private waiting: Waiting[] = [];
  /** The turn that starts; null if every waiting turn has ended. */
  private starting: HeldTurn | null = null;

  constructor(private readonly options: OpeningOptions) {}

  /** Returns true if a cancel could end none of the waiting calls. */
  get isIdle(): boolean {
    return this.waiting.every(({ refuse }) => !refuse);
  }

  /** Holds a call until the session is open. */
  hold<R>(run: (session: LoadedSession) => R | Promise<R>): Promise<R> {
    return new Promise<R>((resolve, refuse) => {
      this.waiting.push({
        begin: (session) => resolve((async () => run(session))()),
        refuse,
      });
    });
  }

  /** Holds a call without a result. If the session cannot be opened now, the call waits for the next attempt. */
  keep(run: (session: LoadedSession) => void): void {
    this.waiting.push({ begin: (session) => void (async () => run(session))().catch(() => {}) });
  }

  /**
   * Holds a turn, and shows it as starting. Throws the errors with which `send` rejects because of the message, or because another turn
   * runs. Returns the function that aborts the turn while it waits.
   */
  holdTurn(sent: SentTurn): () => void {
    if (this.starting)
      throw new AgentSessionError('already-running', 'The session is busy: a turn is about to start.');
    const { signal } = sent.options ?? {};
    if (signal?.aborted) throw cancelledError();
    const { ids, shown, publish } = this.options;
    const turn = new HeldTurn(sent, ids, shown);
    const abort = () => {
      if (this.starting === turn) this.end({ cancel: { immediate: true } }, cancelledError());
    };
    const forget = () => signal?.removeEventListener?.('abort', abort);
    // When the turn begins, the check of its options also checks that this is a signal.
    signal?.addEventListener?.('abort', abort, { once: true });
    this.starting = turn;
    this.waiting.push({
      begin: (session) => {
        forget();
        return session.beginHeld(turn, () => this.hide(turn));
      },
    });
    publish();
    return abort;
  }

  /** Cancels the turn that starts. Returns null if no turn starts. */
  cancel(cancel: CancelOptions = {}): CancelReport | null {
    if (!this.starting) return null;
    this.end({ cancel }, cancelledError(), cancel);
    return emptyReport('preparing', true);
  }

  /**
   * Rejects the waiting calls, because the session cannot be opened now or at all. Turns that were shown wait until they can be recorded.
   */
  fail(error: AgentSessionError): void {
    const all = this.waiting;
    this.waiting = all.filter(({ refuse }) => !refuse);
    // A call that is made during the loop is placed after the calls that stay.
    for (const { refuse } of all) refuse?.(error);
    if (this.starting) this.end({ error }, error);
  }

  /** Carries out the waiting calls. If a call has to wait for more, returns its promise, and the later calls stay. */
  carryOut(session: LoadedSession): Promise<unknown> | void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const more = next.begin(session);
      if (more) return more;
    }
  }

  /**
   * Ends the turn that starts. The calls made after it were called while it ran, so its end is placed after them.
   *
   * @param cancel the options of the session's `cancel`, which also ends another turn that keeps this turn from beginning
   */
  private end(end: TurnEnd, error: AgentSessionError, cancel?: CancelOptions): void {
    const { errors, publish } = this.options;
    const turn = this.starting!;
    this.starting = null;
    turn.ends(end, errors);
    this.waiting.push({ begin: (session) => session.endHeld(turn, cancel) });
    publish();
    turn.sent.refuse(error);
  }

  private hide(turn: HeldTurn): void {
    turn.hide();
    if (this.starting === turn) this.starting = null;
  }
}
