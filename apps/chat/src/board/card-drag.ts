import type { ColumnId, Place } from './board.js';

export interface DragOptions {
  readonly board: HTMLElement;
  /**
   * The element of the card; it follows the pointer. If the card is drawn anew meanwhile, its new element
   * follows.
   */
  readonly card: HTMLElement;
  /**
   * Called with the place at which the card would land; null if there is no such place or the drag is over.
   */
  over(place: Place | null): void;
  drop(place: Place): void;
}

/** How far a pointer may move, in pixels, before a press becomes a drag. */
const THRESHOLD = 5;

/** Follows a pressed pointer until it is released. A press without movement stays a click. */
export function startCardDrag(press: PointerEvent, { board, card, over, drop }: DragOptions): void {
  // A finger on a card scrolls. A finger on the grip drags.
  const onGrip = (press.target as Element).closest('[data-grip]') !== null;
  if (press.button !== 0 || (press.pointerType === 'touch' && !onGrip)) return;
  const controller = new AbortController();
  const { signal } = controller;
  const held = new HeldCard(board, card, press);
  let place: Place | null = null;
  let dragging = false;

  const end = () => {
    controller.abort();
    held.letGo();
    over(null);
  };
  const move = (event: PointerEvent) => {
    const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY];
    if (!dragging) {
      if (Math.hypot(x, y) < THRESHOLD) return;
      dragging = true;
    }
    event.preventDefault();
    place = placeAt(board, held.follow(event), event.clientX, event.clientY);
    over(place);
  };
  const release = () => {
    const wasDragging = dragging;
    end();
    if (!wasDragging) return;
    // The press ends with a click on the card, which must not select it.
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

/** A card that the pointer holds at the point of the press. */
class HeldCard {
  private element: HTMLElement;
  /** The corner of the element without the drag. */
  private corner: DOMRect;
  private readonly grab: { readonly x: number; readonly y: number };

  constructor(
    private readonly board: HTMLElement,
    card: HTMLElement,
    press: PointerEvent,
  ) {
    this.element = card;
    this.corner = card.getBoundingClientRect();
    this.grab = { x: press.clientX - this.corner.x, y: press.clientY - this.corner.y };
  }

  /** Puts the card under the pointer, and returns its element. */
  follow({ clientX, clientY }: PointerEvent): HTMLElement {
    if (!this.element.isConnected) this.findAgain();
    const { element, corner, grab } = this;
    element.dataset.dragging = '';
    const [x, y] = [clientX - grab.x - corner.x, clientY - grab.y - corner.y];
    element.style.transform = `translate(${x}px, ${y}px) rotate(1.5deg)`;
    return element;
  }

  letGo(): void {
    delete this.element.dataset.dragging;
    this.element.style.removeProperty('transform');
  }

  /** If the agent moves the card to another column, it is drawn there as a new element. */
  private findAgain(): void {
    const { card } = this.element.dataset;
    const found = this.board.querySelector<HTMLElement>(`[data-card="${CSS.escape(card ?? '')}"]`);
    if (found === null) return;
    // The new element is under the pointer at once, without an animation.
    for (const animation of found.getAnimations()) animation.cancel();
    this.element = found;
    this.corner = found.getBoundingClientRect();
  }
}

/** Returns the place under the pointer: the column under it, after the cards whose middle lies above it. */
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
