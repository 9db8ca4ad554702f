import { signal } from '@banister/session/signals';
import { expect, onTestFinished, test } from 'vitest';
import type { Question } from '../session/questions.js';
import { attendQuestions } from './attend-questions.js';

/** A list of two fields, and a message box beside it. */
function showList() {
  const place = document.body.appendChild(document.createElement('section'));
  onTestFinished(() => place.remove());
  place.innerHTML = `<div class="questions"><input class="first"><input class="second"></div><textarea></textarea>`;
  const open = signal<readonly Question[]>([]);
  const told: boolean[] = [];
  const end = attendQuestions(place, { questions: { open, attend: (isThere) => void told.push(isThere) } });
  onTestFinished(end);
  const find = (selector: string) => place.querySelector<HTMLElement>(selector)!;
  return { open, end, find, told, isThere: () => told.at(-1) };
}

test('the user is at the questions while the focus is in their list', async () => {
  const { find, told, isThere } = showList();
  find('.first').focus();
  await Promise.resolve();
  expect(isThere()).toBe(true);
  const before = told.length;
  find('.second').focus();
  await Promise.resolve();
  expect(told.slice(before)).not.toContain(false);
  find('textarea').focus();
  await Promise.resolve();
  expect(isThere()).toBe(false);
});

test('a focus that was lost with its element does not count for the next question', async () => {
  const { open, find, isThere } = showList();
  find('.first').focus();
  find('.first').remove();
  open.value = [];
  await Promise.resolve();
  expect(isThere()).toBe(false);
});

test('after the end, the user is not at the questions, wherever the focus is', async () => {
  const { end, find, isThere } = showList();
  find('.first').focus();
  end();
  await Promise.resolve();
  expect(isThere()).toBe(false);
});
