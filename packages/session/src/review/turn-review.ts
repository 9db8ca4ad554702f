import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { finalize, merge, Observable, type Subscriber } from 'rxjs';
import { nothingUndone, type UndoItem, type UndoReport } from '../conversation/turn-record.js';
import { fromAsync } from '../operations/from-async.js';
import { movedOf } from '../operations/moved.js';
import type { TurnFact } from '../operations/operation.js';
import type { ReviewedEffect } from './review-operations.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import { inEffectOrder } from '../state/effect-order.js';
import { isReverted, itemOf } from '../state/open-report.js';
import { effectsOf } from '../state/undo-notes.js';
import { concat, type Stage } from '../turn/concat.js';
import type { OpenReview } from '../turn/question-desk.js';
import type { Turn } from '../turn/turn-context.js';
import type { TurnReview } from '../turn/turn-parts.js';
import { written } from '../turn/written.js';
import { differing } from '../undo/revisions.js';
import type { OpenRevert, TakenBack } from '../undo/turn-transaction.js';
import { reviewedEffects } from './reviewed-effects.js';

/** Returns the review of a turn. */
export function reviewOf(turn: Turn): TurnReview {
  return new Review(turn);
}

/**
 * The review of the effects of a turn. Its decisions are carried out one at a time, in the order in which they were made, because taking
 * effects back takes time. The decisions are in the state, and a review that is resumed from its log goes on from there.
 */
class Review implements TurnReview, OpenReview {
  /** The stage of the turn that waits for the decisions; null if none waits. */
  private waiting: Subscriber<TurnFact> | null = null;
  /** The number of decisions that are being carried out or wait. */
  private running = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly turn: Turn) {}

  decided(ending: TurnEnding): Observable<TurnFact> {
    const { cancellation, host } = this.turn;
    const { desk } = host;
    return concat(
      () => this.opened(ending),
      () => (this.isOpened ? merge(this.decisions(), written(this.turn)) : []),
    ).pipe(
      cancellation.untilCancelled(),
      finalize(() => {
        desk.review = null;
      }),
    );
  }

  closed(keeps: boolean): Observable<never> {
    return fromAsync(async () => {
      await this.inTurn(async () => {
        await this.finishRejection();
        this.recorded();
        const ids = this.openIds();
        if (keeps) this.emitAccepted(ids);
        // An effect stays if an accepted effect depends on it.
        else await this.takeBack(ids.toReversed());
      });
    });
  }

  decide(decision: 'accept' | 'reject', ids: readonly string[] | undefined): Promise<UndoReport> {
    return this.inTurn(async () => {
      try {
        const open = this.openIds(ids);
        const report = await this.takeBack(
          decision === 'accept' ? open.filter(this.isGone) : this.planOf(open),
        );
        if (decision === 'accept') this.emitAccepted(open.filter((id) => !this.isGone(id)));
        await this.turn.journal.barrier();
        return report;
      } catch (error) {
        this.waiting?.error(error);
        throw error;
      }
    });
  }

  recorded(): void {
    const { ending } = this.turn.current().fold.turn!;
    const known = new Set(this.reviewed.map(({ toolCallId }) => toolCallId));
    const effects = this.undecided();
    if (effects.some(({ toolCallId }) => !known.has(toolCallId)))
      this.emit({ type: 'reviewOpened', ending: ending!, effects });
  }

  private get isOpened(): boolean {
    return this.turn.current().fold.turn?.review !== undefined;
  }

  /**
   * Opens the review, or opens it again. `desk.review` is set before the operation is emitted, because its subscribers may call `accept` or
   * `reject`.
   */
  private opened(ending: TurnEnding): Stage {
    const effects = this.undecided();
    if (effects.length > 0) this.turn.host.desk.review = this;
    return effects.length === 0 ? [] : { type: 'reviewOpened', ending, effects };
  }

  /**
   * Returns the effects without a decision, including effects that no review has listed yet. It also adds the effects of aborted calls to
   * the transaction.
   */
  private undecided(): readonly ReviewedEffect[] {
    const { turn } = this;
    for (const { callId } of effectsOf(turn.current(), turn.effectsOf)) {
      const record = turn.running.get(callId)?.record?.();
      if (record !== undefined) void turn.transaction.record(record);
    }
    const all = new Map(reviewedEffects(turn).map((effect) => [effect.toolCallId, effect]));
    const known = new Set(this.reviewed.map(({ toolCallId }) => toolCallId));
    const open = (turn.current().pendingReview?.effects ?? []).map((effect) =>
      defined({ ...effect, ...all.get(effect.toolCallId) }),
    );
    const added = [...all.values()].filter(({ toolCallId }) => !known.has(toolCallId));
    return this.inOrder([...open, ...added]);
  }

  /** Waits until every effect is decided. Meanwhile the clock of the turn stands still. */
  private decisions(): Observable<TurnFact> {
    return new Observable((subscriber) => {
      subscriber.add(this.turn.clock.hold());
      this.waiting = subscriber;
      subscriber.add(() => {
        this.waiting = null;
      });
      // If a subscriber of `reviewOpened` has begun a rejection, this waits for it, and there is no earlier rejection to finish. If its
      // write was refused, the turn has failed.
      this.inTurn(async () => {
        if (!subscriber.closed) await this.finishRejection();
      }).catch((error: unknown) => subscriber.error(error));
    });
  }

  /** Carries out a decision after the earlier decisions; at once if there are none. */
  inTurn<R>(carryOut: () => Promise<R>): Promise<R> {
    const before = this.last;
    const isFirst = this.running++ === 0;
    let end!: () => void;
    this.last = new Promise<void>((resolve) => {
      end = resolve;
    });
    const result = isFirst ? carryOut() : before.then(carryOut);
    const ended = () => {
      this.running--;
      end();
      if (this.running === 0 && this.openIds().length === 0) this.waiting?.complete();
    };
    result.then(ended, ended);
    return result;
  }

  /** Finishes a rejection that an earlier owner of the log had begun. */
  private async finishRejection(): Promise<void> {
    const rejecting = this.turn.current().fold.turn?.review?.rejecting ?? null;
    if (rejecting !== null) await this.carryOut(rejecting);
  }

  /** Returns the ids among the given ids whose effects are open. */
  private openIds(ids?: readonly string[]): readonly string[] {
    const open = this.turn.current().pendingReview?.effects.map(({ toolCallId }) => toolCallId) ?? [];
    return ids === undefined ? open : open.filter((id) => ids.includes(id));
  }

  /** Returns the calls whose effects are taken back with the rejected effects, newest first. */
  private planOf(rejected: readonly string[]): readonly string[] {
    const plan = new Set([
      ...rejected,
      ...rejected.flatMap((id) => this.dependentsOf(id)).filter((id) => !this.isGone(id)),
    ]);
    return this.reviewed.flatMap(({ toolCallId: id }) => (plan.has(id) ? [id] : [])).toReversed();
  }

  private dependentsOf(id: string): readonly string[] {
    return this.reviewed.find(({ toolCallId }) => toolCallId === id)?.dependents ?? [];
  }

  private get reviewed() {
    return this.inOrder(this.turn.current().fold.turn?.review?.effects ?? []);
  }

  private inOrder<Item extends Pick<UndoItem, 'toolCallId'>>(items: readonly Item[]): readonly Item[] {
    const { current, effectsOf: turnId } = this.turn;
    return inEffectOrder(current(), turnId, items, ({ toolCallId }) => toolCallId);
  }

  /** Returns true if the log says that the effects of a call are taken back. */
  private readonly isGone = (id: string): boolean => {
    const call = effectsOf(this.turn.current(), this.turn.effectsOf).find(({ callId }) => callId === id);
    return call === undefined || isReverted(call);
  };

  private emitAccepted(ids: readonly string[]): void {
    if (ids.length > 0) this.emit({ type: 'reviewResolved', decision: 'accepted', ids });
  }

  /** Takes effects back, newest first. The log stores `rejectStarted` before the first effect moves. */
  private async takeBack(ids: readonly string[]): Promise<UndoReport> {
    if (ids.length === 0) return nothingUndone;
    this.emit({ type: 'rejectStarted', ids });
    return this.carryOut(ids);
  }

  private async carryOut(ids: readonly string[]): Promise<UndoReport> {
    const { turn } = this;
    await turn.journal.barrier();
    const expected = () => turn.revisions.summary().after;
    return turn.transaction.revertOpen(expected, (revert, changes) => this.revertEach(ids, revert, changes));
  }

  /** Takes effects back, and emits the fact of the rejection. */
  private async revertEach(
    ids: readonly string[],
    revert: OpenRevert,
    changes: Pick<TakenBack, 'known'>,
  ): Promise<UndoReport> {
    const { turn } = this;
    const before = turn.readRevisions();
    const report = {
      ...nothingUndone,
      done: [] as UndoItem[],
      failed: [] as UndoReport['failed'][number][],
      lost: [] as UndoItem[],
    };
    for (const id of ids) {
      const item = this.itemOf(id);
      if (this.isGone(id)) report.done.push(item);
      else if (this.dependentsOf(id).some((other) => !this.isGone(other)))
        report.failed.push({
          ...item,
          reason: 'An effect that depends on it stays.',
          because: { code: 'dependent-stays' },
        });
      else if (!turn.transaction.canRevert(id)) report.lost.push(item);
      else {
        const failure = await revert(id);
        if (failure === null) report.done.push(item);
        else report.failed.push({ ...item, ...failure });
      }
    }
    // Code that exceeded its time limit may have ended since.
    const late = report.failed.filter(({ toolCallId }) => this.isGone(toolCallId));
    report.failed = report.failed.filter((item) => !late.includes(item));
    report.done.push(...late.map(({ toolCallId }) => this.itemOf(toolCallId)));
    for (const domain of turn.revisions.summary().domains) turn.contextCache.changed(domain);
    const { known } = changes;
    const moved = movedOf(differing(before, known), before, known);
    this.emit({ type: 'reviewResolved', decision: 'rejected', ids, report, moved });
    return report;
  }

  private itemOf(id: string): UndoItem {
    const call = effectsOf(this.turn.current(), this.turn.effectsOf).find(({ callId }) => callId === id);
    if (call === undefined)
      throw new AgentSessionError('provider-contract', `There is no effect of call ${id}.`);
    return itemOf(call);
  }

  private emit(fact: TurnFact): void {
    this.turn.sink.emit(fact);
  }
}
