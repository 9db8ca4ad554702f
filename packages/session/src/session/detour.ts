import type { CommandName } from './command-table.js';

/** The way of commands that this session cannot carry out, since another session owns its log. */
export interface Detour {
  /** @param run carries the command out in this session */
  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R>;
  /** Ends everything that waits, as the session is disposed. */
  abort(): void;
}
