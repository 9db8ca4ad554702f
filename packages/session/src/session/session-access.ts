import { signal } from '../signals/signals-core.js';
import type { TurnResult } from './agent-session.js';
import { connected } from './session-journal.js';
import type { Work } from './work.js';
import type { PreparedTurn } from './prepared-turn.js';

/** A command of the public session, by the name of its method. */
export type CommandName =
  | 'send'
  | 'turn$'
  | 'generate'
  | 'retry'
  | 'regenerate'
  | 'edit'
  | 'switchTo'
  | 'clear'
  | 'compact'
  | 'uncompact'
  | 'cancel'
  | 'respond'
  | 'attend'
  | 'previewOf'
  | 'configure'
  | 'undo'
  | 'redo'
  | 'touch'
  | 'resume'
  | 'abandon'
  | 'enqueue'
  | 'requeue'
  | 'dequeue'
  | 'resumeQueue'
  | 'steer'
  | 'accept'
  | 'reject'
  | 'setMode'
  | 'revoke';

/** A command that starts a turn. */
export interface TurnCommand {
  readonly name: 'send' | 'turn$';
  readonly args: readonly unknown[];
}

/** The way of commands that this session cannot carry out now: it is not open yet, or another session owns its log. */
export interface Detour extends Work {
  /** @param run carries the command out in this session */
  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R>;
  /** As `pass`, for a turn that passed its checks. */
  start(command: TurnCommand, turn: PreparedTurn, run: () => Promise<TurnResult>): Promise<TurnResult>;
  /** Ends a turn that has no operation yet, if it has this id. */
  abortTurn(id: string): void;
  /** Ends everything that waits, as the session is disposed. */
  abort(): void;
}

/** Passes commands on: to this session, or to the detour that stands in its place. */
export class SessionAccess implements Work {
  readonly link = signal(connected);
  /** null while this session carries its commands out. */
  detour: Detour | null = null;
  /** Is called at the start of the disposal. */
  leave: () => void = () => {};
  /** Is called at the end of the disposal. */
  close: () => void | Promise<void> = () => {};
  /** How many commands this session carries out. */
  private running = 0;

  /** Whether a command that this session carries out has not settled. */
  get isCarryingOut(): boolean {
    return this.running > 0;
  }

  get isRunning(): boolean {
    return this.detour?.isRunning ?? false;
  }

  get ended(): Promise<unknown> {
    return this.detour?.ended ?? Promise.resolve();
  }

  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R> {
    const carryOut = () => this.carryOut(run);
    return this.detour === null ? carryOut() : this.detour.pass(name, args, carryOut);
  }

  start(command: TurnCommand, turn: PreparedTurn, run: () => Promise<TurnResult>): Promise<TurnResult> {
    const carryOut = () => this.carryOut(run);
    return this.detour === null ? carryOut() : this.detour.start(command, turn, carryOut);
  }

  private carryOut<R>(run: () => Promise<R>): Promise<R> {
    this.running++;
    const end = () => void this.running--;
    const result = run();
    result.then(end, end);
    return result;
  }
}
