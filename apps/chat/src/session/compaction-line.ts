import type { AgentSession, Compaction, TurnRecord } from '@banister/session';
import { sentence } from '@banister/provider';
import { visibleText } from '../text/visible-text.js';

/** A compaction as one line of the conversation, which opens to its content. */
export interface CompactionLine {
  readonly id: string;
  /** The position of the round before which it stands; null behind the turn. */
  readonly before: number | null;
  readonly words: string;
  /** The summary in place of the messages; null where there is none. */
  readonly summary: string | null;
  /** The parts that requests lack, where there is no summary, and the reason why there is none. */
  readonly details: readonly string[];
}

/** The compactions inside of a turn and behind it, oldest first. Reads a signal. */
export function compactionLines(
  { compactions }: AgentSession,
  { id, rounds }: Pick<TurnRecord, 'id' | 'rounds'>,
): readonly CompactionLine[] {
  return compactions.value
    .filter(({ turnId }) => turnId === id)
    .map((mark) => {
      // Its round has no answer yet while it is made.
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
