import { composerKey } from '../session/composer-keys.js';
import { isComposingKey } from '../session/composing-key.js';
import type { Chat } from '../session/chat.js';

/** The key Enter in the field for a new fact adds the fact. */
export function memoryAddKey(event: KeyboardEvent, { add }: Pick<Chat['memory'], 'add'>): void {
  const key = composerKey(event);
  if (key !== 'send' && key !== 'steer' && key !== 'held') return;
  event.preventDefault();
  if (key !== 'held') void add();
}

/**
 * The keys and presses around the drawer with the facts. Escape closes the drawer, the arrows move from a
 * button to the same button of the next fact, and the drawer closes when the user continues elsewhere.
 *
 * @returns the function that ends it
 */
export function memoryKeys({ memory }: Pick<Chat, 'memory'>): () => void {
  const controller = new AbortController();
  const { signal } = controller;

  const onKey = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (event.defaultPrevented || isComposingKey(event) || !(target instanceof Element)) return;
    if (target.closest('.memory') === null) return;
    if (key === 'Escape') {
      event.preventDefault();
      memory.close();
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (step(target, key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
    }
  };
  const onElsewhere = ({ target }: Event): void => {
    const element = target as Element;
    if (!memory.isOpen.peek() || element.closest('.memory, [data-focus="memory"]')) return;
    memory.leave();
  };
  addEventListener('keydown', onKey, { signal });
  addEventListener('pointerdown', onElsewhere, { signal });
  addEventListener('focusin', onElsewhere, { signal });
  return () => controller.abort();
}

/** Moves the focus from a button of a fact to the same button of another fact. Returns false if the focus is elsewhere. */
function step(target: Element, by: 1 | -1): boolean {
  const tools = target.closest('.memory-tools');
  if (tools === null) return false;
  const column = [...tools.children].indexOf(target);
  const all = [...tools.closest('ul')!.querySelectorAll('.memory-tools')];
  const next = all[all.indexOf(tools) + by]?.children[column];
  if (!(next instanceof HTMLElement)) return false;
  next.focus();
  return true;
}
