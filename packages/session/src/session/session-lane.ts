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

/** Work other than a turn that keeps other commands from beginning. */
interface Held {
  readonly lane: HeldLane;
  /** Stops the work before it acts; undefined if the work already acts. */
  readonly aborter: AbortController | undefined;
  /** Resolves when the work has ended. */
  readonly ended: Promise<void>;
}

type HeldLane = Extract<Lane, 'undo' | 'move' | 'resuming' | 'ending'>;

/** The turns of a session. */
interface Turns {
  readonly isRunning: boolean;
  /** Resolves when the running turn ends; resolves at once if no turn runs. */
  readonly ended: Promise<unknown>;
}

/** Every command of a session passes here. It begins, waits, is refused, or goes to the session that owns the log. */
export class SessionLane {
  /** Passes commands to the session that carries them out; null while this session does. */
  detour: Detour | null = null;
  /** Whether the session is open. A session with a log is open after it has read the log. */
  isOpen = false;
  /** The connection to the log. `leave` is called when the disposal starts, `close` when it ends. */
  log: { leave(): void; close(): Promise<void> } | null = null;
  private held: Held | null = null;
  /** The number of commands that have not settled. */
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
    if (core.journal?.outage) return 'unsaved';
    if (this.isBusy) return held?.lane ?? 'turn';
    return core.current.interrupted === null ? 'idle' : 'interrupted';
  }

  /** Whether this session writes its operations itself. */
  get isHere(): boolean {
    return this.isOpen && this.detour === null;
  }

  /** Whether work runs, even if another session owns the log by now. */
  get isBusy(): boolean {
    return this.held !== null || this.turns().isRunning;
  }

  /** Whether a command of this session has not settled. */
  get isCarryingOut(): boolean {
    return this.running > 0;
  }

  /** Resolves when the running work has ended; resolves at once if none runs. */
  get ended(): Promise<unknown> {
    return Promise.allSettled([this.turns().ended, this.held?.ended]);
  }

  /** Fires when the session is disposed. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Returns whether a command begins, waits or is passed on. Throws the error with which it is refused. */
  wayOf(name: CommandName): Way {
    const way = next(this.at, name);
    switch (way) {
      case 'already-running':
        throw new AgentSessionError(way, 'The session is busy: a turn, an undo or a redo is running.');
      case 'nothing-to-resume':
        throw new AgentSessionError(way, 'Nothing was interrupted.');
      case 'conflict':
        throw interruptedFirst();
      case 'storage': {
        const { fencedBy, outage } = this.core.journal!;
        throw fencedBy ?? outage!.error;
      }
      case 'disposed':
        throw disposedError();
      default:
        return way;
    }
  }

  /** Runs a command here, or passes it to the owner of the log. Rejects with the error with which it is refused. */
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
   * Keeps other commands from beginning until one of the returned functions is called.
   *
   * @param aborter stops the work before it acts
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

  /** Stops the work in one of these lanes before it acts. Returns a promise of its end; null if there is no such work. */
  stop(...lanes: readonly HeldLane[]): Promise<void> | null {
    const { held } = this;
    if (held === null || !lanes.includes(held.lane)) return null;
    held.aborter?.abort(cancelledError());
    return held.ended;
  }

  /**
   * Disposes the session once: every call returns the same promise.
   *
   * @param abort ends the running turn
   */
  dispose(abort: () => void): Promise<void> {
    if (this.disposal === null) {
      let resolveDisposal!: (end: Promise<void>) => void;
      // Set before any operation is emitted, so that a subscriber cannot start a new turn when the running turn ends.
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
    // A session that is not open, or does not own its log, emits no operation of its own.
    if (this.isHere) this.core.emitSession(this.disposed());
    this.core.close();
    // If the journal cannot be closed, the session ends nevertheless.
    await this.core.journal?.close().catch(() => {});
    await this.log?.close();
  }

  private disposed(): Disposed {
    const isLeft = this.core.current.liveTurn !== null;
    return isLeft ? { type: 'disposed', left: true } : { type: 'disposed' };
  }
}
