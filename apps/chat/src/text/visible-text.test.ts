import { expect, test } from 'vitest';
import { unseenIn, visibleJson, visibleText } from './visible-text.js';

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

test('R5 of a long text, only what is around an unseen character is shown, within a limit', () => {
  const far = '-'.repeat(1000);
  const near = '-'.repeat(20);
  expect(unseenIn(far)).toBe('');
  expect(unseenIn('T\u202Eea')).toBe('T⟨U+202E⟩ea');
  expect(unseenIn(`${far}\u202E${far}`)).toBe(`…${near}⟨U+202E⟩${near}…`);
  expect(unseenIn(`a\u200B${far}\n\u200C`)).toBe(`a⟨U+200B⟩${near}…${near.slice(1)}\n⟨U+200C⟩`);
  // Text around two of them is shown once.
  expect(unseenIn(`\u200B${near}\u200B${near}${near}\u200B`)).toBe(
    `⟨U+200B⟩${near}⟨U+200B⟩${near}${near}⟨U+200B⟩`,
  );
  expect(unseenIn('\u200B'.repeat(10_000))).toMatch(/^(⟨U\+200B⟩){100,250}…$/);
});

test('the text around an unseen character is cut between characters, and emoji stay together', () => {
  const ends = '🔔'.repeat(30);
  expect(unseenIn(`${ends}\u202E${ends}`)).toBe(`…${'🔔'.repeat(20)}⟨U+202E⟩${'🔔'.repeat(20)}…`);
  expect(unseenIn(`👩‍💻${'-'.repeat(18)}\u202E`)).toBe(`…💻${'-'.repeat(18)}⟨U+202E⟩`);
});

test('in JSON they are escaped, so that it still means the same', () => {
  const value = { title: 'a\u202Eb\u{E0041}' };
  expect(visibleJson(value)).toContain('a\\u202eb\\udb40\\udc41');
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});
