import { expect, test } from 'vitest';
import { clockWords } from './grip-clock.js';
import { shownKeys } from './shown-keys.js';

test('keys are shown as keyboards name them', () => {
  expect(['Escape', 'Control+Z', 'Control+Shift+Z', 'Meta+Z', 'Meta+Shift+Z', 'J'].map(shownKeys)).toEqual([
    'Esc',
    'Ctrl Z',
    'Ctrl ⇧ Z',
    '⌘Z',
    '⇧⌘Z',
    'J',
  ]);
});

test('a time that is left is shown in minutes and seconds, and never below zero', () => {
  expect([108_000, 59_001, 1, -5].map(clockWords)).toEqual(['1:48', '1:00', '0:01', '0:00']);
});
