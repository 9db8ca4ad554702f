import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { checked } from '@banister/provider/internal/errors/checked';
import { any, flag, only, optional, type Read } from '@banister/provider/internal/json/shape';
import type { UndoReport } from '../conversation/turn-record.js';
import type { LazyCode } from '../ports/lazy-code.js';
import type { RespondOutcome } from '../guards/decision.js';
import type { CancelOptions, CancelReport, SendOptions, TurnResult, UndoOptions } from './agent-session.js';
import { assertWriter, type BranchParts } from './branch-parts.js';
import { emptyReport } from './empty-report.js';
import type { InterruptedParts } from './end-interruption.js';
import { InOrder } from './in-order.js';
import type { Way } from './lane.js';
import type { PreparedTurn } from './prepared-turn.js';
import { resumeCode, type ResumeCode } from './resume-code.js';
import { retry } from './retry-command.js';
import type { SessionLane } from './session-lane.js';
import { structuredCode } from '../structured/structured-code.js';
import { touch, undo, type Hold, type UndoParts } from './undo-command.js';
import { untilAborted } from './until-aborted.js';

/** The parts of a session that the commands of {@link SessionCommands} need. */
type CommandParts = UndoParts & Omit<InterruptedParts, 'hold'> & { readonly lane: SessionLane };

/** The commands that keep other commands from beginning, apart from the turns of `send`, and the commands that end such a command. */
export class SessionCommands {
  /** The answers to questions of an interrupted turn. */
  private readonly answers = new InOrder();
  /** Settles when `cancel` has taken interrupted work back; null while no such cancel runs. */
  private cancelling: Promise<CancelReport> | null = null;
  /** How many times `cancel` was called. */
  private cancels = 0;

  constructor(private readonly parts: CommandParts) {}

  /** Undoes or redoes a turn. Rejects before any change, see `AgentSession.undo`. */
  async undo(direction: 'undo' | 'redo', options: UndoOptions = {}): Promise<UndoReport> {
    const { core, lane } = this.parts;
    this.checkUndo(direction, options);
    if (core.current.undoEntries.length === 0)
      throw new AgentSessionError(
        'nothing-to-undo',
        `There is nothing to ${direction}: no turn has recorded an effect.`,
      );
    return undo(this.parts, () => lane.hold('undo'), direction, options);
  }

  /** Throws `invalid-configuration` for options that undo and redo do not have. */
  checkUndo(direction: 'undo' | 'redo', options: UndoOptions = {}): void {
    checked(undoShape, options, `The options of ${direction}`);
  }

  /**
   * Clears redo if the app or the user changed a domain of undone turns. Open questions check their previews against the change.
   *
   * @param isReport whether the domain reported the change. While work runs, such a report is ignored, because the session itself may have
   *   made the change
   */
  touch(domain: string, isReport: boolean): void {
    const { core, host, lane } = this.parts;
    host.desk.domainChanged(domain, isReport);
    const { undone, undoing } = core.current.fold;
    if (!undone && undoing === null) return;
    if (isReport && (lane.isBusy || host.runningCalls > 0)) return;
    touch(this.parts, domain, isReport);
  }

  /** Carries out a command for interrupted work. Rejects `nothing-to-resume`, and as `interruptionCode` does. */
  async interrupted<Name extends InterruptionCommand>(
    name: Name,
    ...args: Rest<Parameters<ResumeCode[Name]>>
  ): Promise<Awaited<ReturnType<ResumeCode[Name]>>> {
    const { lane } = this.parts;
    lane.wayOf('resume');
    const aborter = new AbortController();
    const code = this.interruptionCode(aborter.signal);
    const run = (loaded: ResumeCode) => {
      const command = loaded[name] as (...args: unknown[]) => ReturnType<ResumeCode[Name]>;
      return command({ ...this.parts, hold: () => lane.hold('undo') }, ...args);
    };
    const takesBack = name === 'abandon' || name === 'cancel';
    return this.waited(takesBack ? 'ending' : 'resuming', aborter, code, run);
  }

  /** Takes interrupted work back. If a command waits to go on with the work, it is stopped before it begins. */
  async abandon(): Promise<UndoReport> {
    const { lane } = this.parts;
    while (lane.at === 'resuming') await lane.stop('resuming');
    return this.interrupted('abandon');
  }

  /** Takes interrupted work back before a turn starts. Rejects `cancelled` if the turn is cancelled meanwhile. */
  async abandonBefore({ signal, left }: PreparedTurn): Promise<void> {
    const { cancels } = this;
    const signals = [signal, left].filter((one) => one !== undefined);
    const end = () => void this.parts.lane.stop('resuming', 'ending');
    for (const one of signals) one.addEventListener('abort', end);
    try {
      await this.interrupted('abandon');
    } finally {
      for (const one of signals) one.removeEventListener('abort', end);
    }
    if (this.cancels !== cancels || signals.some(({ aborted }) => aborted)) throw cancelledError();
  }

  /**
   * Returns the code that ends interrupted work, or a promise if the code has to be loaded. The promise rejects `network`; `cancelled` or
   * `disposed` if the command is stopped first; and `storage` if another session has taken the log meanwhile.
   */
  private interruptionCode(signal: AbortSignal): ResumeCode | Promise<ResumeCode> {
    const { core, lane, ports } = this.parts;
    const { clock } = ports;
    const code = resumeCode.get(clock);
    const generation = core.current.liveTurn?.structured && structuredCode.get(clock);
    if (!(code instanceof Promise || generation instanceof Promise)) return code;
    return untilAborted(Promise.all([code, generation]), [signal, lane.signal]).then(([fetched]) => {
      assertWriter(this.parts);
      return fetched;
    });
  }

  /**
   * Keeps other commands from beginning until the code is loaded, then runs a command synchronously. While the code is loaded, the session
   * is shown as running.
   */
  private async waited<R>(
    as: 'resuming' | 'ending',
    aborter: AbortController,
    code: ResumeCode | Promise<ResumeCode>,
    run: (code: ResumeCode) => R,
  ): Promise<Awaited<R>> {
    const { core, lane } = this.parts;
    const { end } = lane.hold(as, aborter);
    const isFetched = code instanceof Promise;
    const hide = isFetched ? core.showStart() : () => {};
    const stop = () => {
      hide();
      end();
    };
    let result: R;
    try {
      const loaded = await code;
      stop();
      if (aborter.signal.aborted) throw cancelledError();
      lane.wayOf('resume');
      result = run(loaded);
    } catch (error) {
      stop();
      throw error;
    } finally {
      // If the command emits no operation, only this call publishes that the wait has ended.
      if (isFetched) core.publish();
    }
    return await result;
  }

  /**
   * Settles an open question. The first answer to a question of an interrupted turn resumes the turn; later answers wait for the first
   * answer.
   */
  async respond(_way: Way, ...args: Rest<Parameters<ResumeCode['respond']>>): Promise<RespondOutcome> {
    const answer = () =>
      this.isInterrupted ? this.interrupted('respond', ...args) : this.parts.host.desk.respond(...args);
    return this.answers.isIdle && !this.isInterrupted ? answer() : this.answers.add(answer);
  }

  /** Runs a command that starts a turn or moves the head, and whose code is in a chunk of its own. */
  fromChunk<Code, R>(chunk: LazyCode<Code>, run: (code: Code, parts: BranchParts) => Promise<R>): Promise<R> {
    return this.moving(
      async () => chunk.get(this.parts.ports.clock),
      (code, mover) => run(code, this.branchParts(mover)),
    );
  }

  /** Repeats the last turn. If the command is refused, nothing changes. */
  async retry(way: Way, options?: SendOptions): Promise<TurnResult> {
    const run = (_loaded: unknown, mover: Mover) => retry(this.branchParts(mover), options);
    // While interrupted work is ended, the session refuses other commands.
    if (way === 'wait') return this.moving(async () => {}, run);
    return run(null, { signal: new AbortController().signal, hide: noHold.end, release: noHold.end });
  }

  /** Reads the files of a message, then starts its turn. If another session runs a turn meanwhile, that turn is shown as usual. */
  async reading<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R> {
    const { core, lane } = this.parts;
    lane.wayOf('send');
    if (core.current.isRunning) return run(await read(new AbortController().signal));
    return this.moving(read, async (loaded, { release }) => {
      release();
      return run(loaded);
    });
  }

  /** Stops a command before it acts; otherwise takes interrupted work back, or cancels the running turn. */
  cancel(way: Way, options?: CancelOptions): Promise<CancelReport> {
    const { core, lane, runner } = this.parts;
    const { phase } = core.shownState;
    if (options?.child !== undefined) {
      const cancelled = () => runner.running?.cancelChild(options.child!, options);
      // At the first leaf of a child turn its stages have not begun.
      return cancelled() ?? Promise.resolve().then(() => cancelled() ?? emptyReport(phase));
    }
    this.cancels++;
    const moved = lane.stop('move')?.then(() => emptyReport(phase, true));
    if (moved) return moved;
    const isPutDown = core.current.liveTurn !== null;
    if (way === 'begin' || (core.journal?.outage && !isPutDown))
      return runner.running?.cancel(options) ?? Promise.resolve(emptyReport(core.state.phase));
    this.cancelling ??= this.cancelInterrupted(options).finally(() => (this.cancelling = null));
    return this.cancelling;
  }

  /** Takes interrupted work back. Commands that wait for the code of interrupted work are stopped first. */
  private async cancelInterrupted(options: CancelOptions = {}): Promise<CancelReport> {
    const { core, lane, runner } = this.parts;
    const outage = core.journal?.outage;
    if (outage) {
      this.noteCancel(options);
      await untilAborted(outage.ended, [lane.signal]);
      assertWriter(this.parts);
    }
    while (lane.at === 'resuming' || lane.at === 'ending') await lane.stop('resuming', 'ending');
    // Such a command may have begun just before it was stopped.
    if (this.isInterrupted) return this.interrupted('cancel');
    return runner.running?.cancel() ?? emptyReport(core.state.phase);
  }

  /**
   * Emits the cancel of a turn that was put down. The turn ends as cancelled after the log takes writes again. A turn that was interrupted
   * before that ends as failed, as for any cancel of interrupted work.
   */
  private noteCancel({ immediate, sideEffects = 'rollback' }: CancelOptions): void {
    const { core } = this.parts;
    const { liveTurn, fold, interrupted } = core.current;
    const { cancel = null, closing = null } = fold.turn ?? {};
    if (liveTurn === null || interrupted !== null || cancel !== null || closing !== null) return;
    const level = immediate ? 'abort' : 'cancel';
    core.emitTurn(liveTurn.id, { type: 'cancelRequested', level, sideEffects });
  }

  /** Returns true while there is interrupted work, even if a command that ends it waits. */
  private get isInterrupted(): boolean {
    return this.parts.core.current.interrupted !== null;
  }

  private branchParts(mover: Mover): BranchParts {
    const interruptionCode = (signal: AbortSignal) => this.interruptionCode(signal);
    return { ...this.parts, ...mover, hold: () => noHold, interruptionCode };
  }

  /**
   * Runs a command that moves the head, after its code or its files are loaded. From the call on, the session is shown as running and
   * refuses other commands, until the command releases it or ends.
   */
  private moving<T, R>(
    load: (signal: AbortSignal) => Promise<T>,
    run: (loaded: T, mover: Mover) => Promise<R>,
  ): Promise<R> {
    const { core, lane } = this.parts;
    const aborter = new AbortController();
    const { signal } = aborter;
    const { end } = lane.hold('move', aborter);
    const hide = core.showStart();
    const release = () => {
      hide();
      end();
    };
    return untilAborted(load(signal), [signal])
      .then((loaded) => run(loaded, { signal, hide, release }))
      .finally(() => {
        release();
        // If the command emitted no operation, only this call publishes that the session is not running any more.
        core.publish();
      });
  }
}

/** The commands that end interrupted work or go on with it. */
type InterruptionCommand = keyof ResumeCode;

type Rest<Args extends readonly unknown[]> = Args extends readonly [unknown, ...infer More] ? More : never;

/** The cancel signal of a command that moves the head, and the functions that let other commands begin. */
type Mover = Pick<BranchParts, 'signal' | 'hide' | 'release'>;

/** A hold that does nothing. A command that already keeps other commands out passes it on. */
const noHold: Hold = { release: () => {}, end: () => {} };

// The ids are not checked here: an unknown turn is refused like a turn without effects.
const undoShape = only({ force: optional(flag), turnId: any, child: any } satisfies Record<
  keyof UndoOptions,
  Read
>);
