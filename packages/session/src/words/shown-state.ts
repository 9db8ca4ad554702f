import type { ErrorData } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { EffectFailure } from '../conversation/failure-reason.js';
import type {
  RoundRecord,
  ToolCallView,
  TurnOutcome,
  TurnRecord,
  UndoItem,
  UndoReport,
} from '../conversation/turn-record.js';
import type { ReviewedEffect } from '../review/review-operations.js';
import type { Confirmation } from '../signals/projection.js';
import type { PendingReview } from '../state/session-state.js';
import type { Phrases } from './phrases.js';

/**
 * Puts the words of one table into the values of signals. A value without words for the user is returned unchanged. For a value that was
 * seen before, the same object is returned as then, because views compare by identity.
 */
export class ShownState {
  private readonly known = new WeakMap<object, object>();

  constructor(private readonly phrases: Phrases) {}

  readonly turns = (turns: readonly TurnRecord[]): readonly TurnRecord[] => this.each(turns, this.turn);

  readonly turn = (turn: TurnRecord): TurnRecord =>
    this.once(turn, () => {
      const { rounds, outcome, undo, switches } = turn;
      return changed(turn, {
        rounds: this.phrases.table.titles === undefined ? rounds : this.each(rounds, this.round),
        outcome: outcome && this.outcome(outcome),
        undo: undo && changed(undo, { report: this.report(undo.report) }),
        switches: switches && this.each(switches, this.switched),
      });
    });

  readonly calls = (calls: readonly ToolCallView[]): readonly ToolCallView[] => this.each(calls, this.call);

  readonly outcome = (outcome: TurnOutcome): TurnOutcome =>
    this.once(outcome, () => {
      const { stop, error, report } = outcome;
      return changed(outcome, {
        stop: stop && changed(stop, { message: this.phrases.stop(stop) }),
        error: error && this.errorData(error),
        report: report && this.report(report),
      });
    });

  readonly error = (error: AgentSessionError): AgentSessionError =>
    this.once(error, () => {
      const words = this.phrases.error(error);
      if (words === error.message) return error;
      const { code, retry, details } = error;
      return new AgentSessionError(code, words, { retry, details, cause: error });
    });

  readonly confirmations = (list: readonly Confirmation[]): readonly Confirmation[] =>
    this.each(list, this.confirmation);

  readonly confirmation = (asked: Confirmation): Confirmation =>
    this.once(asked, () =>
      changed(asked, {
        reason: this.phrases.question(asked),
        call: this.titled(asked.call),
        preview: asked.preview && this.phrases.preview(asked.preview),
      }),
    );

  readonly review = (review: PendingReview): PendingReview =>
    this.once(review, () => changed(review, { effects: this.each(review.effects, this.effect) }));

  private readonly round = (round: RoundRecord): RoundRecord =>
    this.once(round, () =>
      changed(round, {
        parts: this.each(round.parts, (part) => (part.type === 'tool-call' ? this.call(part) : part)),
      }),
    );

  private readonly call = (call: ToolCallView): ToolCallView => this.once(call, () => this.titled(call));

  private readonly switched = (one: NonNullable<TurnRecord['switches']>[number]) => {
    const { code, reason: message } = one;
    return changed(one, { reason: this.phrases.error({ code, message, details: {}, retry: 'never' }) });
  };

  private readonly effect = (effect: ReviewedEffect): ReviewedEffect => {
    const { conflict: reason, because } = effect;
    if (reason === undefined || because === undefined) return effect;
    return changed(effect, { conflict: this.phrases.failure({ reason, because }) });
  };

  private readonly failed = (item: UndoItem & EffectFailure): UndoItem & EffectFailure =>
    changed(item, { reason: this.phrases.failure(item) });

  private report(report: UndoReport): UndoReport {
    return changed(report, { failed: this.each(report.failed, this.failed) });
  }

  private errorData(error: ErrorData): ErrorData {
    return changed(error, { message: this.phrases.error(error) });
  }

  private titled<Call extends { readonly tool: string; readonly title?: string }>(call: Call): Call {
    const title = this.phrases.ownTitle(call);
    return title === undefined ? call : changed(call, { title } as Partial<Call>);
  }

  /** Returns the list itself if no item changes. */
  private each<Item extends object>(items: readonly Item[], show: (item: Item) => Item): readonly Item[] {
    return this.once(items, () => {
      const shown = items.map(show);
      return shown.every((item, index) => item === items[index]) ? items : shown;
    });
  }

  private once<Value extends object>(value: Value, show: () => Value): Value {
    let shown = this.known.get(value) as Value | undefined;
    if (shown === undefined) this.known.set(value, (shown = show()));
    return shown;
  }
}

/** Returns the object with these fields; the object itself if every field is unchanged. */
function changed<Value extends object>(value: Value, fields: Partial<Value>): Value {
  const entries = Object.entries(fields) as [keyof Value, unknown][];
  const news = entries.filter(([name, field]) => field !== value[name]);
  return news.length === 0 ? value : { ...value, ...Object.fromEntries(news) };
}
