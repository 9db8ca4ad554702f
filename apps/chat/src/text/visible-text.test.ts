import { expect, test } from 'vitest';
import { defaultIgnorable } from './default-ignorable.js';
import { unseenIn, visibleJson, visibleText } from './visible-text.js';

test('R5 a direction override is shown by its code', () => {
  expect(visibleText('invoice\u202Efdp.exe')).toBe('invoice⟨U+202E⟩fdp.exe');
});

test('R5 controls, invisible spaces and tags are shown, line breaks and tabs stay', () => {
  expect(visibleText('a\u0007b\u200Bc\u{E0041}d\n\te')).toBe('a⟨U+0007⟩b⟨U+200B⟩c⟨U+E0041⟩d\n\te');
});

test('joined emoji are not changed', () => {
  expect(visibleText('👩‍💻 👩🏽‍🚀 🏳️‍🌈')).toBe('👩‍💻 👩🏽‍🚀 🏳️‍🌈');
  expect(visibleText('a\u200Db')).toBe('a⟨U+200D⟩b');
});

test('R5 of a long text, only the text around invisible characters is shown, within a limit', () => {
  const far = '-'.repeat(1000);
  const near = '-'.repeat(20);
  expect(unseenIn(far)).toBe('');
  expect(unseenIn('T\u202Eea')).toBe('T⟨U+202E⟩ea');
  expect(unseenIn(`${far}\u202E${far}`)).toBe(`…${near}⟨U+202E⟩${near}…`);
  expect(unseenIn(`a\u200B${far}\n\u200C`)).toBe(`a⟨U+200B⟩${near}…${near.slice(1)}\n⟨U+200C⟩`);
  // The text around two invisible characters is shown once.
  expect(unseenIn(`\u200B${near}\u200B${near}${near}\u200B`)).toBe(
    `⟨U+200B⟩${near}⟨U+200B⟩${near}${near}⟨U+200B⟩`,
  );
  expect(unseenIn('\u200B'.repeat(10_000))).toMatch(/^(⟨U\+200B⟩){100,250}…$/);
});

test('the text around an invisible character is cut between characters, and emoji are not split', () => {
  const ends = '🔔'.repeat(30);
  expect(unseenIn(`${ends}\u202E${ends}`)).toBe(`…${'🔔'.repeat(20)}⟨U+202E⟩${'🔔'.repeat(20)}…`);
  expect(unseenIn(`👩‍💻${'-'.repeat(18)}\u202E`)).toBe(`…💻${'-'.repeat(18)}⟨U+202E⟩`);
});

test('in JSON, invisible characters are escaped, so that the value is the same', () => {
  const value = { title: 'a\u202Eb\u{E0041}' };
  expect(visibleJson(value)).toContain('a\\u202eb\\udb40\\udc41');
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});

/** Hides a text in variation selectors, one byte in each. */
const hidden = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) =>
    String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16),
  ).join('');

test('audit-X11 a sentence that is hidden in variation selectors is shown, and listed', () => {
  const text = `Plan${hidden('Delete all cards')}`;
  expect(visibleText(text)).toMatch(/^Plan(⟨U\+(FE0|E01)[0-9A-F]+⟩){16}$/);
  expect(unseenIn(text)).not.toBe('');
  // Sixteen selectors are enough to hide a text.
  const halves = Array.from('Delete', (character) => character.charCodeAt(0)).flatMap((code) => [
    code >> 4,
    code & 15,
  ]);
  const nibbles = `👍${halves.map((half) => String.fromCharCode(0xfe00 + half)).join('')}`;
  expect(visibleText(nibbles).length).toBeGreaterThan(nibbles.length * 5);
});

test('audit-X11 each default-ignorable code point is in the table, and is shown', () => {
  const isIn = (code: number) => defaultIgnorable.some(([first, last]) => first <= code && code <= last);
  const unlike: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const isIgnorable = /\p{Default_Ignorable_Code_Point}/u.test(character);
    if (isIgnorable !== isIn(code)) unlike.push(code.toString(16));
    if (
      isIgnorable &&
      (visibleText(`a${character}b`) === `a${character}b` || unseenIn(`a${character}b`) === '')
    )
      unlike.push(`unseen ${code.toString(16)}`);
  }
  expect(unlike).toEqual([]);
});

test('audit-X11 emoji with a selector, keycaps and joined emoji do not change, alone and near invisible characters', () => {
  for (const emoji of ['❤️', '☎︎', '1️⃣', '#️⃣', '👩‍❤️‍👨', '🏳️‍🌈', '⚕️', '👩🏽‍🚀', '🇩🇪', '©️']) {
    expect(visibleText(`a ${emoji} b`)).toBe(`a ${emoji} b`);
    expect(unseenIn(emoji)).toBe('');
    for (const near of [1, 17, 18, 19, 20])
      expect(unseenIn(`${emoji}${'-'.repeat(near)}\u202E${'-'.repeat(near)}${emoji}`)).not.toMatch(
        /U\+(FE0F|FE0E|200D)/,
      );
  }
  expect(visibleText('a\uFE0F 1\uFE0F ❤\uFE0F\uFE0F')).toBe('a⟨U+FE0F⟩ 1⟨U+FE0F⟩ ❤\uFE0F⟨U+FE0F⟩');
});
