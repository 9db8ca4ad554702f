import { cardsOf, type Columns } from './board.js';
import { nearestTitles } from './nearest-titles.js';

/** Says that a card does not exist, and names the nearest titles, for the model and for the user. */
export function noSuchCard(
  columns: Columns,
  reference: string,
): { readonly forModel: string; readonly forUser: string } {
  const titles = cardsOf(columns).map(({ card: { title } }) => title);
  const near = nearestTitles(reference, titles).map((title) => `“${title}”`);
  const forUser = `There is no card “${reference}”.${near.length === 0 ? '' : ` Near it: ${near.join(', ')}.`}`;
  return { forModel: `${forUser} Call board.list_cards to see what there is.`, forUser };
}
