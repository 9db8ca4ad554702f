import type { ColumnId, Place } from './board.js';

export interface DragOptions {
  readonly board: HTMLElement;
  /** The card's element; follows the pointer. */
  readonly card: HTMLElement;
  /** Where the card would land now; null when nowhere, or when the drag is over. */
  over(place: Place | null): void;
  drop(place: Place): void;
}

/** Pixels that a pointer may tremble before a press becomes a drag. */
const THRESHOLD = 5;

/** Follows a pressed pointer until it is released. A press that does not move stays a click. */
export function startCardDrag(press: PointerEvent, { board, card, over, drop }: DragOptions): void {
  // A finger on a card scrolls; the grip is there to drag it.
  const onGrip = (press.target as Element).closest('[data-grip]') !== null;
  if (press.button !== 0 || (press.pointerType === 'touch' && !onGrip)) return;
  const controller = new AbortController();
  const { signal } = controller;
  let place: Place | null = null;
  let dragging = false;

  const end = () => {
    controller.abort();
    delete card.dataset.dragging;
    card.style.removeProperty('transform');
    over(null);
  };
  const move = (event: PointerEvent) => {
    const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY];
    if (!dragging) {
      if (Math.hypot(x, y) < THRESHOLD) return;
      dragging = true;
      card.dataset.dragging = '';
    }
    event.preventDefault();
    card.style.transform = `translate(${x}px, ${y}px) rotate(1.5deg)`;
    place = placeAt(board, card, event.clientX, event.clientY);
    over(place);
  };
  const release = () => {
    const wasDragging = dragging;
    end();
    if (!wasDragging) return;
    // The press ends in a click on the card, which must not select it.
    const swallow = (event: MouseEvent) => event.stopPropagation();
    board.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => board.removeEventListener('click', swallow, { capture: true }), 0);
    if (place) drop(place);
  };

  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', release, { signal });
  addEventListener('pointercancel', end, { signal });
  addEventListener('keydown', (event) => event.key === 'Escape' && end(), { signal });
}

/** The place under the pointer: the column that it is over, behind the cards whose middle lies above it. */
function placeAt(board: HTMLElement, dragged: HTMLElement, x: number, y: number): Place | null {
  const columns = [...board.querySelectorAll<HTMLElement>('[data-column]')];
  const column = columns.find((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return x >= left && x <= right && y >= top - 60 && y <= bottom + 120;
  });
  if (!column) return null;
  const others = [...column.querySelectorAll<HTMLElement>('[data-card]')].filter((card) => card !== dragged);
  const index = others.filter((card) => {
    const { top, height } = card.getBoundingClientRect();
    return top + height / 2 < y;
  }).length;
  return { column: column.dataset.column as ColumnId, index };
}
