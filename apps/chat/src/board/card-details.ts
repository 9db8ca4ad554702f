import type { JsonObject } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { Card, CardDetails } from './board.js';
import { dayWords } from './day-words.js';

export const owners = ['Ana', 'Ben', 'Mai'] as const;
export const labels = ['Design', 'Engineering', 'Marketing', 'Product', 'Research'] as const;

export const detailNames = ['owner', 'due', 'label', 'estimate'] as const;
export type DetailName = (typeof detailNames)[number];

export const detailTitles: Readonly<Record<DetailName, string>> = {
  owner: 'Owner',
  due: 'Due date',
  label: 'Label',
  estimate: 'Estimate',
};

/** The parts of a card that change independently. */
export const cardParts = ['title', ...detailNames] as const;
export type CardPart = (typeof cardParts)[number];

/** Returns the details in a value that have the right type; no other fields. */
export function detailsIn(value: unknown): CardDetails {
  const { owner, due, label, estimate } = isJsonObject(value) ? value : ({} satisfies JsonObject);
  return {
    ...(typeof owner === 'string' && owner !== '' ? { owner } : {}),
    ...(typeof due === 'string' && due !== '' ? { due } : {}),
    ...(typeof label === 'string' && label !== '' ? { label } : {}),
    ...(typeof estimate === 'number' ? { estimate } : {}),
  };
}

/**
 * Returns the card after a call of the agent: named details are set, and details that are to be emptied are
 * removed.
 */
export function editedCard(card: Card, args: JsonObject): Card {
  const title = typeof args['title'] === 'string' && args['title'] !== '' ? args['title'] : card.title;
  const details: Record<string, unknown> = { ...detailsIn(card), ...detailsIn(args) };
  for (const name of Array.isArray(args['clear']) ? args['clear'] : []) delete details[String(name)];
  return { id: card.id, title, ...detailsIn(details) };
}

export function changedParts(from: Card, to: Card): readonly CardPart[] {
  return cardParts.filter((part) => from[part] !== to[part]);
}

/** Returns a part of a card in words, even if the card does not have it. */
export function partWords(card: CardDetails & { readonly title?: string }, part: CardPart): string {
  switch (part) {
    case 'title':
      return card.title ?? '';
    case 'owner':
      return card.owner ?? 'No owner';
    case 'due':
      return card.due === undefined ? 'No due date' : `Due ${dayWords(card.due) ?? card.due}`;
    case 'label':
      return card.label ?? 'No label';
    case 'estimate':
      return card.estimate === undefined ? 'No estimate' : estimateWords(card.estimate);
  }
}

export function estimateWords(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** Returns all details of a card in words; empty if it has none. */
export function detailWords(card: CardDetails): string {
  return detailNames
    .filter((name) => card[name] !== undefined)
    .map((name) => partWords(card, name))
    .join(', ');
}

/** Returns an edit of a card as a change from one value to another; null if nothing changes. */
export function editInWords(
  from: Card,
  to: Card,
): { readonly before: string; readonly after: string } | null {
  const parts = changedParts(from, to);
  if (parts.length === 0) return null;
  const words = (card: Card) => parts.map((part) => partWords(card, part)).join(', ');
  return { before: words(from), after: words(to) };
}
