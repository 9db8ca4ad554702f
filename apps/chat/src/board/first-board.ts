import type { Card, CardDetails, Columns } from './board.js';
import { cardParts } from './card-details.js';
import { dayOf } from './day-words.js';

const now = new Date();

/** The board of a first visit. Its dates are relative to that visit, so that they are not in the past. */
export const firstBoard: Columns = [
  {
    id: 'todo',
    title: 'Todo',
    cards: [
      card('interviews', 'Interview five customers', {
        owner: 'Ana',
        ...due(4),
        label: 'Research',
        estimate: 3,
      }),
      card('pricing', 'Decide on pricing', { owner: 'Mai', ...due(6), label: 'Product', estimate: 1 }),
      card('landing', 'Sketch the landing page', { owner: 'Ben', ...due(9), label: 'Design', estimate: 2 }),
    ],
  },
  {
    id: 'doing',
    title: 'Doing',
    cards: [
      card('onboarding', 'Rewrite the onboarding mail', {
        owner: 'Mai',
        ...due(0),
        label: 'Marketing',
        estimate: 1,
      }),
      card('search', 'Fix search on mobile', { owner: 'Ben', ...due(2), label: 'Engineering', estimate: 2 }),
    ],
  },
  {
    id: 'done',
    title: 'Done',
    cards: [
      card('name', 'Choose a name', { owner: 'Ana', label: 'Product', estimate: 1 }),
      card('domain', 'Register the domain', { owner: 'Ben', label: 'Engineering', estimate: 0.5 }),
      card('logo', 'Draw the logo', { owner: 'Mai', label: 'Design', estimate: 3 }),
    ],
  },
];

/** Returns whether a board holds the cards of the first board in their places, regardless of dates. */
export function isFirstBoard(columns: Columns): boolean {
  const parts = cardParts.filter((part) => part !== 'due');
  const key = (board: Columns) =>
    JSON.stringify(board.map(({ cards }) => cards.map((one) => [one.id, ...parts.map((part) => one[part])])));
  return columns === firstBoard || key(columns) === key(firstBoard);
}

function card(name: string, title: string, details: CardDetails): Card {
  return { id: `card-${name}`, title, ...details };
}

function due(away: number): CardDetails {
  return { due: dayOf(now, away) };
}
