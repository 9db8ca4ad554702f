import { defined } from '@banister/provider/internal/json/defined';
import type { TurnFact, SessionFact } from '../operations/operation.js';
import type { CommandBegan } from '../operations/session-operations.js';
import type { FoldState } from '../state/session-state.js';
import { traitsOf, type SentCommand } from './command-table.js';

/** A command that another session gave, and may send again. */
export interface Arrived {
  readonly id: string;
  readonly name: SentCommand;
  /** The session that gave the command; undefined if it is unknown. */
  readonly client?: string | undefined;
  /** The user who gave the command; undefined if the host states none. */
  readonly by?: string | undefined;
}

interface Running {
  readonly command: Arrived;
  /** The turn whose interrupted work ends before the command begins; null if the command begins at once. */
  readonly behind: string | null;
  isBegun: boolean;
  /** Whether an operation names the command as the cause of a turn, or of a message in the queue. */
  isLinked: boolean;
}

/** The commands of other sessions that a session carries out now. Their `commandBegan` is emitted before the next operation. */
export class Arrivals {
  readonly running = new Set<Running>();
  /**
   * The command whose method is being called now; `own` while this session carries out a command of its own, so that operations name no
   * command of another session as their cause; otherwise null.
   */
  calling: Arrived | 'own' | null = null;

  /**
   * Adds a command that begins now. Returns the function to call when the command has ended. If no operation was emitted until then, the
   * command was refused or changed nothing, and the log does not name the command.
   *
   * @param behind the turn whose interrupted work ends before the command begins; null if the command begins at once
   */
  add(command: Arrived, behind: string | null): () => void {
    const one: Running = { command, behind, isBegun: false, isLinked: false };
    this.running.add(one);
    return () => void this.running.delete(one);
  }

  /**
   * Forgets the command of another session whose method is being called now, because it waits for what an earlier command has begun. The log
   * does not name the command, so that every owner of the log may carry it out.
   */
  withdraw(): void {
    if (this.calling !== 'own') this.running.delete([...this.running].at(-1)!);
  }

  /** Returns the facts to emit before the next operation. */
  begun(state: FoldState): readonly CommandBegan[] {
    const facts: CommandBegan[] = [];
    for (const one of this.running) {
      if (one.isBegun || isOpen(state, one.behind)) continue;
      one.isBegun = true;
      const { id, name, client, by } = one.command;
      facts.push(defined({ type: 'commandBegan', command: id, name, client, by }));
    }
    return facts;
  }

  /** Names in the first fact of a turn, or of a message in the queue, the command that causes the fact. */
  link(fact: TurnFact | SessionFact): void {
    const { type } = fact;
    if (this.calling === 'own' || this.running.size === 0 || (type !== 'turnStarted' && type !== 'queued'))
      return;
    // A command that starts a turn keeps other turns from starting until then. `enqueue` and `steer` act synchronously, so they were added last.
    const cause = [...this.running].findLast(
      ({ command: { name }, isLinked }) =>
        !isLinked && (queues.has(name) || (type === 'turnStarted' && traitsOf(name).starts)),
    );
    if (cause === undefined) return;
    cause.isLinked = true;
    (fact as { command?: string }).command = cause.command.id;
  }
}

/** The commands that put a message into the queue, or start its turn. */
const queues: ReadonlySet<SentCommand> = new Set(['enqueue', 'steer']);

/** Returns true while a turn is interrupted, or runs, or is being undone. */
function isOpen({ interrupted, liveTurn, fold }: FoldState, turnId: string | null): boolean {
  if (turnId === null) return false;
  return interrupted?.turnId === turnId || liveTurn?.id === turnId || fold.undoing?.target === turnId;
}
