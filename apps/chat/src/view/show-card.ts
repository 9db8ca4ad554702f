import { showWithin } from '../board/show-within.js';

/**
 * Scrolls a card of the board into sight and lets it flash, for a line of the chat about it.
 *
 * @param reference the id of the card, or its title
 * @returns false if the board has no such card
 */
export function showCard(reference: string): boolean {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-card]')];
  const card =
    cards.find(({ dataset }) => dataset['card'] === reference) ??
    cards.find((one) => one.querySelector('.card-title')?.textContent === reference);
  const scroller = card?.closest<HTMLElement>('.board-surface');
  if (!card || !scroller) return false;
  showWithin(scroller, card);
  // On a small screen the board itself may be out of sight.
  card.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const style = getComputedStyle(card);
  const tint = style.getPropertyValue('--rail-tint');
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  // If the user wants no motion, the colour is held instead.
  card.animate([{ backgroundColor: tint }, { backgroundColor: isStill ? tint : style.backgroundColor }], {
    duration: isStill ? 4000 : 1600,
    easing: isStill ? 'steps(1)' : 'ease-out',
  });
  return true;
}
