import { signal } from '@banister/session';
import { expect, onTestFinished, test } from 'vitest';
import type { Question } from '../session/questions.js';
import { questionKeys } from './question-keys.js';

/** A list with a question that is unfolded and one that is not. Its buttons note that they were pressed. */
function showList() {
  const place = document.body.appendChild(document.createElement('section'));
  onTestFinished(() => place.remove());
  place.innerHTML = `
    <div class="questions">
      <header class="head"><button aria-keyshortcuts="A">Approve all 2</button></header>
      <div class="question" data-open tabindex="-1">
        <details class="remember"><summary>Once</summary><input></details>
        <button class="question-refuse">Refuse</button><button class="question-approve">Approve</button>
      </div>
      <div class="question folded"><button class="toggle">Open</button></div>
    </div>`;
  const pressed: string[] = [];
  for (const button of place.querySelectorAll('button'))
    button.addEventListener('click', () => pressed.push(button.textContent));
  const current = signal({} as Question);
  onTestFinished(questionKeys(place, { questions: { current, step: () => false } }));
  const find = <T extends HTMLElement>(selector: string) => place.querySelector<T>(selector)!;
  const press = (selector: string, key: string, more: KeyboardEventInit = {}) =>
    find(selector).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
    );
  return { find, press, pressed };
}

test('Y and N press the buttons of the question that is unfolded', () => {
  const { press, pressed } = showList();
  press('.question[data-open]', 'y');
  press('.head button', 'N');
  expect(pressed).toEqual(['Approve', 'Refuse']);
});

test('Y and N do nothing while the focus is in another question', () => {
  const { press, pressed } = showList();
  // The event is left to the page.
  expect(['y', 'n'].map((key) => press('.toggle', key))).toEqual([true, true]);
  expect(press('.toggle', 'Enter', { ctrlKey: true })).toBe(true);
  expect(pressed).toEqual([]);
});

test('A presses the button that approves several together, and does nothing where it is not in sight', () => {
  const { find, press, pressed } = showList();
  press('.toggle', 'a');
  expect(pressed).toEqual(['Approve all 2']);
  find('.head button').style.display = 'none';
  expect(press('.toggle', 'a')).toBe(true);
  find('.head button').remove();
  expect(press('.toggle', 'a')).toBe(true);
  expect(pressed).toHaveLength(1);
});

test('Escape, and a press beside the menu, close it', () => {
  const { find, press, pressed } = showList();
  const menu = find<HTMLDetailsElement>('.remember');
  menu.open = true;
  press('.remember input', 'Escape');
  expect([menu.open, document.activeElement]).toEqual([false, find('summary')]);
  menu.open = true;
  find('input').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  expect(menu.open).toBe(true);
  find('.toggle').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  expect(menu.open).toBe(false);
  expect(pressed).toEqual([]);
});
