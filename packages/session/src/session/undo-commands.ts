import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import type { UndoableTurn, UndoStack } from '../undo/undo-stack.js';
import type { UndoOptions } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import { refuseUnknown } from './session-options.js';

/** The commands `undo` and `redo`. */
export class UndoCommands {
  private current: Promise<unknown> | null = null;

  constructor(
    private readonly core: SessionCore,
    /** Returns the stack; undefined before the first turn. */
    private readonly stack: () => UndoStack | undefined,
    private readonly assertFree: () => void,
  ) {}

  get isRunning(): boolean {
    return this.current !== null;
  }

  /** Resolves when the running command ends, or at once when none runs. */
  get ended(): Promise<unknown> {
    return this.current ?? Promise.resolve();
  }

  /** Undoes or redoes a turn. Rejects before any change, see `AgentSession.undo`. */
  async run(direction: 'undo' | 'redo', options: UndoOptions = {}): Promise<UndoReport> {
    this.assertFree();
    checkOptions(direction, options);
    const { force = false, turnId } = options;
    const { core } = this;
    const stack = this.stack();
    const turn = stack?.next(direction);
    if (!stack || !turn) throw new AgentSessionError('nothing-to-undo', `There is nothing to ${direction}.`);
    if (turnId !== undefined) assertNewest(turnId, turn, stack);
    if (!force) stack.check(turn, direction);
    // No other command can start from here on: `current` is set before the first await.
    const step = direction === 'undo' ? () => stack.undo(turn) : () => stack.redo(turn);
    let finish!: () => void;
    this.current = new Promise<void>((resolve) => {
      finish = resolve;
    });
    core.emitSession({ type: `${direction}Started`, target: turn.turnId });
    const writing = core.journal?.barrier();
    const refusal = writing ? await refusalOf(writing) : null;
    const { report, redoable, moved } =
      refusal === null
        ? await step()
        : { report: this.nothingDone(turn, refusal), redoable: direction === 'redo', moved: {} };
    this.current = null;
    if (direction === 'undo')
      core.emitSession({ type: 'undone', target: turn.turnId, report, redoable, moved });
    else core.emitSession({ type: 'redone', target: turn.turnId, report, moved });
    finish();
    const error = refusal ?? core.journal?.fencedBy;
    if (error) throw error;
    return report;
  }

  /** Ends a command that was interrupted: what it had moved stays moved. */
  finish(direction: 'undo' | 'redo'): Promise<UndoReport> {
    return this.run(direction, { force: true });
  }

  /** Returns the report of a command that changed nothing. */
  private nothingDone({ turnId }: UndoableTurn, { message }: AgentSessionError): UndoReport {
    const effects = this.core.state.turns.find((turn) => turn.id === turnId)?.effects ?? [];
    const of = (irreversible: boolean) =>
      effects
        .filter((effect) => effect.irreversible === irreversible)
        .map(({ toolCallId, toolName, description }) => ({ toolCallId, toolName, description }));
    const failed = of(false).map((item) => ({ ...item, reason: message }));
    return { done: [], failed, irreversible: of(true), unknown: [] };
  }
}

/** Waits for the write before the first revert; returns the error where it is refused, else null. */
function refusalOf(writing: Promise<void>): Promise<AgentSessionError | null> {
  return writing.then(
    () => null,
    (error: unknown) => toSessionError(error, 'storage', 'The start of the command could not be saved.'),
  );
}

const known = { undo: ['force', 'turnId'], redo: ['force'] } as const;

/** Throws `invalid-configuration`: with a misspelt `turnId`, `undo` would take back the newest turn. */
function checkOptions(direction: 'undo' | 'redo', options: UndoOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new AgentSessionError('invalid-configuration', `The options of ${direction} must be an object.`);
  refuseUnknown(options, known[direction], `option of ${direction}`);
}

/** Throws `conflict` or `nothing-to-undo` unless the turn is the next to be undone. */
function assertNewest(turnId: string, { turnId: newest }: UndoableTurn, stack: UndoStack): void {
  if (turnId === newest) return;
  if (!stack.has(turnId))
    throw new AgentSessionError('nothing-to-undo', 'This turn has nothing that can be undone.');
  throw new AgentSessionError('conflict', 'A newer turn changed something; it has to be undone first.', {
    details: { newest },
  });
}
