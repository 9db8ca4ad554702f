import type { CommandName } from './command-table.js';

/** Decides where a command goes when another session owns the log. */
export interface Detour {
  /** @param run carries out the command in this session */
  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R>;
  /** Rejects everything that waits, when the session is disposed. */
  abort(): void;
}
