/** How far a pointer may move, in pixels, before a press becomes a drag. */
const THRESHOLD = 5;

/**
 * Drags a row of a list to another place among the rows with `data-row`. Follows the pointer until it is
 * released; Escape puts the row back.
 *
 * @param press the press on a row; for a finger, on its grip
 * @param place called with the row and the row after its new place; null for the end
 */
export function startRowDrag(
  press: PointerEvent,
  list: HTMLElement,
  place: (id: string, before: string | null) => void,
): void {
  const pressed = press.target as Element;
  const row = pressed.closest<HTMLElement>('[data-row]');
  // A finger on a row scrolls.
  const isGrip = pressed.closest('[data-grip]') !== null;
  if (
    !row ||
    press.button !== 0 ||
    pressed.closest('button:not([data-grip]), textarea, select, [popover]') ||
    (press.pointerType === 'touch' && !isGrip)
  )
    return;
  const controller = new AbortController();
  const { signal } = controller;
  /** undefined until the row was dragged. */
  let before: HTMLElement | null | undefined;

  const mark = (next: HTMLElement | null | undefined): void => {
    for (const marked of list.querySelectorAll<HTMLElement>('[data-drop]')) delete marked.dataset['drop'];
    before = next;
    if (next) next.dataset['drop'] = 'before';
    else if (next === null) rowsOf(list).at(-1)!.dataset['drop'] = 'after';
  };
  const end = (): void => {
    controller.abort();
    delete row.dataset['dragging'];
    row.style.removeProperty('transform');
    mark(undefined);
  };
  const move = ({ clientY }: PointerEvent): void => {
    const way = clientY - press.clientY;
    if (before === undefined && Math.abs(way) < THRESHOLD) return;
    row.dataset['dragging'] = '';
    row.style.transform = `translateY(${way}px)`;
    mark(rowsOf(list).find((other) => other !== row && middleOf(other) > clientY) ?? null);
  };
  const release = (): void => {
    const next = before;
    end();
    if (next !== undefined) place(row.dataset['row']!, next?.dataset['row'] ?? null);
  };

  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', release, { signal });
  addEventListener('pointercancel', end, { signal });
  addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal });
}

function rowsOf(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-row]')];
}

function middleOf(row: HTMLElement): number {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
