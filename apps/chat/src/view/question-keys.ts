import { effect } from '@banister/session';
import { isComposingKey } from '../session/composing-key.js';
import type { Questions } from '../session/questions.js';
import { detailsMenu } from './details-menu.js';
import { SEEN_MS } from './seen-ms.js';

/**
 * Listens to the keys of the list of questions while the list has the focus:
 *
 * - Y and N answer the unfolded question. If another question has the focus, they do nothing.
 * - A presses the button that approves several questions together, if the button is in sight.
 * - The arrows move from question to question.
 * - Ctrl or ⌘ with Enter approves, also from a field.
 * - Escape closes the menu if it is open, otherwise leaves the field, otherwise stops the turn.
 *
 * An answer counts only if the question has been in sight for {@link SEEN_MS}. A call that costs something or
 * cannot be undone needs two presses: the first press focuses the button of the answer, the second presses it.
 *
 * @param place the element that contains the chat
 * @param now returns milliseconds of a clock that never goes back
 * @returns the function that stops listening
 */
export function questionKeys(
  place: HTMLElement,
  { questions }: { readonly questions: Pick<Questions, 'current' | 'step'> },
  now: () => number = () => performance.now(),
): () => void {
  /** The unfolded question, and when it came into sight. */
  let shown = { id: '', at: -Infinity };
  const stopWatching = effect(() => {
    const id = questions.current.value?.id ?? '';
    if (id !== shown.id) shown = { id, at: now() };
  });
  const wasSeen = (): boolean => now() - shown.at >= SEEN_MS;

  const approve = (list: Element): boolean => {
    if (!wasSeen()) return true;
    const button = list.querySelector<HTMLElement>('.question-approve');
    if (questions.current.peek()?.isLight === true || button === document.activeElement)
      return press(list, '.question-approve');
    button?.focus();
    return button !== null;
  };

  /** A held key answers only one question. */
  const answers = new Set(['y', 'n', 'a']);

  const menu = detailsMenu(place, '.remember');

  const actOn = (list: Element, target: Element, { key, repeat }: KeyboardEvent): boolean => {
    if (questions.current.peek() === null) return false;
    if (repeat && answers.has(key.toLowerCase())) return true;
    switch (key.toLowerCase()) {
      case 'y':
        return !isFolded(target) && approve(list);
      case 'n':
        return !isFolded(target) && (!wasSeen() || press(list, '.question-refuse'));
      case 'a':
        return press(list, '[aria-keyshortcuts="A"]', wasSeen());
      case 'arrowdown':
      case 'arrowup':
        return questions.step(key === 'ArrowDown' ? 1 : -1);
      default:
        return false;
    }
  };

  const escape = (list: Element, target: Element): boolean => {
    if (menu.close()) return true;
    if (!isField(target)) return false;
    list.querySelector<HTMLElement>('.question[data-open]')?.focus();
    return true;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (event.defaultPrevented || isComposingKey(event) || altKey || !(target instanceof Element)) return;
    const list = target.closest('.questions');
    if (list === null) return;
    const act = (): boolean => {
      if (ctrlKey || metaKey) return key === 'Enter' && !isFolded(target) && (repeat || approve(list));
      if (key === 'Escape') return !repeat && escape(list, target);
      return !shiftKey && !isField(target) && actOn(list, target, event);
    };
    if (!act()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  place.addEventListener('keydown', onKeyDown);
  return () => {
    place.removeEventListener('keydown', onKeyDown);
    stopWatching();
    menu.stop();
  };
}

/**
 * Presses a button. The button itself knows whether it may be pressed. Returns false if the button is not in sight.
 * @param may if false, the key does nothing
 */
function press(list: Element, selector: string, may = true): boolean {
  const button = list.querySelector<HTMLElement>(selector);
  if (button === null || !button.checkVisibility()) return false;
  if (may) button.click();
  return true;
}

/** Returns whether an element is in a folded question. Then the user may mean either question. */
function isFolded(element: Element): boolean {
  return element.closest('.question:not([data-open])') !== null;
}

function isField(element: Element): boolean {
  return element.closest('input, textarea, select, [contenteditable]') !== null;
}
