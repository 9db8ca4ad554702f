import type { AgentSession } from '@banister/session';
import { shownTable, tableWords } from './table-answer.js';
import { spokenText } from '../text/spoken-text.js';

/**
 * The text for a screen reader: the last block of text that is complete. While text streams, nothing is read out; the
 * block is read out when it has ended, without the marks of its Markdown. A table is read out as its size, once it is whole.
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
