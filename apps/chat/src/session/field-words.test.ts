import { createForm } from '@banister/form';
import { expect, test } from 'vitest';
import { fieldNote } from './field-words.js';

/** Returns the notes of the fields of a form with these values. */
function notes(value: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const form = createForm({
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      additionalProperties: { type: 'string' },
    },
    check: () => [],
    value,
  });
  return form.fields.peek().map(fieldNote);
}

test('R5 the note of a field shows the invisible characters of its text and of its name', () => {
  expect(notes({ title: 'Tea', tags: ['warm'] })).toEqual(['', 'One a line']);
  expect(notes({ title: 'T\u202Eea', tags: ['wa\u200Brm'], 'e\u2066xtra': '' })).toEqual([
    'With what cannot be seen: T⟨U+202E⟩ea',
    'One a line. With what cannot be seen: wa⟨U+200B⟩rm',
    'With what cannot be seen: e⟨U+2066⟩xtra',
  ]);
  const long = '-'.repeat(1000);
  const near = long.slice(0, 20);
  expect(notes({ title: `${long}\u202E${long}`, tags: [] })[0]).toBe(
    `With what cannot be seen: …${near}⟨U+202E⟩${near}…`,
  );
});
