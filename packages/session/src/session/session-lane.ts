import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import type { Disposed } from '../operations/session-operations.js';
import type { Signal } from '../signals/signals-core.js';
import type { Arrived } from './arrivals.js';
import { traitsOf, type CommandName } from './command-table.js';
import { deferred } from '../operations/deferred.js';
import { interruptedFirst } from './interrupted-first.js';
import { next, type Lane, type Way } from './lane.js';
import type { Line } from './line.js';
import type { SessionCore } from './session-core.js';
import type { Link } from '../log/session-log.js';
import type { Hold } from './undo-command.js';

/** Work other than a turn that keeps other commands from beginning. */
interface Work {
  readonly lane: WorkLane;
  /** Stops the work before it acts; undefined if the work already acts. */
  readonly aborter: AbortController | undefined;
  /** Resolves when the work has ended. */
  readonly ended: Promise<void>;
}

type WorkLane = Extract<Lane, 'undo' | 'move' | 'resuming' | 'ending'>;

/** The turns of a session. */
interface Turns {
  readonly isRunning: boolean;
  /** Resolves when the running turn ends; resolves at once if no turn runs. */
  readonly ended: Promise<unknown>;
}

/** Every command of a session passes here. It begins, waits, is refused, or goes to the session that owns the log. */
export class SessionLane {
  /** Carries commands to the session that owns the log; null while this session does; undefined until the session is open. */
  line: Line | null | undefined = undefined;
  private work: Work | null = null;
  /** The number of commands that have not settled. */
  private running = 0;
  private readonly aborter = new AbortController();

  constructor(
    private readonly core: SessionCore,
    readonly link: Signal<Link>,
    private readonly turns: () => Turns,
  ) {}

  /** What the session does now. */
  get at(): Lane {
    const { core, work } = this;
    if (this.signal.aborted) return 'ended';
    if (this.line === undefined) return 'opening';
    if (this.line !== null) return work?.lane === 'move' ? 'reading' : 'elsewhere';
    if (core.journal?.fencedBy) return 'fenced';
    if (core.journal?.outage) return 'unsaved';
    if (this.isBusy) return work?.lane ?? 'turn';
    const { interrupted } = core.current;
    if (interrupted === null) return 'idle';
    return interrupted.error === undefined ? 'interrupted' : 'model-failed';
  }

  /** Whether this session writes its operations itself. */
  get isHere(): boolean {
    return this.line === null;
  }

  /** Whether work runs, even if another session owns the log by now. */
  get isBusy(): boolean {
    return this.work !== null || this.turns().isRunning;
  }

  /** Whether a command of this session has not settled. */
  get isCarryingOut(): boolean {
    return this.running > 0;
  }

  /** Resolves when the running work has ended; resolves at once if none runs. */
  get workEnded(): Promise<unknown> {
    return Promise.allSettled([this.turns().ended, this.work?.ended]);
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
      case 'interrupted':
        throw new AgentSessionError(
          way,
          'The model of the last turn has failed, and the turn waits. Go on with it or take it back first.',
        );
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
    const { arrivals } = this.core;
    const { arriving } = this;
    // A command that a subscriber calls from here on is a command of this session.
    if (arriving !== null) arrivals.calling = null;
    const { calling } = arrivals;
    let result: Promise<R>;
    let ended = () => {};
    this.running++;
    try {
      const way = this.wayOf(name);
      if (way === 'pass') {
        const again = () => this.arrive(arriving, () => this.enter(name, args, run));
        result = this.line!.pass(name, args, again, arriving);
      } else {
        if (arriving === null) arrivals.calling = 'own';
        else ended = arrivals.add(arriving, this.workBefore(name, way));
        result = run(way);
      }
    } catch (error) {
      result = Promise.reject(error as Error);
    } finally {
      arrivals.calling = calling;
    }
    const end = () => {
      this.running--;
      ended();
    };
    result.then(end, end);
    return result;
  }

  /**
   * Calls a method of the session for a command of another session.
   *
   * @param command null if the call belongs to the command whose method is being called
   */
  arrive<R>(command: Arrived | null, call: () => R): R {
    const { arrivals } = this.core;
    const { calling } = arrivals;
    arrivals.calling = command ?? calling;
    try {
      return call();
    } finally {
      arrivals.calling = calling;
    }
  }

  /** Returns a function that is called later, for the command whose method is being called now. */
  carried<Args extends unknown[], R>(run: (...args: Args) => R): (...args: Args) => R {
    const { arriving } = this;
    return arriving === null ? run : (...args) => this.arrive(arriving, () => run(...args));
  }

  /** The command of another session whose method is being called; null for a call of this session. */
  private get arriving(): Arrived | null {
    const { calling } = this.core.arrivals;
    return calling === 'own' ? null : calling;
  }

  /** Returns the turn whose interrupted work ends before a command begins; null without such work, or if the command itself ends that work. */
  private workBefore(name: CommandName, way: Way): string | null {
    return way === 'wait' && traitsOf(name).starts ? (this.core.current.interrupted?.turnId ?? null) : null;
  }

  /**
   * Keeps other commands from beginning until one of the returned functions is called.
   *
   * @param aborter stops the work before it acts
   */
  hold(lane: WorkLane, aborter?: AbortController): Hold {
    const { promise, resolve } = deferred<void>();
    const work: Work = { lane, aborter, ended: promise };
    this.work = work;
    const release = () => {
      if (this.work === work) this.work = null;
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
  stop(...lanes: readonly WorkLane[]): Promise<void> | null {
    const { work } = this;
    if (work === null || !lanes.includes(work.lane)) return null;
    work.aborter?.abort(cancelledError());
    return work.ended;
  }

  /**
   * Ends the session.
   *
   * @param abort ends the running turn
   */
  async end(abort: () => void): Promise<void> {
    const { workEnded } = this;
    // Before any operation is emitted, so that a subscriber cannot start a new turn when the running turn ends.
    this.aborter.abort(disposedError());
    this.line?.abort();
    abort();
    await workEnded;
    // A session that is not open, or does not own its log, emits no operation of its own.
    if (this.isHere) this.core.emitSession(this.disposed());
    this.core.close();
    // If the journal cannot be closed, the session ends nevertheless.
    await this.core.journal?.close().catch(() => {});
  }

  private disposed(): Disposed {
    const isLeft = this.core.current.liveTurn !== null;
    return isLeft ? { type: 'disposed', left: true } : { type: 'disposed' };
  }
}
