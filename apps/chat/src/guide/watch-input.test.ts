// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest';
import { watchInputOf } from './watch-input.js';

let stop = () => {};
afterEach(() => {
  stop();
  document.body.replaceChildren();
});

/** A watched page with a button, and the events that it gets. */
function watched() {
  const onInput = vi.fn();
  stop = watchInputOf(window)(onInput);
  const button = document.body.appendChild(document.createElement('button'));
  const send = (event: Event) => void button.dispatchEvent(event);
  return { onInput, button, send };
}

test.each([
  ['a key', new KeyboardEvent('keydown', { key: 'a', bubbles: true })],
  ['a pointer', new Event('pointerdown', { bubbles: true })],
  ['a press by a screen reader', new MouseEvent('click', { bubbles: true })],
  ['a text', new InputEvent('input', { data: 'a', bubbles: true })],
])('%s is an input, even if the page stops its event', (_, event) => {
  const { onInput, button, send } = watched();
  button.addEventListener(event.type, (heard) => heard.stopImmediatePropagation());
  send(event);
  expect(onInput).toHaveBeenCalledTimes(1);
});

test.each([
  ['a held key', new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true })],
  ['a modifier alone', new KeyboardEvent('keydown', { key: 'Control', bubbles: true })],
  ['the end of a press', new KeyboardEvent('keyup', { key: 'Enter', bubbles: true })],
  ['the wheel', new Event('wheel', { bubbles: true })],
])('%s is not an input', (_, event) => {
  const { onInput, send } = watched();
  send(event);
  expect(onInput).not.toHaveBeenCalled();
});

test('the press that begins the watch is not an input, and after the end no input is reported', () => {
  const onInput = vi.fn();
  const button = document.body.appendChild(document.createElement('button'));
  button.addEventListener('click', () => (stop = watchInputOf(window)(onInput)), { once: true });
  button.click();
  expect(onInput).not.toHaveBeenCalled();
  button.click();
  expect(onInput).toHaveBeenCalledTimes(1);
  stop();
  button.click();
  expect(onInput).toHaveBeenCalledTimes(1);
});
