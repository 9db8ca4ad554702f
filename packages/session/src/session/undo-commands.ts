import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { UndoableTurn, UndoStack } from '../undo/undo-stack.js';
import type { UndoOptions } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import { refuseUnknown } from './session-options.js';

/** Undo and redo of committed turns. */
export class UndoCommands {
  private current: Promise<unknown> | null = null;

  constructor(
    private readonly core: SessionCore,
    /** Undefined until a turn ran. */
    private readonly stack: () => UndoStack | undefined,
    private readonly assertFree: () => void,
  ) {}

  get isRunning(): boolean {
    return this.current !== null;
  }

  /** The end of the running command, or nothing to wait for. */
  get ended(): Promise<unknown> {
    return this.current ?? Promise.resolve();
  }

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
    // No other command can run from here on: the first await comes after `current` is set.
    const step = direction === 'undo' ? () => stack.undo(turn) : () => stack.redo(turn);
    let finish!: () => void;
    this.current = new Promise<void>((resolve) => {
      finish = resolve;
    });
    core.emitSession({ type: `${direction}Started`, target: turn.turnId });
    const { report, redoable } = await step();
    this.current = null;
    if (direction === 'undo') core.emitSession({ type: 'undone', target: turn.turnId, report, redoable });
    else core.emitSession({ type: 'redone', target: turn.turnId, report });
    finish();
    return report;
  }
}

const known = { undo: ['force', 'turnId'], redo: ['force'] } as const;

/** Throws `invalid-configuration`: with a misspelt `turnId`, undo would take back the newest turn, whichever was meant. */
function checkOptions(direction: 'undo' | 'redo', options: UndoOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new AgentSessionError('invalid-configuration', `The options of ${direction} must be an object.`);
  refuseUnknown(options, known[direction], `option of ${direction}`);
}

/** Throws unless the turn is the one that would be undone. */
function assertNewest(turnId: string, { turnId: newest }: UndoableTurn, stack: UndoStack): void {
  if (turnId === newest) return;
  if (!stack.has(turnId))
    throw new AgentSessionError('nothing-to-undo', 'This turn has nothing that can be undone.');
  throw new AgentSessionError('conflict', 'A newer turn changed something; it has to be undone first.', {
    details: { newest },
  });
}
