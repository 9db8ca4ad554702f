import type { Signal } from '../signals/signals-core.js';
import type { CommandName } from './command-table.js';
import type { Link } from './session-log.js';

/** The way of commands that this session cannot carry out, since another session owns its log. */
export interface Detour {
  /** @param run carries the command out in this session */
  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R>;
  /** Ends everything that waits, as the session is disposed. */
  abort(): void;
}

/** Passes commands on: to this session, or to the detour that stands in its place. */
export class SessionAccess {
  /** null while this session carries its commands out. */
  detour: Detour | null = null;
  /** Whether the log was read, where the session has one. */
  isOpen = false;
  /** Is called at the start of the disposal. */
  leave: () => void = () => {};
  /** Is called at the end of the disposal. */
  close: () => void | Promise<void> = () => {};
  /** How many commands this session carries out. */
  private running = 0;

  constructor(readonly link: Signal<Link>) {}

  /** Whether a command that this session carries out has not settled. */
  get isCarryingOut(): boolean {
    return this.running > 0;
  }

  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R> {
    const carryOut = () => this.carryOut(run);
    return this.detour === null ? carryOut() : this.detour.pass(name, args, carryOut);
  }

  private carryOut<R>(run: () => Promise<R>): Promise<R> {
    this.running++;
    const end = () => void this.running--;
    const result = started(run);
    result.then(end, end);
    return result;
  }
}

/** Calls an async function; a throw at once is a rejection. */
function started<R>(run: () => Promise<R>): Promise<R> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}
