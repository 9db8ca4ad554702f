import type { Operation, OperationOf, SessionState, TurnRecord, UndoReport } from '@banister/session';
import { apply, isTerminal } from '@banister/session/operations';
import { createOrderChecker, validateHistory } from '@banister/testing';
import type { BoardRun } from './board-domain.js';
import { isPlainJson } from './plain-json.js';
import { domainIds, type DomainId } from './scheduled-app.js';
import type { ScheduledSession } from './scheduled-session.js';
import { UndoExpectation } from './undo-expectation.js';

/** An operation as a journal stores it: without the request, which repeats the conversation. */
export function journalled(operation: Operation): Operation {
  if (operation.type !== 'modelCallStarted' || operation.request === undefined) return operation;
  const { request } = operation;
  return { ...operation, request: { ...request, tools: [], messages: request.messages.slice(-1) } };
}

/** Follows the operations of a scheduled session, and notes each broken invariant. */
export class ScheduleWatch {
  readonly log: Operation[] = [];
  readonly problems: string[] = [];
  readonly undo = new UndoExpectation();
  mirror: SessionState;
  /** Settled turns as they were last seen, and those that may have changed since. */
  readonly settled = new Map<string, TurnRecord>();
  readonly touched = new Set<string>();
  isComplete = false;
  /** Whether anything happened that gives a revert a reason to fail: ever, and since the last turn began. */
  private wasDisturbed = false;
  private isTurnDisturbed = false;
  /** How many operations the mirror was last compared after. */
  compared = -1;
  /**
   * The domains that may not have the revision that the running turn expects: false, or undefined where a late tool may have
   * moved it.
   */
  private readonly notAsModelKnows = new Map<DomainId, false | undefined>();
  private editedInReaction = false;
  private readonly requestKeys = new Set<string>();
  private readonly checker = createOrderChecker();
  private readonly executed = new Set<string>();
  private readonly turnOfCall = new Map<string, string>();
  private readonly mustBeConfirmed = new Set<string>();
  private readonly approved = new Set<string>();
  private readonly late = new Map<string, OperationOf<'lateToolSettled'>>();

  constructor(private readonly scheduled: ScheduledSession) {
    this.mirror = scheduled.session.state;
  }

  follow(operation: Operation): void {
    this.log.push(operation);
    if (this.isComplete) this.say(`${operation.type} after the end of the stream`);
    this.problems.push(...this.checker.check(operation));
    if (!isPlainJson(journalled(operation))) this.say(`${operation.type} is not plain JSON`);
    const before = this.mirror.conversation;
    this.mirror = apply(this.mirror, operation);
    if (this.mirror.conversation !== before) {
      for (const problem of validateHistory(this.mirror.conversation.messages))
        this.say(`after ${operation.type} #${operation.sequence}: ${problem}`);
    }
    this.undo.follow(operation);
    if (operation.type === 'turnStarted') this.isTurnDisturbed = false;
    this.followCall(operation);
    this.followBudget(operation);
    if (isTerminal(operation)) this.turnEnded(operation);
  }

  completed(): void {
    this.isComplete = true;
  }

  /** A request reached the provider; further attempts repeat it. */
  requestBuilt(key: string): void {
    if (this.requestKeys.has(key)) return;
    this.requestKeys.add(key);
    this.notAsModelKnows.clear();
    if (this.editedInReaction) this.notAsModelKnows.set('board', undefined);
    this.editedInReaction = false;
  }

  userChanged(domain: DomainId, inReaction: boolean): void {
    this.disturb();
    // A tool or a revert that runs right now may have moved the revision as well.
    const { phase } = this.scheduled.session.state;
    const running = this.mirror.activeToolCalls.some(
      (call) => call.state === 'executing' && call.tool.startsWith(domain),
    );
    this.undo.userChanged(domain, running || phase === 'rolling-back');
    if (inReaction) this.editedInReaction = true;
    this.notAsModelKnows.set(domain, inReaction || running ? undefined : false);
  }

  /** Notes that a revert has a reason to fail from now on. */
  disturb(): void {
    this.wasDisturbed = this.isTurnDisturbed = true;
  }

  /** Notes that a tool was cut, or acted after it was cut. */
  blur(): void {
    this.disturb();
    this.undo.blur();
    for (const domain of domainIds) this.notAsModelKnows.set(domain, undefined);
  }

  runStarted({ context, args, domain }: BoardRun): void {
    const { callId } = context;
    if (this.executed.has(callId)) this.say(`call ${callId} is executed a second time`);
    this.executed.add(callId);
    if (!Object.isFrozen(args)) this.say(`the arguments of ${callId} can be changed`);
    const expected = this.notAsModelKnows.has(domain.id as DomainId)
      ? this.notAsModelKnows.get(domain.id as DomainId)
      : true;
    const now = domain.revision?.();
    if (expected !== undefined && (context.revision === now) !== expected)
      this.say(`${callId} gets revision ${String(context.revision)} while its domain is at ${now}`);
  }

  /** Calls of tools that ended after they were cut, without an operation `lateToolSettled`. */
  unreportedLateCalls(): readonly string[] {
    return this.scheduled.app.runs
      .filter((run) => run.cut && !this.late.has(run.context.callId))
      .map((run) => run.context.callId);
  }

  say(problem: string): void {
    this.problems.push(problem);
  }

  private followCall(operation: Operation): void {
    switch (operation.type) {
      case 'guardDecided':
        if (operation.verdict === 'confirm') this.mustBeConfirmed.add(operation.callId);
        return;
      case 'confirmationResolved':
        if (operation.decision === 'approved' || operation.decision === 'edited')
          this.approved.add(operation.callId);
        return;
      case 'toolStarted': {
        const { callId, turnId } = operation;
        this.turnOfCall.set(callId, turnId);
        if (this.mustBeConfirmed.has(callId) && !this.approved.has(callId))
          this.say(`${callId} starts without an approval`);
        return;
      }
      case 'toolFailed':
        if (operation.outcome === 'timed-out') this.blur();
        return;
      case 'lateToolSettled':
        this.lateSettled(operation);
        return;
      case 'undone':
        this.touched.add(operation.target);
        this.reported('undo', operation.target, operation.report);
        return;
      case 'redone':
        this.touched.add(operation.target);
        for (const { toolCallId } of operation.report.done) {
          if (!this.scheduled.app.isApplied(toolCallId))
            this.say(`${toolCallId} counts as done again, and is not in effect`);
        }
        for (const { toolCallId } of operation.report.failed) {
          if (this.scheduled.app.isWritten(toolCallId))
            this.say(`${toolCallId} counts as not done again, and is in effect`);
        }
        return;
      default:
        return;
    }
  }

  /** Notes a turn that calls the model or starts a tool although it has spent more than its limits. */
  private followBudget({ type }: Operation): void {
    if (type !== 'modelCallStarted' && type !== 'toolStarted') return;
    const { maxTokens, maxCost } = this.scheduled.setup.limits;
    const { tokens, cost } = this.mirror.budget;
    if (tokens.spent > maxTokens || cost.spent > maxCost)
      this.say(`${type} although the turn has spent too much`);
  }

  private lateSettled(operation: OperationOf<'lateToolSettled'>): void {
    const { callId, target, settlement } = operation;
    if (this.late.has(callId)) this.say(`${callId} settles late a second time`);
    this.late.set(callId, operation);
    this.touched.add(target);
    this.blur();
    const { effect } = settlement;
    if ((effect === 'reverted' || effect === 'none') && this.scheduled.app.isApplied(callId))
      this.say(`${callId} settled late with effect "${effect}", and is in effect`);
  }

  private turnEnded(operation: OperationOf<'completed' | 'stopped' | 'cancelled' | 'failed'>): void {
    const { turnId } = operation;
    // A cut tool that has not ended yet may have moved the board behind the records; it may be acting right now.
    const isOpen = ({ settled, context }: BoardRun) => !settled || !this.late.has(context.callId);
    if (this.scheduled.app.runs.some((run) => run.context.signal.aborted && isOpen(run))) this.blur();
    const report = operation.type === 'cancelled' || operation.type === 'failed' ? operation.report : null;
    if (report !== null) {
      this.reported('end', turnId, report);
      return;
    }
    const record = this.mirror.turns.findLast((turn) => turn.id === turnId);
    const listed = [...(record?.effects ?? []), ...(record?.unknown ?? [])];
    const known = new Set(listed.map((effect) => effect.toolCallId));
    for (const callId of this.appliedCalls(turnId)) {
      if (!known.has(callId)) this.say(`${callId} is in effect, and missing among the effects of ${turnId}`);
    }
  }

  /** Every effect is in a report, and no report lists an effect as done that is not. */
  private reported(occasion: 'end' | 'undo', turnId: string, report: UndoReport): void {
    const isUndo = occasion === 'undo';
    const { failed, irreversible, unknown } = report;
    const stays = new Set([...failed, ...irreversible, ...unknown].map((item) => item.toolCallId));
    for (const callId of this.appliedCalls(turnId)) {
      if (!stays.has(callId))
        this.say(`${occasion} of ${turnId}: ${callId} is in effect, and the report does not say so`);
    }
    for (const { toolCallId } of unknown) {
      if (!this.isCut(toolCallId))
        this.say(`${occasion} of ${turnId}: ${toolCallId} is unknown, and was never cut`);
    }
    for (const { toolCallId } of report.done) {
      if (this.scheduled.app.isApplied(toolCallId))
        this.say(`${occasion} of ${turnId}: ${toolCallId} is called done, and is in effect`);
    }
    for (const { toolCallId, reason } of this.mayFail(isUndo) ? [] : report.failed) {
      if (!this.isCut(toolCallId) && !this.isCovered(toolCallId))
        this.say(`${occasion} of ${turnId}: ${toolCallId} fails for no reason: ${reason}`);
    }
  }

  private mayFail(isUndo: boolean): boolean {
    const { app, historyBroke } = this.scheduled;
    const disturbed = isUndo ? this.wasDisturbed : this.isTurnDisturbed;
    return disturbed || historyBroke || app.faults.kind !== 'none';
  }

  private appliedCalls(turnId: string): readonly string[] {
    return [...this.turnOfCall]
      .filter(([callId, turn]) => turn === turnId && this.scheduled.app.isApplied(callId))
      .map(([callId]) => callId);
  }

  private isCut(callId: string): boolean {
    return this.runOf(callId)?.context.signal.aborted ?? false;
  }

  /** Whether a later call of another turn, which cannot be undone, has written to the same place and stands there. */
  private isCovered(callId: string): boolean {
    const { app, session } = this.scheduled;
    const own = app.runs.findIndex((run) => run.context.callId === callId);
    const { domain, args } = app.runs[own]!;
    const undoable = new Set(
      session.state.undoEntries.flatMap((entry) => (entry.undoable ? entry.turnId : [])),
    );
    return app.runs.slice(own + 1).some(({ context, ...run }) => {
      const turn = this.turnOfCall.get(context.callId)!;
      const isSamePlace = run.domain === domain && run.args.place === args.place;
      return (
        isSamePlace &&
        turn !== this.turnOfCall.get(callId) &&
        !undoable.has(turn) &&
        app.isWritten(context.callId)
      );
    });
  }

  private runOf(callId: string): BoardRun | undefined {
    return this.scheduled.app.runs.find((run) => run.context.callId === callId);
  }
}
