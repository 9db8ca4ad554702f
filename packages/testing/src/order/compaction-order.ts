import type { MiddlewareActed, OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The order of the marks at which the conversation was compacted. */
export class CompactionOrder {
  /** The marks so far; true while a summary is written for the mark. */
  private readonly marks = new Map<string, boolean>();

  /** Returns whether the operation makes a new mark. */
  compacted(
    { id, summarizing, summary, stripped }: OperationOf<'contextCompacted'>,
    complain: Complain,
  ): boolean {
    const before = this.marks.get(id);
    if (before === false) complain(`the mark ${id} has its content already`);
    if (before === undefined && [...this.marks.values()].includes(true))
      complain('a summary is written already');
    if (before === undefined && summary !== undefined)
      complain('a summary comes after the steps without a model');
    if (before === true && summarizing) complain(`a summary is written for ${id} already`);
    if ((summary === undefined) === (stripped === undefined)) complain('it has either a summary or steps');
    this.marks.set(id, summarizing === true);
    return before === undefined;
  }

  /** Hooks between two turns are called for the request for a summary alone. */
  middlewareActed({ hook }: MiddlewareActed, complain: Complain): void {
    if (hook !== 'beforeRequest') complain('it belongs to a turn');
    if (![...this.marks.values()].includes(true)) complain('no summary is written');
  }

  /** Is called where a summary is written no more: at the end of its turn, and when the log has another owner. */
  ended(): void {
    for (const id of this.marks.keys()) this.marks.set(id, false);
  }
}
