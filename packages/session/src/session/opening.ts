import type { Input, Message } from '../conversation/message.js';
import { nothingUndone, type TurnOutcome, type TurnRecord } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ErrorInstances } from '../errors/error-instances.js';
import type { Ids } from '../ports/ports.js';
import type { ShownTurns } from '../state/shown-turns.js';
import { cancelledError } from '../errors/cancelled-error.js';
import type { CancelOptions, CancelReport, SendOptions } from './agent-session.js';
import { emptyReport } from './empty-report.js';
import type { LoadedSession } from './loaded-session.js';
import type { TurnEnd, TurnIds } from './prepared-turn.js';
import { hasFiles, readInput, withoutFiles } from './read-input.js';

/** A turn that was sent before the session is open. */
export interface SentTurn {
  readonly input: Input;
  readonly options: SendOptions | undefined;
  /**
   * Starts it in the session.
   *
   * @param ids of the turn and of its message, where a view shows them already
   */
  begin(session: LoadedSession, ids?: TurnIds): void;
  /** Ends its promise. */
  refuse(error: AgentSessionError): void;
}

/** A call that waits. */
interface Waiting {
  /** Carries it out. */
  begin(session: LoadedSession): void;
  /** Ends it, since the session cannot be opened now. Returns whether it waits for the next attempt all the same. */
  refuse(error: AgentSessionError): boolean;
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
  private readonly waiting: Waiting[] = [];
  private starting: HeldTurn | null = null;
  /** The turns that ended and wait to be recorded. */
  private ended: readonly HeldTurn[] = [];

  constructor(private readonly options: OpeningOptions) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** The turns to show; null where there are none. */
  get shown(): ShownTurns | null {
    const { starting, ended } = this;
    if (starting === null && ended.length === 0) return null;
    return {
      starting: starting && (starting.record ?? true),
      ended: ended.flatMap(({ record }) => record ?? []),
    };
  }

  /** Holds a call. */
  hold<R>(run: (session: LoadedSession) => R | Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({
        begin: (session) => {
          try {
            resolve(run(session));
          } catch (error) {
            reject(error as Error);
          }
        },
        refuse: (error) => {
          reject(error);
          return false;
        },
      });
    });
  }

  /**
   * Holds a turn, and shows it as starting. Throws the errors with which `send` rejects for the message alone, or while another one runs.
   * Returns the function that aborts it as long as it waits.
   */
  holdTurn(sent: SentTurn): () => void {
    if (this.starting !== null)
      throw new AgentSessionError('already-running', 'The session is busy: a turn is about to start.');
    const { signal } = sent.options ?? {};
    if (signal?.aborted) throw cancelledError();
    const turn = new HeldTurn(sent, this.options.ids);
    const abort = () => {
      if (this.starting === turn) this.end({ cancel: { immediate: true } }, cancelledError());
    };
    const forget = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort, { once: true });
    this.starting = turn;
    this.waiting.push({
      begin: (session) => {
        forget();
        this.begin(turn, session);
      },
      refuse: (error) => {
        if (this.starting === turn) this.end({ error }, error);
        forget();
        return turn.record !== null;
      },
    });
    this.options.show(this.shown);
    return abort;
  }

  /** Cancels the turn that starts. Returns null where there is none. */
  cancel(cancel: CancelOptions = {}): CancelReport | null {
    if (this.starting === null) return null;
    this.end({ cancel }, cancelledError());
    return { ...emptyReport('preparing', null), cancelled: true };
  }

  /** Ends the wait of all calls, as the code of the session cannot be loaded now, or never. Turns that were shown wait to be recorded. */
  fail(error: AgentSessionError): void {
    const all = this.waiting.splice(0);
    this.waiting.push(...all.filter((one) => one.refuse(error)));
  }

  /** Carries out the calls that wait, and those that are added meanwhile. */
  carryOut(session: LoadedSession): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) next.begin(session);
  }

  /** Ends the turn that starts. */
  private end(end: TurnEnd, error: AgentSessionError): void {
    const turn = this.starting!;
    this.starting = null;
    turn.ends(end, this.options.errors);
    if (turn.record !== null) this.ended = [...this.ended, turn];
    this.options.show(this.shown);
    turn.sent.refuse(error);
  }

  /** Starts a turn, or records how it ended. It is shown until its first operation takes its place. */
  private begin(turn: HeldTurn, session: LoadedSession): void {
    if (this.starting === turn) this.starting = null;
    this.ended = this.ended.filter((one) => one !== turn);
    session.core.show(this.shown);
    const { sent, ids, end } = turn;
    if (end === null) return sent.begin(session, ids);
    // The session that owns the log has its own turns.
    if (turn.record === null || session.isElsewhere) return;
    try {
      session.record(sent.input, sent.options, ids, end);
    } catch {
      // Its options are wrong, so that it could not have begun.
    }
  }
}

/** A turn that waits, and its record as it is shown. */
class HeldTurn {
  readonly ids: TurnIds;
  /** null for a message whose files have to be read first. */
  record: TurnRecord | null;
  /** null while it starts. */
  end: TurnEnd | null = null;

  constructor(
    readonly sent: SentTurn,
    ids: Ids,
  ) {
    const { input } = sent;
    this.ids = { turn: ids.next('turn'), message: ids.next('message') };
    const { turn: id, message } = this.ids;
    this.record = hasFiles(input)
      ? null
      : startingTurn(id, { id: message, role: 'user', parts: readInput(withoutFiles(input).own) });
  }

  ends(end: TurnEnd, errors: ErrorInstances): void {
    this.end = end;
    if (this.record === null) return;
    const outcome = outcomeOf(end);
    if ('error' in end) errors.remember(outcome.error!, end.error);
    this.record = { ...this.record, status: outcome.status, outcome };
  }
}

function startingTurn(id: string, input: Message): TurnRecord {
  return {
    id,
    parentId: null,
    input,
    rounds: [],
    status: 'running',
    outcome: null,
    messageIds: [],
    effects: [],
  };
}

function outcomeOf(end: TurnEnd): TurnOutcome {
  const spent = { usage: null, rounds: 0 };
  if ('error' in end) return { status: 'failed', ...spent, error: end.error.toJSON(), report: nothingUndone };
  const isKept = end.cancel.sideEffects === 'keep';
  return { status: 'cancelled', ...spent, ...(isKept ? {} : { report: nothingUndone }) };
}
