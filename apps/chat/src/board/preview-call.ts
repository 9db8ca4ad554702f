import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { columnNamed, columnTitle, findCard, type Columns } from './board.js';
import { audienceWords } from './audience-words.js';
import type { BoardStore, Publication } from './board-store.js';
import { detailsIn, detailWords, editedCard, editInWords } from './card-details.js';
import { dayWords } from './day-words.js';

/** What a call changes on the board, in a few words: before and after. */
export interface CallChange {
  readonly before: string;
  readonly after: string;
}

/** The parts of the board that a preview reads. */
export interface PreviewedBoard {
  readonly columns: Columns;
  readonly publication: Publication | null;
}

/** Returns the current board. Reads signals, so an effect that calls it runs again when the board changes. */
export function previewedBoard({ columns, publication }: BoardStore): PreviewedBoard {
  return { columns: columns.value, publication: publication.value };
}

/**
 * Returns what a call would change, without doing anything; null if that is unknown, for example for
 * half-written arguments or an unknown card. The tools use it for `preview`, and a form shows it while its
 * fields change.
 */
export function previewCall(
  { columns, publication }: PreviewedBoard,
  tool: string,
  args: JsonValue | undefined,
): CallChange | null {
  const given = isJsonObject(args) ? args : {};
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  const found = text('card') === '' ? undefined : findCard(columns, text('card'));
  const column = columnNamed(columns, text('column'));
  switch (tool) {
    case 'board.add_card':
      return column && text('title') !== ''
        ? {
            before: 'Not on the board',
            after: [`Last in ${column.title}`, detailWords(detailsIn(given))].filter(Boolean).join(': '),
          }
        : null;
    case 'board.edit_card':
      return found ? editInWords(found.card, editedCard(found.card, given)) : null;
    case 'board.move_card':
      return found && column
        ? { before: columnTitle(columns, found.place.column), after: column.title }
        : null;
    case 'board.delete_card':
      return found ? { before: `In ${columnTitle(columns, found.place.column)}`, after: 'Gone' } : null;
    case 'board.clear_column':
      return column ? { before: cardsInWords(column.cards.length), after: 'Empty' } : null;
    case 'board.publish_board': {
      const audience = text('audience');
      if (audience !== 'team' && audience !== 'everyone') return null;
      const readers = readersWords(audience);
      const day = dayWords(text('on'));
      return {
        before: publication === null ? 'Only you' : readersWords(publication.audience),
        after: [
          readers,
          ...(day === null ? [] : [`from ${day}`]),
          ...(sendsMail(given['mail']) ? [`with a mail to ${audienceWords(audience)}`] : []),
        ].join(', '),
      };
    }
    default:
      return null;
  }
}

function sendsMail(mail: JsonValue | undefined): boolean {
  return isJsonObject(mail) && mail['send'] === true;
}

/** Returns the readers as the beginning of a line. */
function readersWords(audience: string): string {
  const words = audienceWords(audience);
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

function cardsInWords(count: number): string {
  return count === 1 ? '1 card' : `${count} cards`;
}
