import type { AgentSession, Compaction, TurnRecord } from '@banister/session';
import { sentence } from '@banister/provider';
import { visibleText } from '../text/visible-text.js';

/** A compaction as one line of the conversation, which unfolds its content. */
export interface CompactionLine {
  readonly id: string;
  /** The position of the round before which the line is shown; null if it is after the turn. */
  readonly before: number | null;
  readonly words: string;
  /** The summary that replaces the messages; null if there is none. */
  readonly summary: string | null;
  /** If there is no summary: the parts that requests lack, and the reason. */
  readonly details: readonly string[];
}

/** Returns the compactions inside and after a turn, oldest first. Reads a signal. */
export function compactionLines(
  { compactions }: AgentSession,
  { id, rounds }: Pick<TurnRecord, 'id' | 'rounds'>,
): readonly CompactionLine[] {
  return compactions.value
    .filter(({ turnId }) => turnId === id)
    .map((mark) => {
      // While a compaction runs, its round has no answer yet.
      const isInside = mark.round !== undefined && mark.round <= rounds.length;
      return lineOf(mark, isInside ? mark.round - 1 : null);
    });
}

export function sameLines(a: readonly CompactionLine[], b: readonly CompactionLine[]): boolean {
  return a.length === b.length && a.every((line, index) => JSON.stringify(line) === JSON.stringify(b[index]));
}

function lineOf(
  { id, tokens, summary, stripped, failure }: Compaction,
  before: number | null,
): CompactionLine {
  const size = [tokens.before, tokens.after].map((count) => count.toLocaleString('en')).join(' → ');
  return {
    id,
    before,
    words: `Earlier messages were compacted · ${size} tokens`,
    summary: summary === undefined ? null : visibleText(summary),
    details: [
      ...(stripped?.results === undefined ? [] : ['Long results, images and files are left out.']),
      ...(stripped?.calls === undefined ? [] : ['Calls of tools are shortened to one line each.']),
      ...(stripped?.messages === undefined ? [] : ['The oldest messages are left out.']),
      ...(failure === undefined ? [] : [sentence(`There is no summary: ${visibleText(failure)}`)]),
    ],
  };
}
