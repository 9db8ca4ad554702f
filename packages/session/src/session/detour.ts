import type { Arrived } from './arrivals.js';
import type { CommandName } from './command-table.js';

/** Decides where a command goes when another session owns the log. */
export interface Detour {
  /**
   * @param run carries out the command in this session
   * @param arrived the command if another session gave it; null for a call of this session
   */
  pass<R>(
    name: CommandName,
    args: readonly unknown[],
    run: () => Promise<R>,
    arrived?: Arrived | null,
  ): Promise<R>;
  /** Rejects everything that waits, when the session is disposed. */
  abort(): void;
}
