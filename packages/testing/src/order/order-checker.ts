import type { Operation, OperationOf, OperationType } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { AttachmentOrder } from './attachment-order.js';
import { CommandOrder } from './command-order.js';
import { CompactionOrder } from './compaction-order.js';
import { EffectOrder, type EffectMovedType } from './effect-order.js';
import { QueueOrder } from './queue-order.js';
import type { Complain } from './round-order.js';
import { leafIn, TurnOrder } from './turn-order.js';

/** Checks a stream of operations against the rules for every stream. */
export interface OrderChecker {
  /** Returns the problems of the next operation, as sentences; an empty list if there are none. */
  check(operation: Operation): readonly string[];
}

/**
 * Creates a checker for the operations of a session, beginning with its first operation. The rules: turns do not overlap and end once;
 * rounds and attempts count up; a call is requested, decided, run and settled in this order; effects are committed or undone before a
 * turn ends. The facts of a child turn obey the same rules, between the start and the end of the call that runs it.
 *
 * @example
 * const checker = createOrderChecker();
 * session.operations$.subscribe((operation) => {
 *   for (const problem of checker.check(operation)) console.error(problem);
 * });
 */
export function createOrderChecker(): OrderChecker {
  const session = new SessionOrder();
  return {
    check(operation) {
      const problems: string[] = [];
      session.check(operation, (problem) =>
        problems.push(`#${operation.sequence} ${operation.type}: ${problem}`),
      );
      return problems;
    },
  };
}

/**
 * Checks a list of operations, beginning with the first operation of a session. Returns the problems, as sentences.
 *
 * @example
 * console.log(checkOrder(recorded)); // []
 */
export function checkOrder(operations: Iterable<Operation>): string[] {
  const checker = createOrderChecker();
  return Array.from(operations).flatMap((operation) => [...checker.check(operation)]);
}

type SessionEffectMoved = Extract<OperationOf<EffectMovedType>, { readonly target: string }>;

/** The rules across turns: sequence numbers, the order of turns, undo and redo. */
class SessionOrder {
  private sequence: number | undefined;
  private turn: TurnOrder | null = null;
  private readonly ended = new Set<string>();
  private readonly effects = new EffectOrder();
  /** The ids of all child turns. */
  private readonly children = new Set<string>();
  private queue: QueueOrder | undefined;
  private attachments: AttachmentOrder | undefined;
  private commands: CommandOrder | undefined;
  /** The head; undefined until it is known, if the stream begins with a resumed conversation. */
  private head: string | null | undefined;
  /** The head after the running turn if it fails or is cancelled. For a structured output it is the head before the turn. */
  private headBefore: string | null | undefined;
  /** The running undo or redo. */
  private undoing: {
    readonly type: 'undone' | 'redone';
    readonly target: string;
    readonly branch: boolean;
    readonly child: string | undefined;
  } | null = null;
  /** Whether the running undo or redo was interrupted, so that it may start again. */
  private isUndoInterrupted = false;
  /** Whether a branch command is undoing effects: its next step must follow, or the move of the head. */
  private branchGoesOn = false;
  private disposed = false;
  private readonly compactions = new CompactionOrder();

  check(operation: Operation, complain: Complain): void {
    if (this.sequence !== undefined && !followsNumber(this.sequence, operation))
      complain(`it follows #${this.sequence}`);
    this.sequence = operation.sequence;
    this.queue ??= new QueueOrder(operation.sequence === 1);
    this.queueOperation(operation, this.queue, complain);
    this.attachments ??= new AttachmentOrder(operation.sequence === 1);
    this.attachments.check(leafIn(operation), complain);
    this.commands ??= new CommandOrder(operation.sequence === 1);
    this.commands.check(operation, complain);
    // The next session that opens the log continues it.
    if (operation.type === 'ownerChanged') this.disposed = false;
    if (operation.type === 'ownerChanged' || operation.type === 'turnPutDown' || isTerminal(operation))
      this.compactions.ended();
    if (this.disposed) complain('nothing follows disposed');
    if (operation.turnId === undefined) this.sessionOperation(operation, complain);
    else if (operation.type === 'turnStarted') this.turnStarted(operation, complain);
    else this.turnOperation(operation, operation.turnId, complain);
  }

  private queueOperation(operation: Operation, queue: QueueOrder, complain: Complain): void {
    if (operation.type === 'ownerChanged') queue.ownerChanged();
    queue.followed(operation.type === 'turnStarted' ? operation.turnId : null, complain);
    if (operation.type === 'queued') queue.queued(operation, this.turn !== null, complain);
    else if (operation.type === 'dequeued') queue.dequeued(operation, complain);
    else if (operation.type === 'steered') queue.steered(operation, undefined, complain);
    else if (operation.type === 'subagent') leafOfQueue(operation, queue, complain);
    else if (isTerminal(operation)) queue.turnEnded();
  }

  private turnStarted(operation: OperationOf<'turnStarted'>, complain: Complain): void {
    const { turnId, parentId } = operation;
    this.complainUnlessIdle(complain);
    if (this.ended.has(turnId)) complain(`turn ${turnId} has ended already`);
    this.complainInBranch(complain);
    if (this.head !== undefined && parentId !== undefined && parentId !== this.head)
      complain(`it follows ${parentId}, and the head is ${this.head}`);
    this.headBefore = operation.structured ? parentId : turnId;
    this.head = turnId;
    this.turn = new TurnOrder(turnId, operation, this.effects, this.children);
  }

  private complainUnlessIdle(complain: Complain): void {
    if (this.turn) complain(`turn ${this.turn.id} is still running`);
    if (this.undoing) complain(`turn ${this.undoing.target} is still being ${this.undoing.type}`);
  }

  private complainInBranch(complain: Complain): void {
    if (this.branchGoesOn) complain('the branch command before it has not ended');
  }

  private turnOperation(operation: Operation, turnId: string, complain: Complain): void {
    if (this.turn?.id !== turnId) {
      complain(this.ended.has(turnId) ? `turn ${turnId} has ended` : `turn ${turnId} has not begun`);
      return;
    }
    if (operation.type === 'contextCompacted') this.compactions.compacted(operation, complain);
    if (!this.turn.check(operation, complain)) return;
    this.ended.add(turnId);
    this.turn = null;
    if (operation.type === 'failed' || operation.type === 'cancelled') this.head = this.headBefore;
  }

  /** Checks an effect that the session undid or redid. If its turn is not in the stream, there is nothing to compare. */
  private effectMoved(operation: SessionEffectMoved, complain: Complain): void {
    const { target } = operation;
    if (this.turn?.id === target) complain(`turn ${target} has not ended`);
    else if (this.ended.has(target)) this.effects.follow(operation, complain);
  }

  private undoStarted(
    { type, target, branch: isStep, child }: OperationOf<'undoStarted' | 'redoStarted'>,
    complain: Complain,
  ): void {
    if (!this.isUndoInterrupted || this.undoing?.target !== target) this.complainUnlessIdle(complain);
    const branch = isStep === true;
    if (!branch) this.complainInBranch(complain);
    this.isUndoInterrupted = false;
    this.undoing = { type: type === 'undoStarted' ? 'undone' : 'redone', target, branch, child };
  }

  private undoEnded(
    { type, target, branch, child }: OperationOf<'undone' | 'redone'>,
    complain: Complain,
  ): void {
    const { undoing } = this;
    if (undoing?.type !== type || undoing.target !== target)
      complain(`no undo or redo of turn ${target} has started`);
    else if (undoing.branch !== (branch !== undefined))
      complain('either its start or its end is a step of a branch command, and not both');
    else if (undoing.child !== child) complain(`it started for ${undoing.child ?? 'the whole turn'}`);
    this.undoing = null;
    this.branchGoesOn = branch === 'goes-on';
  }

  private sessionOperation(operation: Operation, complain: Complain): void {
    switch (operation.type) {
      case 'ownerChanged':
        this.turn?.interrupted();
        this.isUndoInterrupted = this.undoing !== null;
        this.branchGoesOn = false;
        return;
      case 'modeChanged':
        return this.turn?.modeChanged();
      case 'undoStarted':
      case 'redoStarted':
        return this.undoStarted(operation, complain);
      case 'undone':
      case 'redone':
        return this.undoEnded(operation, complain);
      case 'effectReverted':
      case 'effectReapplied':
        if (operation.turnId === undefined) this.effectMoved(operation, complain);
        return;
      case 'lateToolSettled':
        this.turn?.lateSettled(operation);
        return;
      case 'domainTouched':
        // A running turn clears redo itself.
        if (this.turn) complain(`turn ${this.turn.id} is still running`);
        return;
      case 'headMoved':
        this.complainUnlessIdle(complain);
        if (this.head !== undefined && operation.from !== this.head) complain(`the head is ${this.head}`);
        this.head = operation.to;
        this.branchGoesOn = false;
        return;
      case 'pathCleared':
        this.complainUnlessIdle(complain);
        this.complainInBranch(complain);
        this.head = operation.id;
        return;
      case 'contextCompacted':
        this.complainUnlessIdle(complain);
        this.complainInBranch(complain);
        if (this.compactions.compacted(operation, complain)) this.head = operation.id;
        else if (this.head !== undefined && this.head !== operation.id) complain(`the head is ${this.head}`);
        return;
      case 'middlewareActed':
        this.compactions.middlewareActed(operation, complain);
        return;
      case 'contextUncompacted':
        this.complainUnlessIdle(complain);
        this.complainInBranch(complain);
        return;
      case 'disposed':
        this.complainInBranch(complain);
        if (this.turn && !operation.left) complain(`turn ${this.turn.id} is still running`);
        this.disposed = true;
        return;
      default:
        return;
    }
  }
}

/** Checks a fact of a child turn against the rules for the queue. */
function leafOfQueue({ path, inner }: OperationOf<'subagent'>, queue: QueueOrder, complain: Complain): void {
  const child = path.at(-1)!;
  if (inner.type === 'steered') queue.steered(inner, child, complain);
  else if (isTerminal(inner)) queue.childEnded(child, complain);
}

/** A log merges adjacent operations of these types. */
const pieces: ReadonlySet<OperationType> = new Set<OperationType>(['text', 'thinking', 'outputArrived']);

/**
 * Whether the sequence number follows. In a log, a text operation may stand for several, and has the number of the last of them. It may come
 * after facts of other child turns that have higher numbers than the first of its pieces.
 */
function followsNumber(before: number, { type, sequence }: Operation): boolean {
  return pieces.has(type) || type === 'subagent' ? sequence > before : sequence === before + 1;
}
