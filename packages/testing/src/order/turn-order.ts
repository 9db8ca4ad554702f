import type { Operation, OperationOf, OperationType } from '@banister/session';
import { ChoiceOrder } from './choice-order.js';
import { CompactionOrder } from './compaction-order.js';
import { DiscoveryOrder } from './discovery-order.js';
import type { EffectOrder } from './effect-order.js';
import { ExtensionOrder } from './extension-order.js';
import { ReviewOrder, type ReviewType } from './review-order.js';
import { RoundOrder, type Complain } from './round-order.js';

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
  'subagent',
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

type Leaf = OperationOf<'subagent'>;

/** Returns the fact of a child turn as an operation of the child turn, or the operation itself. */
export function leafIn(operation: Operation): Operation {
  if (operation.type !== 'subagent') return operation;
  const { path, inner, sequence, at } = operation;
  return { ...inner, sequence, at, turnId: path.at(-1)! } as Operation;
}

/** The start of a turn, of the user or of an agent. */
type Start = Pick<OperationOf<'turnStarted'>, 'options' | 'limits' | 'structured'>;

/** A child turn that has not ended. */
interface Child {
  readonly callId: string;
  readonly key: string;
  readonly turn: TurnOrder;
  readonly compactions: CompactionOrder;
}

/** The rules for a turn: its user message, its rounds, its child turns, and its end. */
export class TurnOrder {
  private readonly choice: ChoiceOrder;
  private readonly discovery: DiscoveryOrder;
  private readonly review: ReviewOrder;
  private readonly extensions: ExtensionOrder;
  /** The state of the structured output; null if the turn has none. */
  private output: 'open' | 'repaired' | 'accepted' | null;
  /** Whether the agent works first, and then a round asks for the output. */
  private readonly works: boolean;
  /** The child turns that have not ended, by id. */
  private readonly open = new Map<string, Child>();
  /** The calls of the child turns that have ended, by the ids of the child turns. */
  private readonly ended = new Map<string, string>();
  /** Whether a child turn has ended because the turn ends. */
  private hasToEnd = false;
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

  /**
   * @param children the ids of all child turns of the session until now
   * @param above the turn whose call runs this turn; absent for a turn of the user
   */
  constructor(
    readonly id: string,
    { options, structured, limits: given }: Start,
    private readonly effects: EffectOrder,
    private readonly children: Set<string>,
    private readonly above?: TurnOrder,
  ) {
    // The log of an earlier release may have no limits.
    const limits = given as Readonly<Record<string, unknown>> | undefined;
    this.choice = new ChoiceOrder(options?.toolChoice);
    this.discovery = new DiscoveryOrder(options, limits?.['maxRebuilds']);
    this.output = structured ? 'open' : null;
    this.works = structured?.afterWork === true;
    this.review = new ReviewOrder(options?.commit === 'review');
    this.extensions = new ExtensionOrder(limits);
  }

  /** Called after `ownerChanged` and `turnPutDown`. */
  interrupted(): void {
    this.isInterrupted = true;
    this.round?.interrupted();
    this.review.interrupted();
    this.extensions.interrupted();
    for (const { turn, compactions } of this.open.values()) {
      turn.interrupted();
      compactions.ended();
    }
  }

  /** Called after `modeChanged`. */
  modeChanged(): void {
    this.round?.modeChanged();
    for (const { turn } of this.open.values()) turn.modeChanged();
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
    // A child turn that ends because the turn above it ends does not have to resume first.
    const isCut =
      this.endsWithTurnAbove(operation) ||
      (this.above &&
        // The effects of the child turn may be committed, and its end alone is missing.
        (operation.type === 'confirmationResolved' || (operation.type === 'cancelled' && !operation.report)));
    if (this.isInterrupted && !isCut) complain('turnResumed must come before it');
    if (this.isAtEnd && work.has(operation.type) && operation.type !== 'subagent')
      complain('a child turn has ended because the turn ends');
    if (this.ending !== 'not yet' && (work.has(operation.type) || isOfReview(operation)))
      complain(`it comes after ${this.ending}`);
    if (operation.type === 'subagent') {
      this.leaf(operation, operation.path, complain);
      return false;
    }
    if (isOfReview(operation)) this.review.check(operation, complain);
    if (this.review.isOpen && work.has(operation.type)) complain('it comes after reviewOpened');
    if (held.has(operation.type)) this.extensions.started(complain);
    if (operation.type === 'extensionRequested') this.extensions.requested(operation, complain);
    if (operation.type === 'extensionResolved') this.extensions.resolved(operation, complain);
    if (operation.type === 'contextCompacted') this.inRound(complain)?.contextCompacted(complain);
    this.checkChildren(operation, complain);
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
        return this.text(operation, complain);
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

  private text({ delta }: OperationOf<'text'>, complain: Complain): void {
    const round = this.inRound(complain);
    // If the answer does not fit the schema of the output, the child turn stops, and its text is the answer.
    if (this.above && this.output !== null && round?.isWhole === true) round.outputSaid(delta, complain);
    else round?.answerArrived(complain);
  }

  private structured(
    operation: OperationOf<'outputArrived' | 'outputAccepted' | 'outputRejected'>,
    complain: Complain,
  ): void {
    if (this.output === null) complain('the turn was asked for no structured output');
    const round = this.inRound(complain);
    if (this.works && this.rounds === 1) complain('the agent works first');
    if (operation.type === 'outputArrived') return round?.outputArrived(operation, complain);
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
    this.complainOfChildren(null, complain);
    if (this.endsWithTurnAbove(operation)) return this.endedWithTurnAbove(operation, complain);
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
        if (this.output !== null && !this.above) complain('a turn of generate has its output, or fails');
        return before('committed', ...(this.ending === 'committed' ? (['roundCompleted'] as const) : []));
      case 'cancelled':
        if (!this.isCancelled) complain('no cancel was requested');
        return before(...this.ends(operation.report === null));
      case 'failed':
        return before(...this.ends(false));
    }
  }

  /** Whether child turns have ended because this turn, or a turn above it, ends. */
  private get isAtEnd(): boolean {
    return this.hasToEnd || this.above?.isAtEnd === true;
  }

  /** Whether a cancel of the turn, or of a turn above it, was requested. */
  private get isCancelled(): boolean {
    return this.cancelRequested || this.above?.isCancelled === true;
  }

  /** Whether a child turn ends because the turn above it ends, which takes the effects back. */
  private endsWithTurnAbove(operation: Operation): boolean {
    if (this.above === undefined || (operation.type !== 'cancelled' && operation.type !== 'failed'))
      return false;
    // A cancelled turn whose effects were kept has no report either.
    return operation.report === null && (operation.type === 'failed' || this.ending !== 'committed');
  }

  private endedWithTurnAbove({ type }: Operation, complain: Complain): void {
    if (type === 'cancelled' && !this.isCancelled) complain('no cancel was requested');
    if (this.round?.isAsking === true) complain('the user is still asked');
    this.above!.hasToEnd = true;
  }

  /** Checks a fact of a child turn. The turns on the path are those of the open calls, from this turn on. */
  private leaf(leaf: Leaf, [id, ...path]: readonly string[], complain: Complain): void {
    if (id === undefined) return complain('its path is empty');
    if (this.above && this.ending !== 'not yet') complain(`it comes after ${this.ending}`);
    const { inner } = leaf;
    if ((inner.type as string) === 'subagent') return complain('it is in another fact of a child turn');
    if (path.length === 0 && inner.type === 'turnStarted') return this.childStarted(id, inner, complain);
    const child = this.open.get(id);
    const callId = this.ended.get(id);
    // A run in the place of a child turn that has ended takes the effects of that child turn back.
    if (callId !== undefined && path.length === 0 && inner.type === 'rolledBack')
      return this.complainUnlessRuns(callId, complain);
    if (child === undefined)
      return complain(
        this.children.has(id) ? `child turn ${id} has ended` : `child turn ${id} has not begun`,
      );
    // After an interruption, child turns may end without their call: the turn ends before the call runs again, the session lacks their agents,
    // or the call is refused when it is decided again.
    const endsWithoutCall = !work.has(inner.type) && this.isToRunAgain(child.callId);
    if (!endsWithoutCall) this.complainUnlessRuns(child.callId, complain);
    if (path.length > 0) return child.turn.leaf(leaf, path, complain);
    const operation = leafIn(leaf);
    if (operation.type === 'turnPutDown') complain('a child turn does not wait for its model');
    if (operation.type === 'contextCompacted') child.compactions.compacted(operation, complain);
    if (!child.turn.check(operation, complain)) return;
    this.open.delete(id);
    this.ended.set(id, child.callId);
  }

  private childStarted(
    id: string,
    start: Extract<Leaf['inner'], { readonly type: 'turnStarted' }>,
    complain: Complain,
  ): void {
    const { callId, given } = start;
    const key = given ? `=${start.key}` : start.key;
    if (this.children.has(id)) complain(`there is a child turn ${id} before it`);
    this.children.add(id);
    this.complainUnlessRuns(callId, complain);
    for (const [other, child] of this.open)
      if (child.callId === callId && child.key === key) complain(`child turn ${other} has its key`);
    const turn = new TurnOrder(id, start, this.effects, this.children, this);
    this.open.set(id, { callId, key, turn, compactions: new CompactionOrder() });
  }

  private complainUnlessRuns(callId: string, complain: Complain): void {
    if (this.round?.isRunning(callId) !== true) complain(`call ${callId} does not run`);
  }

  private isToRunAgain(callId: string): boolean {
    return this.round?.isToRunAgain(callId) === true;
  }

  /** Checks the end of a call, and an effect that moves, with regard to child turns. */
  private checkChildren(operation: Operation, complain: Complain): void {
    const { type } = operation;
    if (type === 'toolCompleted' || type === 'toolFailed')
      this.complainOfChildren(operation.callId, complain);
    if (type === 'toolInterrupted' && operation.decision !== 'rerun' && !this.isToRunAgain(operation.callId))
      this.complainOfChildren(operation.callId, complain);
    if (this.above && (type === 'effectReverted' || type === 'effectReapplied'))
      complain('an effect moves in the turn of the user');
  }

  /** Complains of the open child turns of a call; of all if it is null. */
  private complainOfChildren(callId: string | null, complain: Complain): void {
    for (const [id, child] of this.open)
      if (callId === null || child.callId === callId) complain(`child turn ${id} has not ended`);
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
