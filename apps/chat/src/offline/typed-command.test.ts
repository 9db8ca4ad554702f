import { describe, expect, test } from 'vitest';
import { readException, readTypedCommand, withException, type TypedCommand } from './typed-command.js';

const read: readonly (readonly [text: string, command: TypedCommand])[] = [
  ['undo', { type: 'undo' }],
  ['Undo that.', { type: 'undo' }],
  ['please undo the last turn', { type: 'undo' }],
  ['Take that back!', { type: 'undo' }],
  ['take back those', { type: 'undo' }],
  ['No, undo it please', { type: 'undo' }],
  ['redo', { type: 'redo' }],
  ['Do it again', { type: 'redo' }],
  ['bring them back', { type: 'redo' }],
  ['not those', { type: 'not', which: 'all' }],
  ['No, not these.', { type: 'not', which: 'all' }],
  ['not that one', { type: 'not', which: 'one' }],
  ['without “Plan”', { type: 'without', cards: ['Plan'] }],
  ['but not "A" and "B"', { type: 'without', cards: ['A', 'B'] }],
  ['without the announcement', { type: 'without', cards: ['announcement'] }],
];

describe('a typed command of the page', () => {
  test.each(read)('is read: %s', (text, command) => {
    expect(readTypedCommand(text)).toEqual(command);
  });

  test.each([
    'Undo the ribbon on the parcel',
    'Add a card "Undo that"',
    'Move “Take that back” to Done',
    'Add a card called Coffee without milk',
    'redo the landing page',
    'why?',
    'nothing',
    'not bad',
    'not now',
    'No, not really.',
    '',
  ])('is not read from: %s', (text) => {
    expect(readTypedCommand(text)).toBeNull();
  });
});

describe('an exception at the end of a message', () => {
  test('is appended to the message, and can be read again', () => {
    const text = withException('Plan the launch week.', ['A', 'B']);
    expect(text).toBe('Plan the launch week, without “A” and “B”');
    expect(readException(text)).toEqual({ text: 'Plan the launch week', without: ['A', 'B'] });
  });

  test('includes earlier exceptions, each once', () => {
    const text = withException(withException('Clear Done', ['A']), ['B', 'A', 'C']);
    expect(text).toBe('Clear Done, without “A”, “B” and “C”');
    expect(readException(text)).toEqual({ text: 'Clear Done', without: ['A', 'B', 'C'] });
  });

  test('is not read if the word is in a title', () => {
    for (const text of ['Add a card called Coffee without milk', 'Add “Coffee without “milk”” to Todo'])
      expect(readException(text)).toEqual({ text, without: [] });
  });
});
