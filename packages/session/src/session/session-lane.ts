import { AgentSessionError } from '../errors/agent-session-error.js';
import { cancelledError } from '../errors/cancelled-error.js';
import { disposedError } from '../errors/disposed-error.js';
import type { Disposed } from '../operations/session-operations.js';
import type { Signal } from '../signals/signals-core.js';
import type { CommandName } from './command-table.js';
import type { Detour } from './detour.js';
import { interruptedFirst } from './interrupted-first.js';
import { next, type Lane, type Way } from './lane.js';
import type { SessionCore } from './session-core.js';
import type { Link } from './session-log.js';
import type { Hold } from './undo-command.js';

/** Work beside the turns that holds other commands off. */
interface Held {
  readonly lane: HeldLane;
  /** Ends it before it acts; absent where it acts already. */
  readonly aborter: AbortController | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

type HeldLane = Extract<Lane, 'undo' | 'move' | 'resuming' | 'ending'>;

/** The turns of a session. */
interface Turns {
  readonly isRunning: boolean;
  /** Resolves when the running turn ends, or at once when none runs. */
  readonly ended: Promise<unknown>;
}

/** The door of every command: it begins, waits, is refused, or goes to the session that owns the log. */
export class SessionLane {
  /** The way to the session that carries the commands out; null while this one does. */
  detour: Detour | null = null;
  /** Whether the log was read, where the session has one. */
  isOpen = false;
  /** The log of the session: `leave` is called at the start of the disposal, `close` at its end. */
  log: { leave(): void; close(): Promise<void> } | null = null;
  private held: Held | null = null;
  /** How many commands have not settled. */
  private running = 0;
  private disposal: Promise<void> | null = null;
  private readonly aborter = new AbortController();

  constructor(
    private readonly core: SessionCore,
    readonly link: Signal<Link>,
    private readonly turns: () => Turns,
  ) {}

  /** What the session does now. */
  get at(): Lane {
    const { core, held } = this;
    if (this.disposal !== null) return 'ended';
    if (!this.isOpen) return 'opening';
    if (this.detour !== null) return held?.lane === 'move' ? 'reading' : 'elsewhere';
    if (core.journal?.fencedBy) return 'fenced';
    if (this.isBusy) return held?.lane ?? 'turn';
    return core.current.interrupted === null ? 'idle' : 'interrupted';
  }

  /** Whether the session writes its operations itself. */
  get isHere(): boolean {
    return this.isOpen && this.detour === null;
  }

  /** Whether work runs, also where another session owns the log by now. */
  get isBusy(): boolean {
    return this.held !== null || this.turns().isRunning;
  }

  /** Whether a command of this session has not settled. */
  get isCarryingOut(): boolean {
    return this.running > 0;
  }

  /** Resolves when the work that runs has ended, or at once when none runs. */
  get ended(): Promise<unknown> {
    return Promise.allSettled([this.turns().ended, this.held?.ended]);
  }

  /** Fires when the session is disposed. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Returns the way of a command. Throws the error with which it is refused. */
  wayOf(name: CommandName): Way {
    const way = next(this.at, name);
    switch (way) {
      case 'already-running':
        throw new AgentSessionError(way, 'The session is busy: a turn, an undo or a redo is running.');
      case 'nothing-to-resume':
        throw new AgentSessionError(way, 'Nothing was interrupted.');
      case 'conflict':
        throw interruptedFirst();
      case 'storage':
        throw this.core.journal!.fencedBy!;
      case 'disposed':
        throw disposedError();
      default:
        return way;
    }
  }

  /** Passes a command through, or on. Rejects with the error with which it is refused. */
  enter<R>(name: CommandName, args: readonly unknown[], run: (way: Way) => Promise<R>): Promise<R> {
    let result: Promise<R>;
    this.running++;
    try {
      const way = this.wayOf(name);
      result = way === 'pass' ? this.detour!.pass(name, args, () => this.enter(name, args, run)) : run(way);
    } catch (error) {
      result = Promise.reject(error as Error);
    }
    const end = () => void this.running--;
    result.then(end, end);
    return result;
  }

  /**
   * Holds other commands off until one of the returned functions is called.
   *
   * @param aborter ends the work before it acts
   */
  hold(lane: HeldLane, aborter?: AbortController): Hold {
    let resolve!: () => void;
    const held: Held = { lane, aborter, ended: new Promise<void>((end) => (resolve = end)) };
    this.held = held;
    const release = () => {
      if (this.held === held) this.held = null;
    };
    return {
      release,
      end() {
        release();
        resolve();
      },
    };
  }

  /** Ends the work in one of these lanes before it acts. Returns its end; null where there is none. */
  stop(...lanes: readonly HeldLane[]): Promise<void> | null {
    const { held } = this;
    if (held === null || !lanes.includes(held.lane)) return null;
    held.aborter?.abort(cancelledError());
    return held.ended;
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
    this.detour?.abort();
    this.log?.leave();
    abort();
    await ended;
    // A session that is not open, or does not own its log, has no operation of its own.
    if (this.isHere) this.core.emitSession(this.disposed());
    this.core.close();
    // The end of the session stands also where it cannot be written.
    await this.core.journal?.close().catch(() => {});
    await this.log?.close();
  }

  private disposed(): Disposed {
    const isLeft = this.core.current.liveTurn !== null;
    return isLeft ? { type: 'disposed', left: true } : { type: 'disposed' };
  }
}
