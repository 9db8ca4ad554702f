import { listedCards, type ListedCard } from './tell-outcomes.js';
import { call, type Plan } from './step.js';

/** Answers a message that asks for a table of the board, as an ordinary answer in Markdown. */
export function* tablePlan(column: string | null): Plan {
  const outcomes = yield {
    thinking: 'I only have to read.',
    text: 'Let me look.',
    calls: [call('list_cards', column === null ? {} : { column })],
  };
  const { columns, rows } = tableOf(listedCards(outcomes), column);
  return [columns, columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replace(/[\\|]/g, '\\$&')).join(' | ')} |`)
    .join('\n');
}

interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @param column the title of the only column; null for all columns */
export function tableOf(cards: readonly ListedCard[], column: string | null): Table {
  const there = cards.filter((card) => column === null || card.column === column);
  return {
    caption: column === null ? 'The cards of the board' : `The cards in ${column}`,
    columns: ['Card', 'Column', 'Place'],
    rows: there.map((card) => {
      const siblings = there.filter((other) => other.column === card.column);
      return [card.title, card.column, `${siblings.indexOf(card) + 1} of ${siblings.length}`];
    }),
  };
}
