import { expect, test } from 'vitest';
import { visibleJson, visibleText } from './visible-text.js';

test('R5 a direction override is shown by its code', () => {
  expect(visibleText('invoice\u202Efdp.exe')).toBe('invoice⟨U+202E⟩fdp.exe');
});

test('R5 controls, invisible spaces and tags are shown, line breaks and tabs stay', () => {
  expect(visibleText('a\u0007b\u200Bc\u{E0041}d\n\te')).toBe('a⟨U+0007⟩b⟨U+200B⟩c⟨U+E0041⟩d\n\te');
});

test('emoji that are joined together stay together', () => {
  expect(visibleText('👩‍💻 👩🏽‍🚀 🏳️‍🌈')).toBe('👩‍💻 👩🏽‍🚀 🏳️‍🌈');
  expect(visibleText('a\u200Db')).toBe('a⟨U+200D⟩b');
});

test('in JSON they are escaped, so that it still means the same', () => {
  const value = { title: 'a\u202Eb\u{E0041}' };
  expect(visibleJson(value)).toContain('a\\u202eb\\udb40\\udc41');
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});
