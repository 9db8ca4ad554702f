import {
  addCard,
  clearColumn,
  deleteCard,
  editCard,
  listCards,
  moveCard,
  publishBoard,
} from '../board/board-tools.js';

interface Verbs {
  /** While a call runs. */
  readonly doing: string;
  /** After a number of changes. */
  readonly done: string;
}

const verbs: Readonly<Record<string, Verbs>> = {
  [`board.${listCards.name}`]: { doing: 'Looking at the board', done: 'looked at' },
  [`board.${addCard.name}`]: { doing: 'Adding cards', done: 'added' },
  [`board.${editCard.name}`]: { doing: 'Renaming cards', done: 'renamed' },
  [`board.${moveCard.name}`]: { doing: 'Moving cards', done: 'moved' },
  [`board.${deleteCard.name}`]: { doing: 'Deleting cards', done: 'deleted' },
  [`board.${clearColumn.name}`]: { doing: 'Deleting cards', done: 'emptied' },
  [`board.${publishBoard.name}`]: { doing: 'Publishing the board', done: 'published' },
};

/** The verbs of a tool, for the words about its calls. */
export function verbsOf(tool: string): Verbs {
  return verbs[tool] ?? { doing: 'Working', done: 'changed' };
}

/** Whether a tool only reads. */
export function isReading(tool: string): boolean {
  return tool === `board.${listCards.name}` || tool === 'handrail.read_context';
}
