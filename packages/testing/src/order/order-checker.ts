import type { Operation, OperationOf, OperationType } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { AttachmentOrder } from './attachment-order.js';
import { CommandOrder } from './command-order.js';
import { CompactionOrder } from './compaction-order.js';
import { ChoiceOrder } from './choice-order.js';
import { ExtensionOrder } from './extension-order.js';
import { DiscoveryOrder } from './discovery-order.js';
import { EffectOrder, type EffectMovedType } from './effect-order.js';
import { QueueOrder } from './queue-order.js';
import { ReviewOrder, type ReviewType } from './review-order.js';
import { RoundOrder, type Complain } from './round-order.js';

/** Checks a stream of operations against the rules for every stream. */
export interface OrderChecker {
  /** Returns the problems of the next operation, as sentences; an empty list if there are none. */
  check(operation: Operation): readonly string[];
}

/**
 * Creates a checker for the operations of a session, beginning with its first operation. The rules: turns do not overlap and end once;
 * rounds and attempts count up; a call is requested, decided, run and settled in this order; effects are committed or undone before a
 * turn ends.
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
    this.attachments.check(operation, complain);
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
    else if (operation.type === 'steered') queue.steered(operation, complain);
    else if (isTerminal(operation)) queue.turnEnded();
  }

  private turnStarted(operation: OperationOf<'turnStarted'>, complain: Complain): void {
    const { turnId, parentId } = operation;
    // The log of an earlier release may have no limits.
    const { limits }: { readonly limits?: Readonly<Record<string, unknown>> } = operation;
    this.complainUnlessIdle(complain);
    if (this.ended.has(turnId)) complain(`turn ${turnId} has ended already`);
    this.complainInBranch(complain);
    if (this.head !== undefined && parentId !== undefined && parentId !== this.head)
      complain(`it follows ${parentId}, and the head is ${this.head}`);
    this.headBefore = operation.structured ? parentId : turnId;
    this.head = turnId;
    this.turn = new TurnOrder(
      turnId,
      this.effects,
      new ChoiceOrder(operation.options?.toolChoice),
      new DiscoveryOrder(operation.options?.toolChoice, limits?.['maxRebuilds']),
      operation.structured ? 'open' : null,
      new ReviewOrder(operation.options?.commit === 'review'),
      new ExtensionOrder(limits),
    );
  }

  private complainUnlessIdle(complain: Complain): void {
    if (this.turn) complain(`turn ${this.turn.id} is still running`);
    if (this.undoing) complain(`turn ${this.undoing.target} is still being ${this.undoing.type}`);
  }

  private complainInBranch(complain: Complain): void {
    if (this.branchGoesOn) complain('the branch command before it has not ended');
  }

  private turnOperation(operation: Operation, turnId: string, complain: Complain): void {
    if (operation.type === 'subagent') {
      const { inner } = operation;
      if (inner.type === 'toolStarted') this.effects.started(inner.callId);
      if (inner.type === 'effectRecorded') this.effects.follow(inner as never, complain);
      return;
    }
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
    { type, target, branch: isStep }: OperationOf<'undoStarted' | 'redoStarted'>,
    complain: Complain,
  ): void {
    if (!this.isUndoInterrupted || this.undoing?.target !== target) this.complainUnlessIdle(complain);
    const branch = isStep === true;
    if (!branch) this.complainInBranch(complain);
    this.isUndoInterrupted = false;
    this.undoing = { type: type === 'undoStarted' ? 'undone' : 'redone', target, branch };
  }

  private undoEnded({ type, target, branch }: OperationOf<'undone' | 'redone'>, complain: Complain): void {
    const { undoing } = this;
    if (undoing?.type !== type || undoing.target !== target)
      complain(`no undo or redo of turn ${target} has started`);
    else if (undoing.branch !== (branch !== undefined))
      complain('either its start or its end is a step of a branch command, and not both');
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

/** A log merges adjacent operations of these types. */
const pieces: ReadonlySet<OperationType> = new Set<OperationType>(['text', 'thinking', 'outputArrived']);

/** Whether the sequence number follows. In a log, a text operation may stand for several, and has the number of the last of them. */
function followsNumber(before: number, { type, sequence }: Operation): boolean {
  return pieces.has(type) ? sequence > before : sequence === before + 1;
}

/** Operations that a turn must not have after its effects were committed or rolled back. */
const work: ReadonlySet<OperationType> = new Set<OperationType>([
  'roundStarted',
  'modelCallStarted',
  'retrying',
  'providerSwitched',
  'text',
  'thinking',
  'opaque',
  'toolCallPartial',
  'toolsRequested',
  'guardDecided',
  'confirmationRequested',
  'extensionRequested',
  'toolStarted',
  'toolProgress',
  'changesUnattributed',
  'steered',
  'middlewareActed',
  'answerWithheld',
  'domainsActivated',
  'outputArrived',
  'outputAccepted',
  'outputRejected',
  'contextCompacted',
]);

/** Operations that a turn must not have while the user is asked to extend a limit. */
const held: ReadonlySet<OperationType> = new Set<OperationType>([
  'roundStarted',
  'modelCallStarted',
  'toolStarted',
  'steered',
  'reviewOpened',
  'commitStarted',
  'rollbackStarted',
]);

/** Whether an operation belongs to a review. A review ends before its turn ends. */
function isOfReview(operation: Operation): operation is OperationOf<ReviewType> {
  const { type } = operation;
  return type === 'reviewOpened' || type === 'rejectStarted' || type === 'reviewResolved';
}

/** The rules for a turn: its user message, its rounds, and its end. */
class TurnOrder {
  readonly id: string;
  private hasInput = false;
  private rounds = 0;
  private round: RoundOrder | null = null;
  /** Calls that arrived in complete answers but were never requested. */
  private forgotten: readonly string[] = [];
  private ending: 'not yet' | 'commitStarted' | 'committed' | 'rollbackStarted' | 'rolledBack' = 'not yet';
  private cancelRequested = false;
  private previous: OperationType = 'turnStarted';
  /** Whether `ownerChanged` or `turnPutDown` came and the turn was not resumed yet. */
  private isInterrupted = false;

  constructor(
    id: string,
    private readonly effects: EffectOrder,
    private readonly choice: ChoiceOrder,
    private readonly discovery: DiscoveryOrder,
    /** The state of the structured output; null if the turn has none. */
    private output: 'open' | 'repaired' | 'accepted' | null,
    private readonly review: ReviewOrder,
    private readonly extensions: ExtensionOrder,
  ) {
    this.id = id;
  }

  /** Called after `ownerChanged` and `turnPutDown`. */
  interrupted(): void {
    this.isInterrupted = true;
    this.round?.interrupted();
    this.review.interrupted();
    this.extensions.interrupted();
  }

  /** Called after `modeChanged`. */
  modeChanged(): void {
    this.round?.modeChanged();
  }

  /** Called when a call that was cut has ended. */
  lateSettled({ target, callId, settlement }: OperationOf<'lateToolSettled'>): void {
    if (target === this.id && settlement.effect === 'reverted') this.review.withdrawn(callId);
  }

  /** Checks an operation. Returns true if it ends the turn. */
  check(operation: Operation, complain: Complain): boolean {
    if (operation.type === 'turnResumed') {
      if (!this.isInterrupted) complain('the turn was not interrupted');
      this.isInterrupted = false;
      return false;
    }
    if (this.isInterrupted) complain('turnResumed must come before it');
    if (this.ending !== 'not yet' && (work.has(operation.type) || isOfReview(operation)))
      complain(`it comes after ${this.ending}`);
    if (isOfReview(operation)) this.review.check(operation, complain);
    if (this.review.isOpen && work.has(operation.type)) complain('it comes after reviewOpened');
    if (held.has(operation.type)) this.extensions.started(complain);
    if (operation.type === 'extensionRequested') this.extensions.requested(operation, complain);
    if (operation.type === 'extensionResolved') this.extensions.resolved(operation, complain);
    if (operation.type === 'contextCompacted') this.inRound(complain)?.contextCompacted(complain);
    const ended = this.follow(operation, complain);
    this.previous = operation.type;
    return ended;
  }

  private follow(operation: Operation, complain: Complain): boolean {
    switch (operation.type) {
      case 'roundStarted':
        this.roundStarted(operation, complain);
        return false;
      case 'messagesAppended':
        this.messagesAppended(operation, complain);
        return false;
      case 'roundCompleted':
        this.inRound(complain)?.roundCompleted(operation, complain);
        this.choice.roundCompleted(operation);
        this.forgotten = [...this.forgotten, ...(this.round?.forgotten ?? [])];
        this.round = null;
        return false;
      case 'steered':
        this.steered(operation, complain);
        return false;
      case 'cancelRequested':
        this.cancelRequested = true;
        return false;
      case 'turnPutDown':
        if (this.ending !== 'not yet' || this.cancelRequested) complain('the end of the turn has begun');
        this.interrupted();
        return false;
      case 'commitStarted':
      case 'rollbackStarted':
        // Only a rollback may come second, after a failed commit.
        if (
          this.ending !== 'not yet' &&
          !(operation.type === 'rollbackStarted' && this.ending === 'commitStarted')
        ) {
          complain(`it comes after ${this.ending}`);
        }
        this.ending = operation.type;
        if (operation.type === 'commitStarted') this.review.committed(operation, complain);
        return false;
      case 'committed':
        if (this.ending !== 'commitStarted') complain('commitStarted must come before it');
        this.ending = 'committed';
        return false;
      case 'rolledBack':
        if (this.ending !== 'rollbackStarted') complain('rollbackStarted must come before it');
        this.ending = 'rolledBack';
        return false;
      case 'completed':
      case 'stopped':
      case 'cancelled':
      case 'failed':
        this.terminal(operation, complain);
        return true;
      default:
        this.followRound(operation, complain);
        return false;
    }
  }

  private followRound(operation: Operation, complain: Complain): void {
    switch (operation.type) {
      case 'modelCallStarted':
      case 'modelCallFinished':
      case 'retrying':
      case 'providerSwitched':
        return this.inRound(complain)?.followModelCall(operation, complain);
      case 'text':
      case 'thinking':
      case 'opaque':
        return this.inRound(complain)?.answerArrived(complain);
      case 'outputArrived':
      case 'outputAccepted':
      case 'outputRejected':
        return this.structured(operation, complain);
      case 'toolCallPartial':
        return this.inRound(complain)?.toolCallPartial(operation, complain);
      case 'toolsRequested':
        return this.inRound(complain)?.toolsRequested(operation, complain);
      case 'guardDecided':
        return this.inRound(complain)?.guardDecided(operation, complain);
      case 'confirmationRequested':
      case 'previewRenewed':
      case 'confirmationAttended':
      case 'confirmationResolved':
        return this.inRound(complain)?.followConfirmation(operation, complain);
      case 'toolsRejected':
        return this.inRound(complain)?.toolsRejected(operation, complain);
      case 'toolStarted':
        this.effects.started(operation.callId);
        this.choice.toolStarted(operation, this.rounds, complain);
        this.discovery.started(operation);
        return this.inRound(complain)?.toolStarted(operation, complain);
      case 'effectRecorded':
      case 'effectReverted':
      case 'effectReapplied':
        return this.effects.follow(operation, complain);
      case 'middlewareActed':
        return this.inRound(complain)?.middlewareActed(operation, complain);
      case 'answerWithheld':
        return this.inRound(complain)?.answerWithheld(operation, complain);
      case 'toolProgress':
      case 'changesUnattributed':
        return this.inRound(complain)?.reported(operation, complain);
      case 'domainsActivated':
        this.inRound(complain);
        return this.discovery.activated(operation, this.rounds, complain);
      case 'toolCompleted':
      case 'toolFailed':
        this.discovery.settled(operation.callId);
        return this.inRound(complain)?.toolSettled(operation, complain);
      case 'toolInterrupted':
        this.discovery.settled(operation.callId);
        return this.inRound(complain)?.toolInterrupted(operation, complain);
      default:
        // Usage and diagnostics may occur anywhere. Unknown types come from a newer release and are not checked.
        return;
    }
  }

  private structured(
    operation: OperationOf<'outputArrived' | 'outputAccepted' | 'outputRejected'>,
    complain: Complain,
  ): void {
    if (this.output === null) complain('the turn was asked for no structured output');
    const round = this.inRound(complain);
    if (operation.type === 'outputArrived') return round?.answerArrived(complain);
    round?.outputChecked(complain);
    if (this.output === 'accepted') complain('the output was accepted before');
    if (operation.type === 'outputAccepted') this.output = 'accepted';
    else if (this.output === 'repaired') complain('the output is asked for once more only');
    else this.output = 'repaired';
  }

  private roundStarted({ round }: OperationOf<'roundStarted'>, complain: Complain): void {
    if (this.round) complain(`round ${this.round.number} is not completed`);
    if (!this.hasInput) complain('the user message was not appended');
    if (round !== this.rounds + 1) complain(`round ${round} after round ${this.rounds}`);
    this.rounds = round;
    this.round = new RoundOrder(round);
  }

  private messagesAppended({ messages }: OperationOf<'messagesAppended'>, complain: Complain): void {
    if (this.ending === 'rollbackStarted' || this.ending === 'rolledBack')
      complain(`it comes after ${this.ending}`);
    if (this.hasInput) {
      this.inRound(complain)?.messagesAppended(messages, complain);
      return;
    }
    this.hasInput = true;
    if (messages.length !== 1 || messages[0]?.role !== 'user')
      complain('a turn begins with its user message');
  }

  private steered({ round, message }: OperationOf<'steered'>, complain: Complain): void {
    if (this.round !== null) complain(`round ${this.rounds} is open`);
    if (round !== this.rounds || round === 0)
      complain(`it follows round ${round}, and the last one is ${this.rounds}`);
    if (message.role !== 'user') complain('the user wrote it');
  }

  private terminal(
    operation: OperationOf<'completed' | 'stopped' | 'cancelled' | 'failed'>,
    complain: Complain,
  ): void {
    const before = (...types: readonly OperationType[]) => {
      if (!types.includes(this.previous)) complain(`${types.join(' or ')} must come right before it`);
    };
    if (operation.rounds > this.rounds)
      complain(`${operation.rounds} rounds are counted, ${this.rounds} began`);
    switch (operation.type) {
      case 'completed':
        // If a message was to follow the final answer, its round was completed before the commit.
        before('roundCompleted', ...(this.round === null && this.rounds > 0 ? (['committed'] as const) : []));
        if (this.ending !== 'committed') complain('its effects were not committed');
        if (this.output !== null && this.output !== 'accepted') complain('its output was not accepted');
        if (operation.rounds !== this.rounds)
          complain(`it counts ${operation.rounds} of ${this.rounds} rounds`);
        this.choice.completed(complain);
        for (const callId of this.forgotten) complain(`call ${callId} arrived and was never asked for`);
        return;
      case 'stopped':
        // A turn may also be stopped at a complete answer: then its round is completed too.
        if (this.output !== null) complain('a turn of generate has its output, or fails');
        return before('committed', ...(this.ending === 'committed' ? (['roundCompleted'] as const) : []));
      case 'cancelled':
        if (!this.cancelRequested) complain('no cancel was requested');
        return before(...this.ends(operation.report === null));
      case 'failed':
        return before(...this.ends(false));
    }
  }

  /** The operations allowed right before the end of a cancelled or failed turn. A review may keep accepted effects, which are committed. */
  private ends(keeps: boolean): readonly OperationType[] {
    if (keeps) return ['committed'];
    return this.review.isOpen ? ['committed', 'rolledBack'] : ['rolledBack'];
  }

  private inRound(complain: Complain): RoundOrder | null {
    if (!this.round) complain('no round is open');
    return this.round;
  }
}
