import type { Questions } from '../session/questions.js';

/**
 * The keys of the list of questions, while the focus is in it: Y and N answer, A approves all that may be approved together, the arrows go from
 * question to question. Ctrl or ⌘ with Enter approves from a field too. Escape closes the menu, or else leaves a field; after that it is Stop.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function questionKeys(
  place: HTMLElement,
  { questions }: { readonly questions: Questions },
): () => void {
  /** A held key answers one question. */
  const answers = new Set(['y', 'n', 'a']);

  const actOn = (list: Element, { key, repeat }: KeyboardEvent): boolean => {
    const current = questions.current.peek();
    if (current === null) return false;
    if (repeat && answers.has(key.toLowerCase())) return true;
    switch (key.toLowerCase()) {
      case 'y':
        press(list, '.question-approve');
        return true;
      case 'n':
        questions.refuse(current);
        return true;
      case 'a':
        if (questions.light.peek().length === 0) return false;
        void questions.approveLight();
        return true;
      case 'arrowdown':
      case 'arrowup':
        return questions.step(key === 'ArrowDown' ? 1 : -1);
      default:
        return false;
    }
  };

  const escape = (list: Element, target: Element): boolean => {
    if (closeMenu(list)) return true;
    if (!isField(target)) return false;
    list.querySelector<HTMLElement>('.question[data-open]')?.focus();
    return true;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (event.defaultPrevented || event.isComposing || altKey || !(target instanceof Element)) return;
    const list = target.closest('.questions');
    if (list === null) return;
    const act = (): boolean => {
      if (ctrlKey || metaKey) return key === 'Enter' && (repeat || press(list, '.question-approve'));
      if (key === 'Escape') return !repeat && escape(list, target);
      return !shiftKey && !isField(target) && actOn(list, event);
    };
    if (!act()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** A press beside the menu closes it. */
  const onPress = ({ target }: Event): void => {
    const menu = openMenu(place);
    if (menu !== null && !menu.contains(target as Node)) menu.open = false;
  };
  place.addEventListener('keydown', onKeyDown);
  addEventListener('pointerdown', onPress);
  return () => {
    place.removeEventListener('keydown', onKeyDown);
    removeEventListener('pointerdown', onPress);
  };
}

/** Presses the button of the open question, which knows what keeps it from being pressed. */
function press(list: Element, button: string): boolean {
  list.querySelector<HTMLElement>(button)?.click();
  return true;
}

function isField(element: Element): boolean {
  return element.closest('input, textarea, select, [contenteditable]') !== null;
}

function openMenu(place: Element): HTMLDetailsElement | null {
  return place.querySelector('.remember[open]');
}

function closeMenu(place: Element): boolean {
  const menu = openMenu(place);
  if (menu === null) return false;
  menu.open = false;
  menu.querySelector('summary')?.focus();
  return true;
}
