import type { TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { UndoableTurn, UndoStack, UndoStep } from '../undo/undo-stack.js';
import type { UndoOptions } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import { refuseUnknown } from './session-options.js';

/** The commands `undo` and `redo`. */
export class UndoCommands {
  private current: Promise<unknown> | null = null;

  constructor(
    private readonly core: SessionCore,
    /** Returns the stack: a promise while its code is loaded, undefined where no turn has ended. */
    private readonly stack: () => UndoStack | Promise<UndoStack> | undefined,
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
    const stack = this.stack();
    return this.move(direction, options, stack instanceof Promise ? await this.loaded(stack) : stack);
  }

  /** Holds other commands off while the code of undo is loaded. */
  private async loaded(stack: Promise<UndoStack>): Promise<UndoStack> {
    const release = this.hold();
    await stack.finally(release);
    // The session may have been disposed since.
    this.assertFree();
    return stack;
  }

  private async move(
    direction: 'undo' | 'redo',
    { force = false, turnId }: UndoOptions,
    stack: UndoStack | undefined,
  ): Promise<UndoReport> {
    const { core } = this;
    const turn = stack?.next(direction);
    if (!stack || !turn) throw new AgentSessionError('nothing-to-undo', `There is nothing to ${direction}.`);
    if (turnId !== undefined) assertNewest(turnId, turn, stack);
    if (!force) stack.check(turn, direction);
    return this.carryOut(direction, turn, stack, stack.prepare(turn, direction));
  }

  private async carryOut(
    direction: 'undo' | 'redo',
    turn: UndoableTurn,
    stack: UndoStack,
    step: () => Promise<UndoStep>,
  ): Promise<UndoReport> {
    const { core } = this;
    const release = this.hold();
    core.emitSession({ type: `${direction}Started`, target: turn.turnId });
    const writing = core.journal?.barrier();
    const refusal = writing ? await refusalOf(writing) : null;
    const { report, redoable, moved } =
      refusal === null ? await step() : stack.refused(turn, direction, this.effectsOf(turn), refusal);
    // Before the last operation: its subscribers may give the next command.
    this.current = null;
    if (direction === 'undo')
      core.emitSession({ type: 'undone', target: turn.turnId, report, redoable, moved });
    else core.emitSession({ type: 'redone', target: turn.turnId, report, moved });
    release();
    const error = refusal ?? core.journal?.fencedBy;
    if (error) throw error;
    return report;
  }

  /** Ends a command that was interrupted: what it had moved stays moved. */
  async finish(direction: 'undo' | 'redo', turnId: string): Promise<UndoReport> {
    this.assertFree();
    const given = this.stack();
    const stack = given instanceof Promise ? await this.loaded(given) : given!;
    const turn = stack.find(turnId);
    return this.carryOut(direction, turn, stack, stack.prepareRest(turn, direction));
  }

  /** Refuses other commands until the returned function is called. */
  private hold(): () => void {
    let finish!: () => void;
    const current = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.current = current;
    return () => {
      if (this.current === current) this.current = null;
      finish();
    };
  }

  private effectsOf({ turnId }: UndoableTurn): TurnRecord['effects'] {
    return this.core.state.turns.find((turn) => turn.id === turnId)?.effects ?? [];
  }
}

/** Waits for the write before the first revert; returns the error where it is refused, else null. */
function refusalOf(writing: Promise<void>): Promise<AgentSessionError | null> {
  return writing.then(
    () => null,
    (error: AgentSessionError) => error,
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
