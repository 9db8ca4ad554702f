import type { OperationOf } from '@banister/session';
import type { MiddlewareActed } from '@banister/session/operations';
import type { Complain } from './round-order.js';

/** The rules for the marks at which the conversation was compacted. */
export class CompactionOrder {
  /** All marks; true while the summary of the mark is being written. */
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

  /** Between two turns, hooks are called only for the request for a summary. */
  middlewareActed({ hook }: MiddlewareActed, complain: Complain): void {
    if (hook !== 'beforeRequest') complain('it belongs to a turn');
    if (![...this.marks.values()].includes(true)) complain('no summary is written');
  }

  /** Called when a summary is no longer being written: at the end of its turn, and after `ownerChanged`. */
  ended(): void {
    for (const id of this.marks.keys()) this.marks.set(id, false);
  }
}
