import { isReviewed, type TurnRecord, type UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import type { LazyCode } from '../ports/lazy-code.js';
import { any, flag, only, optional, type Read } from '../json/shape.js';
import { cancelledError } from '../turn/cancellation.js';
import type { CancelReport, SendOptions, TurnResult, UndoOptions } from './agent-session.js';
import type { BranchParts } from './branch-parts.js';
import { emptyReport } from './empty-report.js';
import type * as interruption from './end-interruption.js';
import { logCode } from './log-code.js';
import type { SessionLifetime } from './session-lifetime.js';
import { reviewCode } from './review-code.js';
import { structuredCode } from './structured-code.js';
import { turnCode, type TurnCode } from './turn-code.js';
import type { Hold, UndoParts } from './undo-command.js';
import type { Work } from './work.js';

/** The parts of a session that these commands use. */
export type CommandParts = UndoParts &
  Omit<interruption.InterruptedParts, 'hold'> & { readonly lifetime: SessionLifetime };

/**
 * The commands whose code is loaded with that of turns, which nothing else needs before a turn has run: undo, redo, retry, and those
 * that end interrupted work. The session is busy while the code is loaded, and while an undo or a redo runs.
 */
export class LateCommands implements Work {
  private current: Promise<unknown> | null = null;
  /** Ends the command that moves the head, until the head moves; null while there is none. */
  private mover: AbortController | null = null;

  constructor(private readonly parts: CommandParts) {}

  get isRunning(): boolean {
    return this.current !== null;
  }

  get ended(): Promise<unknown> {
    return this.current ?? Promise.resolve();
  }

  /** Whether there is interrupted work to end. */
  get isInterrupted(): boolean {
    return this.parts.core.current.interrupted !== null;
  }

  /** Undoes or redoes a turn. Rejects before any change, see `AgentSession.undo`. */
  async undo(direction: 'undo' | 'redo', options: UndoOptions = {}): Promise<UndoReport> {
    const { core, lifetime } = this.parts;
    lifetime.assertFree();
    checked(undoShape, options, `The options of ${direction}`);
    if (core.current.undoEntries.length === 0)
      throw new AgentSessionError('nothing-to-undo', `There is nothing to ${direction}.`);
    const run = ({ undo }: TurnCode) => undo(this.parts, () => this.hold(), direction, options);
    const code = this.turnCode();
    return code instanceof Promise ? this.loaded(code, run) : run(code);
  }

  /**
   * Clears redo where the app or the user changed a domain of turns that were undone.
   *
   * @param isReport whether the domain reported it. While work runs, a report may be about a change of the session itself, and is left alone
   */
  touch(domain: string, isReport: boolean): void | Promise<void> {
    const { core, host, lifetime } = this.parts;
    const { undone, undoing } = core.current.fold;
    if (!undone && undoing === null) return undefined;
    if (isReport && (lifetime.isBusy || host.runningCalls > 0)) return undefined;
    const run = (code: TurnCode) => code.touch(this.parts, domain, isReport);
    const code = this.turnCode();
    return code instanceof Promise ? code.then(run) : run(code);
  }

  /** Repeats the last turn. Rejects `nothing-to-retry` unless it failed or was cancelled. */
  async retry(options: SendOptions = {}): Promise<TurnResult> {
    const { core, lifetime, runner } = this.parts;
    lifetime.assertFree();
    const { liveTurn } = core.current;
    if ((liveTurn ?? core.state.turns.at(-1))?.structured !== undefined)
      throw new AgentSessionError('unsupported', 'A turn of generate is not repeated: call generate again.');
    if (this.isInterrupted && liveTurn !== null) runner.retrySettings(liveTurn, options);
    if (this.isInterrupted) await this.abandon();
    lifetime.assertFree();
    const last = core.state.turns.at(-1);
    if (!isRetryable(last))
      throw new AgentSessionError('nothing-to-retry', 'The last turn neither failed nor was it cancelled.');
    const run = ({ moveTo }: TurnCode) =>
      runner.start(runner.prepareRetry(last, options, moveTo(last.parentId, core.current)));
    const code = this.turnCode();
    if (!(code instanceof Promise)) return run(code);
    return this.moving(code, async (loaded, { release }) => {
      release();
      lifetime.assertFree();
      return run(loaded);
    });
  }

  /** Goes on with interrupted work. Rejects `nothing-to-resume`. */
  async resume(): Promise<TurnResult | UndoReport> {
    return this.withInterruptionCode(({ resume }) => resume(this.interruptedParts));
  }

  /** Takes interrupted work back, or ends it where its end had begun. Rejects `nothing-to-resume`. */
  async abandon(): Promise<UndoReport> {
    return this.withInterruptionCode(({ abandon }) => abandon(this.interruptedParts));
  }

  /** Settles a request that was open at the interruption: goes on with the turn, which asks again. */
  async respond(requestId: string, decision: Decision): Promise<RespondOutcome> {
    return this.withInterruptionCode(({ respond }) => respond(this.interruptedParts, requestId, decision));
  }

  /** Decides about effects under review; those of an interrupted turn are opened again. */
  async review(decision: 'accept' | 'reject', ids?: readonly string[]): Promise<UndoReport> {
    const { lifetime, ports } = this.parts;
    lifetime.assertAlive();
    const loaded = reviewCode.get(ports.clock);
    const { decide } = loaded instanceof Promise ? await loaded : loaded;
    return decide(this.parts, decision, ids, () =>
      this.withInterruptionCode(({ reopenReview }) => reopenReview(this.interruptedParts)),
    );
  }

  /** Runs a command that starts a turn or moves the head, and whose code is a chunk of its own. */
  async late<Code, R>(
    chunk: LazyCode<Code>,
    run: (code: Code, parts: BranchParts) => Promise<R>,
  ): Promise<R> {
    const { lifetime, ports } = this.parts;
    lifetime.assertFree();
    const code = Promise.all([chunk.get(ports.clock), this.turnCode()]);
    return this.moving(code, ([loaded], mover) => run(loaded, { ...this.parts, ...mover, hold: () => held }));
  }

  /** Reads the files of a message, then starts its turn. A turn that another session runs is shown as it is meanwhile. */
  async reading<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R> {
    const { core, lifetime } = this.parts;
    lifetime.assertFree();
    if (core.current.isRunning) return run(await read(new AbortController().signal));
    return this.moving(read, async (loaded, { release }) => {
      release();
      lifetime.assertFree();
      return run(loaded);
    });
  }

  /** Ends a command before it moves the head, or abandons interrupted work. Returns null when there is neither. */
  cancel(): Promise<CancelReport> | null {
    return this.cancelMove() ?? (this.isInterrupted ? this.cancelInterrupted() : null);
  }

  /** Ends a command before it moves the head. Returns null when there is none. */
  cancelMove(): Promise<CancelReport> | null {
    const landed = this.parts.core.state.phase;
    if (!this.endMove()) return null;
    return this.ended.then(() => ({ ...emptyReport(landed, null), cancelled: true }));
  }

  /** Ends a command before it moves the head. Returns whether there is one. */
  endMove(): boolean {
    this.mover?.abort();
    return this.mover !== null;
  }

  /** Refuses other commands until one of the returned functions is called. */
  private hold(): Hold {
    let end!: () => void;
    const current = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.current = current;
    const release = () => {
      if (this.current === current) this.current = null;
    };
    return {
      release,
      end: () => {
        release();
        end();
      },
    };
  }

  private async cancelInterrupted(): Promise<CancelReport> {
    return this.withInterruptionCode(({ cancel }) => cancel(this.interruptedParts));
  }

  private withInterruptionCode<R>(run: (code: typeof interruption) => R | Promise<R>): Promise<R> {
    const { core, lifetime, ports } = this.parts;
    lifetime.assertFree();
    if (!this.isInterrupted) throw new AgentSessionError('nothing-to-resume', 'Nothing was interrupted.');
    const { clock } = ports;
    const generation = core.current.liveTurn?.structured && structuredCode.get(clock);
    const review = isReviewed(core.current.liveTurn) && reviewCode.get(clock);
    const code = Promise.all([logCode.get(clock), this.turnCode(), generation, review]);
    return this.loaded(code, ([loaded]) => run(loaded));
  }

  private get interruptedParts(): interruption.InterruptedParts {
    return { ...this.parts, hold: () => this.hold() };
  }

  /**
   * Runs a command that moves the head, once its code is loaded. The session is shown as running from the call on, and refuses other
   * commands, until the command releases it or ends.
   */
  private moving<T, R>(
    code: Promise<T> | ((signal: AbortSignal) => Promise<T>),
    run: (code: T, mover: Mover) => Promise<R>,
  ): Promise<R> {
    const { core } = this.parts;
    const { end } = this.hold();
    const mover = (this.mover = new AbortController());
    const { signal } = mover;
    const release = () => {
      if (this.mover !== mover) return;
      this.mover = null;
      core.showStarting(false);
      end();
    };
    core.showStarting(true);
    core.publish();
    const cancelled = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(cancelledError())),
    );
    return Promise.race([code instanceof Promise ? code : code(signal), cancelled])
      .then((loaded) => run(loaded, { signal, release }))
      .finally(() => {
        release();
        // Also after a command without an operation, which would have published the end of the start.
        core.publish();
      });
  }

  /** Returns the code of turns, whose handlers these commands need too; that which writes to the journal is loaded with it. */
  private turnCode(): TurnCode | Promise<TurnCode> {
    const { core, ports } = this.parts;
    const withHandlers = (code: TurnCode) => {
      core.addHandlers(code.lazyHandlers);
      return code;
    };
    const code = turnCode.get(ports.clock);
    const writer = core.journal?.load();
    if (!(code instanceof Promise) && !writer) return withHandlers(code);
    return Promise.all([code, writer]).then(([loaded]) => withHandlers(loaded));
  }

  /**
   * Holds other commands off while code is loaded, then runs a command of it, in the same step: no other command begins in between.
   * The session may be disposed meanwhile.
   */
  private loaded<T, R>(code: Promise<T>, run: (code: T) => R | Promise<R>): Promise<R> {
    const { end } = this.hold();
    return code.then(
      (loaded) => {
        end();
        this.parts.lifetime.assertFree();
        return run(loaded);
      },
      (error: unknown) => {
        end();
        throw error;
      },
    );
  }
}

/** A command that moves the head: its cancel, and the end of its hold on other commands. */
type Mover = Pick<BranchParts, 'signal' | 'release'>;

/** The hold of work that a command does which holds other commands off itself. */
const held: Hold = { release: () => {}, end: () => {} };

// A turn without effects and an unknown one are refused alike.
const undoShape = only({ force: optional(flag), turnId: any } satisfies Record<keyof UndoOptions, Read>);

function isRetryable(turn: TurnRecord | undefined): turn is TurnRecord {
  return turn?.status === 'failed' || turn?.status === 'cancelled';
}
