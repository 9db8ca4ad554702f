import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import type { LazyCode } from '../ports/lazy-code.js';
import { any, flag, only, optional, type Read } from '../json/shape.js';
import { cancelledError } from '../errors/cancelled-error.js';
import type { RespondOutcome } from '../guards/decision.js';
import type { CancelReport, SendOptions, TurnResult, UndoOptions } from './agent-session.js';
import type { BranchParts } from './branch-parts.js';
import { emptyReport } from './empty-report.js';
import type { InterruptedParts } from './end-interruption.js';
import { respond } from './respond.js';
import { resumeCode, type ResumeCode } from './resume-code.js';
import { retry } from './retry-command.js';
import type { SessionLifetime } from './session-lifetime.js';
import { structuredCode } from './structured-code.js';
import { touch, undo, type Hold, type UndoParts } from './undo-command.js';
import type { Work } from './work.js';

/** The parts of a session that these commands use. */
export type CommandParts = UndoParts &
  Omit<InterruptedParts, 'hold'> & { readonly lifetime: SessionLifetime };

/** The parts of a session for commands that may be given while another one runs. */
export type BesideParts = CommandParts & {
  /** Opens the review of an interrupted turn again. */
  reopenReview(): Promise<void>;
};

/**
 * The commands beside the turns of `send`: they wait for code that is a chunk of its own, and hold each other off. The session is busy while
 * such code is loaded, and while an undo or a redo runs.
 */
export class SessionCommands implements Work {
  private current: Promise<unknown> | null = null;
  /** Settles when the answers to an interrupted turn that were given before are carried out; null while there is none. */
  private answering: Promise<unknown> | null = null;
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
    return undo(this.parts, () => this.hold(), direction, options);
  }

  /**
   * Clears redo where the app or the user changed a domain of turns that were undone, and has open questions look at it.
   *
   * @param isReport whether the domain reported it. While work runs, a report may be about a change of the session itself, and is left alone
   */
  touch(domain: string, isReport: boolean): void {
    const { core, host, lifetime } = this.parts;
    host.consent?.domainChanged(domain, isReport);
    const { undone, undoing } = core.current.fold;
    if (!undone && undoing === null) return;
    if (isReport && (lifetime.isBusy || host.runningCalls > 0)) return;
    touch(this.parts, domain, isReport);
  }

  /** Carries out a command for interrupted work. Rejects `nothing-to-resume`. */
  async interrupted<Name extends InterruptionCommand>(
    name: Name,
    ...args: Rest<Parameters<ResumeCode[Name]>>
  ): Promise<Awaited<ReturnType<ResumeCode[Name]>>> {
    const { core, lifetime, ports } = this.parts;
    lifetime.assertFree();
    if (!this.isInterrupted) throw new AgentSessionError('nothing-to-resume', 'Nothing was interrupted.');
    const { clock } = ports;
    const generation = core.current.liveTurn?.structured && structuredCode.get(clock);
    const code = Promise.all([resumeCode.get(clock), generation]);
    return this.loaded(code, ([loaded]) => {
      const run = loaded[name] as (...args: unknown[]) => Promise<Awaited<ReturnType<ResumeCode[Name]>>>;
      return run({ ...this.parts, hold: () => this.hold() }, ...args);
    });
  }

  /** Settles an open question. The first answer to those of an interrupted turn goes on with it; the others wait for that. */
  respond(...args: Rest<Parameters<ResumeCode['respond']>>): Promise<RespondOutcome> | RespondOutcome {
    const before = this.answering;
    if (before === null && !this.isInterrupted) return respond(this.parts, ...args);
    const answer = (before ?? Promise.resolve()).then(() =>
      this.isInterrupted ? this.interrupted('respond', ...args) : respond(this.parts, ...args),
    );
    const answering = answer
      .catch(() => {})
      .then(() => {
        if (this.answering === answering) this.answering = null;
      });
    this.answering = answering;
    return answer;
  }

  /** Runs a command that may be given while another one runs. */
  async beside<R>(run: (parts: BesideParts) => Promise<R>): Promise<R> {
    this.parts.lifetime.assertAlive();
    return run({ ...this.parts, reopenReview: () => this.interrupted('reopenReview') });
  }

  /** Runs a command that starts a turn or moves the head, and whose code is a chunk of its own. */
  async late<Code, R>(
    chunk: LazyCode<Code>,
    run: (code: Code, parts: BranchParts) => Promise<R>,
  ): Promise<R> {
    const { lifetime, ports } = this.parts;
    lifetime.assertFree();
    return this.moving(
      async () => chunk.get(ports.clock),
      (code, mover) => run(code, { ...this.parts, ...mover, hold: () => held }),
    );
  }

  /** Repeats the last turn. A command that is refused changes nothing. */
  async retry(options?: SendOptions): Promise<TurnResult> {
    this.parts.lifetime.assertFree();
    const run = (_loaded: unknown, mover: Mover) =>
      retry({ ...this.parts, ...mover, hold: () => held }, options);
    // The session is busy while interrupted work is ended.
    if (this.isInterrupted) return this.moving(async () => {}, run);
    return run(null, { signal: new AbortController().signal, release: held.end });
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
    return this.cancelMove() ?? (this.isInterrupted ? this.interrupted('cancel') : null);
  }

  /** Ends a command before it moves the head. Returns null when there is none. */
  cancelMove(): Promise<CancelReport> | null {
    const landed = this.parts.core.shownState.phase;
    return this.endMove() ? this.ended.then(() => emptyReport(landed, true)) : null;
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

  /**
   * Runs a command that moves the head, once its code or its files are loaded. The session is shown as running from the call on, and refuses other
   * commands, until the command releases it or ends.
   */
  private moving<T, R>(
    load: (signal: AbortSignal) => Promise<T>,
    run: (loaded: T, mover: Mover) => Promise<R>,
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
    return Promise.race([load(signal), cancelled])
      .then((loaded) => run(loaded, { signal, release }))
      .finally(() => {
        release();
        // Also after a command without an operation, which would have published the end of the start.
        core.publish();
      });
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

/** The commands that end interrupted work, or go on with it. */
type InterruptionCommand = keyof ResumeCode;

type Rest<Args extends readonly unknown[]> = Args extends readonly [unknown, ...infer More] ? More : never;

/** A command that moves the head: its cancel, and the end of its hold on other commands. */
type Mover = Pick<BranchParts, 'signal' | 'release'>;

/** A hold that does nothing: for a command that blocks the other commands by itself. */
const held: Hold = { release: () => {}, end: () => {} };

// A turn without effects and an unknown one are refused alike.
const undoShape = only({ force: optional(flag), turnId: any } satisfies Record<keyof UndoOptions, Read>);
