import { expect, test } from 'vitest';
import { composerKey } from './composer-keys.js';

const press = (key: string, more: Partial<Parameters<typeof composerKey>[0]> = {}) =>
  composerKey({
    key,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    keyCode: 13,
    repeat: false,
    ...more,
  });

test('Enter sends, Control or Command with Enter steers, and a held Enter does neither', () => {
  expect(press('Enter')).toBe('send');
  expect(press('Enter', { ctrlKey: true })).toBe('steer');
  expect(press('Enter', { metaKey: true })).toBe('steer');
  expect(press('Enter', { repeat: true })).toBe('held');
});

test('keys of an input method, and Shift with Enter, belong to the field', () => {
  expect(press('Enter', { isComposing: true })).toBe(null);
  expect(press('Enter', { shiftKey: true })).toBe(null);
  expect(press('ArrowUp', { ctrlKey: true })).toBe(null);
  expect(press('a')).toBe(null);
});

test('audit-R9 an Enter that accepts a word belongs to the input method, even if Safari has ended the composition; so does an Escape', () => {
  expect(press('Enter', { keyCode: 229 })).toBe(null);
  expect(press('Enter', { keyCode: 229, ctrlKey: true })).toBe(null);
  expect(press('Escape', { keyCode: 229 })).toBe(null);
  expect(press('ArrowUp', { keyCode: 229 })).toBe(null);
});

test('the arrow up edits the last message, and Escape cancels', () => {
  expect(press('ArrowUp')).toBe('edit-last');
  expect(press('Escape')).toBe('cancel');
});
