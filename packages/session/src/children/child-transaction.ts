import type { EffectFailure } from '../conversation/failure-reason.js';
import { childrenOf } from '../conversation/child-turns.js';
import type { CommittedEffect, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { isInPlace, touchSame } from '../state/in-the-way.js';
import { isReverted, itemOf, reportSoFar } from '../state/open-report.js';
import type { FoldState } from '../state/session-state.js';
import { effectsOf } from '../state/undo-notes.js';
import { lostCalls } from '../state/undo-entries.js';
import { described } from '../turn/turn-log.js';
import type { RunningCall } from '../turn/turn-request.js';
import type { CallRecord } from '../undo/live-call.js';
import type { Revisions } from '../undo/revisions.js';
import {
  withLate,
  type CommittedTurn,
  type OpenRevert,
  type OpenTransaction,
  type TakenBack,
} from '../undo/turn-transaction.js';

/** What a child turn says about its part of a transaction. */
export interface TransactionOwner {
  /** The id of the turn that the user sent. */
  readonly effectsOf: string;
  /** The running calls of the child turn, by call id. */
  readonly running: ReadonlyMap<string, RunningCall>;
  /** Returns the state as the child turn sees it. */
  current(): FoldState;
  /** Takes the effects of calls back while no other agent runs a call that excludes one of them. */
  takesBack<R>(callIds: readonly string[], work: () => Promise<R>): Promise<R>;
  /** Returns true if a turn above the child turn ends: its rollback takes the effects of the child turn back too. */
  isLeftToTurnAbove(): boolean;
}

/**
 * The part of a child turn in the transaction of the turn that the user sent. The effects are recorded there. A child turn that ends keeps
 * its effects in that transaction, or takes them back while the transaction stays open.
 */
export class ChildTransaction implements OpenTransaction {
  readonly isOpened = true;
  readonly hasHistory: boolean;
  readonly release: OpenTransaction['release'];
  readonly record: OpenTransaction['record'];
  readonly canRevert: OpenTransaction['canRevert'];
  readonly revertOpen: OpenTransaction['revertOpen'];

  constructor(
    private readonly root: OpenTransaction,
    private readonly owner: TransactionOwner,
  ) {
    this.hasHistory = root.hasHistory;
    this.release = root.release.bind(root);
    this.record = root.record.bind(root);
    this.canRevert = root.canRevert.bind(root);
    this.revertOpen = root.revertOpen.bind(root);
  }

  /** Does nothing: the transaction is open. */
  async open(): Promise<void> {}

  /** Does nothing: the transaction has taken the effects of all agents up. */
  async takeUp(): Promise<void> {}

  /** Does nothing: with child turns, the provider receives the effects when the turn ends. */
  keepForEnd(): void {}

  get isUntouched(): boolean {
    const { owner } = this;
    return owner.isLeftToTurnAbove() || (this.calls.every(isReverted) && owner.running.size === 0);
  }

  discard(): UndoReport {
    return this.soFar();
  }

  soFar(): UndoReport {
    return this.owner.isLeftToTurnAbove() ? reportSoFar([], []) : reportSoFar(this.settled, this.unknown);
  }

  /** Leaves the effects to the turn that the user sent, which commits them. */
  async commit(): Promise<CommittedTurn> {
    return this.kept();
  }

  /** Returns what stays of the effects until now. */
  kept(): CommittedTurn {
    const effects = this.settled
      .filter((call) => !isReverted(call))
      .map((call): CommittedEffect => ({ ...itemOf(call), irreversible: call.irreversible }));
    return { effects, isUndoable: false, unknown: this.unknown, handle: null };
  }

  /** Takes the effects back, newest first. An effect on which a later effect of another agent depends stays. */
  rollback(expected: () => Revisions): Promise<TakenBack> {
    const inPlace = this.settled.filter((call) => !isReverted(call) && this.canRevert(call.callId));
    // Calls of other agents end before the run begins. A call may end only after another rollback, which is a run too.
    return this.owner.takesBack(
      inPlace.map(({ callId }) => callId),
      () =>
        this.root.revertOpen(expected, async (revert, changes) => {
          const report = { ...nothing(), unknown: this.unknown };
          for (const call of this.calls.toReversed()) await this.takeBack(call, revert, report);
          const late = this.calls.filter(isReverted).map(itemOf);
          return { report: withLate(report, late), known: changes.known };
        }),
    );
  }

  /** As in any turn. But an effect of an aborted call on which a later effect of another agent depends stays. */
  compensate(record: CallRecord): ReturnType<OpenTransaction['compensate']> {
    const call = this.all.find(({ callId }) => callId === record.item.toolCallId);
    return this.root.compensate(record, call && this.isBuiltOn(call, nothing()));
  }

  private async takeBack(call: CallEffects, revert: OpenRevert, report: Lists): Promise<void> {
    const { callId } = call;
    if (this.owner.running.has(callId)) return;
    if (isReverted(call)) return void report.done.push(itemOf(call));
    if (this.isBuiltOn(call, report))
      return void report.failed.push({
        ...itemOf(call),
        reason: 'An effect that depends on it stays.',
        because: { code: DEPENDENT },
      });
    const failure = this.canRevert(callId) ? await revert(callId) : undefined;
    if (failure) return void report.failed.push({ ...itemOf(call), ...failure });
    const isLost = lostCalls(this.calls).has(callId);
    const list = isLost
      ? report.lost
      : failure === null && !call.irreversible
        ? report.done
        : report.irreversible;
    list.push(itemOf(call));
  }

  /** Returns true if a later effect touched the same place, and stays: it belongs to another agent, or a later effect depends on it. */
  private isBuiltOn(call: CallEffects, { failed }: Pick<Lists, 'failed'>): boolean {
    const ids = this.agents;
    const stay = new Set(
      failed.flatMap((item) => (item.because?.code === DEPENDENT ? [item.toolCallId] : [])),
    );
    const all = this.all;
    const later = all.slice(all.findIndex(({ callId }) => callId === call.callId) + 1);
    return later.some(
      (other) => (stay.has(other.callId) || !ids.has(other.child)) && touchSame([call], [other], isInPlace),
    );
  }

  private get unknown(): readonly UndoItem[] {
    return Array.from(this.owner.running.values(), ({ item }) => described(item, this.all));
  }

  /** The ids of the child turn and of the child turns inside of it. */
  private get agents(): ReadonlySet<string | undefined> {
    const { liveTurn } = this.owner.current();
    return new Set(liveTurn === null ? [] : [liveTurn.id, ...childrenOf(liveTurn).map(({ id }) => id)]);
  }

  /** The calls of all agents that recorded an effect. */
  private get all(): readonly CallEffects[] {
    return effectsOf(this.owner.current(), this.owner.effectsOf);
  }

  /** The calls that recorded an effect and have ended. Until then, a report lists a call as unknown. */
  private get settled(): readonly CallEffects[] {
    return this.calls.filter(({ callId }) => !this.owner.running.has(callId));
  }

  private get calls(): readonly CallEffects[] {
    const ids = this.agents;
    return this.all.filter(({ child }) => ids.has(child));
  }
}

/** The reason of an effect that stays because a later effect depends on it. */
const DEPENDENT = 'dependent-stays';

interface Lists extends Record<'done' | 'irreversible' | 'lost', UndoItem[]> {
  readonly failed: (UndoItem & EffectFailure)[];
}

function nothing(): Lists {
  return { done: [], failed: [], irreversible: [], lost: [] };
}
