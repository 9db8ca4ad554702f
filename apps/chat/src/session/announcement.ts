import type { AgentSession } from '@banister/session';
import { shownTable, tableWords } from './table-answer.js';
import { spokenText } from '../text/spoken-text.js';

/**
 * Returns the text for a screen reader: the last complete block of text, without the marks of its Markdown.
 * Incomplete text is not read out. A complete table is read out as its size.
 */
export function announcement(session: AgentSession): string {
  const live = session.liveTurn.value;
  const record = live ?? session.turns.value.at(-1);
  if (record?.structured) {
    const table = live === null ? shownTable(session, record) : null;
    return table === null ? '' : spokenText(tableWords(table));
  }
  const parts = record?.rounds.flatMap((round) => round.parts) ?? [];
  const ended = live === null ? parts : parts.slice(0, -1);
  return spokenText(ended.findLast((part) => part.type === 'text')?.text ?? '');
}
