import type { Columns } from './board.js';

/** The board of a first visit. */
export const firstBoard: Columns = [
  {
    id: 'todo',
    title: 'Todo',
    cards: [
      { id: 'card-interviews', title: 'Interview five customers' },
      { id: 'card-pricing', title: 'Decide on pricing' },
      { id: 'card-landing', title: 'Sketch the landing page' },
    ],
  },
  {
    id: 'doing',
    title: 'Doing',
    cards: [
      { id: 'card-onboarding', title: 'Rewrite the onboarding mail' },
      { id: 'card-search', title: 'Fix search on mobile' },
    ],
  },
  {
    id: 'done',
    title: 'Done',
    cards: [
      { id: 'card-name', title: 'Choose a name' },
      { id: 'card-domain', title: 'Register the domain' },
      { id: 'card-logo', title: 'Draw the logo' },
    ],
  },
];

/** Whether a board holds the cards of the first one, each in its place. */
export function isFirstBoard(columns: Columns): boolean {
  const key = (board: Columns) =>
    board.map(({ cards }) => cards.map(({ id, title }) => JSON.stringify([id, title])).join()).join(';');
  return columns === firstBoard || key(columns) === key(firstBoard);
}
