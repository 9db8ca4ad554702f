import { signal } from '@banister/session/signals';
import { expect, onTestFinished, test } from 'vitest';
import type { Question } from '../session/questions.js';
import { questionKeys } from './question-keys.js';
import { SEEN_MS } from './seen-ms.js';

/** A list with an unfolded and a folded question. Its buttons record when they are pressed. */
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
  const current = signal({ id: 'a', isLight: true } as Question);
  let time = 0;
  onTestFinished(questionKeys(place, { questions: { current, step: () => false } }, () => time));
  const pass = (milliseconds: number) => void (time += milliseconds);
  pass(SEEN_MS);
  const find = <T extends HTMLElement>(selector: string) => place.querySelector<T>(selector)!;
  const press = (selector: string, key: string, more: KeyboardEventInit = {}) =>
    find(selector).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
    );
  return { find, press, pressed, current, pass };
}

test('Y and N press the buttons of the unfolded question', () => {
  const { press, pressed } = showList();
  press('.question[data-open]', 'y');
  press('.head button', 'N');
  expect(pressed).toEqual(['Approve', 'Refuse']);
});

test('audit-X12: a key that follows too soon does not answer a question that has just come into sight', () => {
  const { press, pressed, current, pass } = showList();
  const soon = (key: string, more?: KeyboardEventInit) => press('.question[data-open]', key, more);
  soon('y');
  current.value = { id: 'b', isLight: true } as Question;
  pass(SEEN_MS - 1);
  for (const key of ['y', 'n', 'a']) expect(soon(key)).toBe(false);
  soon('Enter', { ctrlKey: true });
  expect(pressed).toEqual(['Approve']);
  // Each edit makes a new object of the same question. That is not another question.
  current.value = { id: 'b', isLight: true } as Question;
  pass(1);
  soon('n');
  expect(pressed).toEqual(['Approve', 'Refuse']);
});

test('audit-X12: a call that costs something or is irreversible needs a separate press', () => {
  for (const [key, more] of [
    ['y', {}],
    ['Enter', { ctrlKey: true }],
  ] as const) {
    const { find, press, pressed, current, pass } = showList();
    current.value = { id: 'paid', isLight: false } as Question;
    pass(SEEN_MS);
    press('.question[data-open]', key, more);
    expect(pressed).toEqual([]);
    expect(document.activeElement).toBe(find('.question-approve'));
    press('.question-approve', key, more);
    expect(pressed).toEqual(['Approve']);
  }
});

test('Y and N do nothing while the focus is in another question', () => {
  const { press, pressed } = showList();
  // The event is left to the page.
  expect(['y', 'n'].map((key) => press('.toggle', key))).toEqual([true, true]);
  expect(press('.toggle', 'Enter', { ctrlKey: true })).toBe(true);
  expect(pressed).toEqual([]);
});

test('A presses the button that approves several questions, and does nothing if the button is not in sight', () => {
  const { find, press, pressed } = showList();
  press('.toggle', 'a');
  expect(pressed).toEqual(['Approve all 2']);
  find('.head button').style.display = 'none';
  expect(press('.toggle', 'a')).toBe(true);
  find('.head button').remove();
  expect(press('.toggle', 'a')).toBe(true);
  expect(pressed).toHaveLength(1);
});

test('Escape, and a press outside the menu, close the menu', () => {
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
