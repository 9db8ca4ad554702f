import { AgentSessionError } from '../errors/agent-session-error.js';
import { cancelledError } from '../errors/cancelled-error.js';
import type { ErrorInstances } from '../errors/error-instances.js';
import type { Ids } from '../ports/ports.js';
import type { ShownTurns } from '../state/shown-turns.js';
import type { CancelOptions, CancelReport } from './agent-session.js';
import { emptyReport } from './empty-report.js';
import { HeldTurn, type SentTurn } from './held-turn.js';
import type { LoadedSession } from './loaded-session.js';
import type { TurnEnd } from './prepared-turn.js';

/** A call that waits. */
interface Waiting {
  /** Carries it out. Returns a promise where the calls behind it have to wait for more. */
  begin(session: LoadedSession): void | Promise<unknown>;
  /** Ends it, where the session cannot be opened now. Absent: it waits for the next attempt. */
  refuse?(error: AgentSessionError): void;
}

export interface OpeningOptions {
  readonly ids: Ids;
  readonly errors: ErrorInstances;
  /** Shows turns that have no operation yet. */
  show(turns: ShownTurns | null): void;
}

/**
 * The time before a session can carry calls out: its code is on its way, or its log is not read yet. Calls wait, and are carried out in their
 * order. A turn is shown as starting meanwhile; one that ends before it can begin is shown as ended, and recorded when the session is open.
 */
export class Opening {
  private waiting: Waiting[] = [];
  /** The turns that wait, in order. All but the last have ended. */
  private turns: readonly HeldTurn[] = [];

  constructor(private readonly options: OpeningOptions) {}

  /** Whether no call waits that a cancel could end. */
  get isIdle(): boolean {
    return this.waiting.every(({ refuse }) => !refuse);
  }

  /** The turns to show; null where there are none. */
  get shown(): ShownTurns | null {
    const { turns, starting } = this;
    if (turns.length === 0) return null;
    return {
      starting: starting ? (starting.record ?? true) : null,
      ended: turns.flatMap(({ end, record }) => (end && record) ?? []),
    };
  }

  private get starting(): HeldTurn | undefined {
    return this.turns.find(({ end }) => end === null);
  }

  /** Holds a call. */
  hold<R>(run: (session: LoadedSession) => R | Promise<R>): Promise<R> {
    return new Promise<R>((resolve, refuse) => {
      this.waiting.push({
        begin: (session) => resolve((async () => run(session))()),
        refuse,
      });
    });
  }

  /** Holds a call without a result, which waits for the next attempt where the session cannot be opened now. */
  keep(run: (session: LoadedSession) => void): void {
    this.waiting.push({ begin: (session) => void (async () => run(session))().catch(() => {}) });
  }

  /**
   * Holds a turn, and shows it as starting. Throws the errors with which `send` rejects for the message alone, or while another one runs.
   * Returns the function that aborts it as long as it waits.
   */
  holdTurn(sent: SentTurn): () => void {
    if (this.starting)
      throw new AgentSessionError('already-running', 'The session is busy: a turn is about to start.');
    const { signal } = sent.options ?? {};
    if (signal?.aborted) throw cancelledError();
    const turn = new HeldTurn(sent, this.options.ids);
    const abort = () => {
      if (this.starting === turn) this.end({ cancel: { immediate: true } }, cancelledError());
    };
    const forget = () => signal?.removeEventListener?.('abort', abort);
    // Whether it is a signal is checked with the other options, when the turn begins.
    signal?.addEventListener?.('abort', abort, { once: true });
    this.turns = [...this.turns, turn];
    this.waiting.push({
      begin: (session) => {
        forget();
        return session.beginHeld(turn, () => this.hide(turn));
      },
    });
    this.show();
    return abort;
  }

  /** Cancels the turn that starts. Returns null where there is none. */
  cancel(cancel: CancelOptions = {}): CancelReport | null {
    if (!this.starting) return null;
    this.end({ cancel }, cancelledError(), cancel);
    return emptyReport('preparing', true);
  }

  /** Ends the wait of calls, as the session cannot be opened now, or never. Turns that were shown wait to be recorded. */
  fail(error: AgentSessionError): void {
    const all = this.waiting;
    this.waiting = all.filter(({ refuse }) => !refuse);
    // Calls that are given from now on come behind those that stay.
    for (const { refuse } of all) refuse?.(error);
    if (this.starting) this.end({ error }, error);
  }

  /** Carries out the calls that wait. Returns a promise where one has to wait for more, and those behind it with it. */
  carryOut(session: LoadedSession): Promise<unknown> | void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const more = next.begin(session);
      if (more) return more;
    }
  }

  /**
   * Ends the turn that starts. Calls that were given since it was sent find it running.
   *
   * @param cancel of the session, which also ends another turn that keeps this one from beginning
   */
  private end(end: TurnEnd, error: AgentSessionError, cancel?: CancelOptions): void {
    const turn = this.starting!;
    turn.ends(end, this.options.errors);
    this.waiting.push({ begin: (session) => session.endHeld(turn, cancel) });
    this.show();
    turn.sent.refuse(error);
  }

  /** Returns the turns to show without this one, which has its first operation now, or is refused. */
  private hide(turn: HeldTurn): ShownTurns | null {
    this.turns = this.turns.filter((one) => one !== turn);
    return this.shown;
  }

  private show(): void {
    this.options.show(this.shown);
  }
}
