import fc from 'fast-check';

/** Strings that are hard for parsers: escapes, lone surrogates, dangerous keys, and plain words. */
const strings = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      '0',
      '-1',
      'a"b',
      '\\',
      '\u0000',
      '\ud800',
      '\udc00x',
      '\ud83d\ude00',
      '\u2028',
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 30, maxLength: 200 }) },
);

const scalars = fc.oneof(
  strings.map((text) => textOf(text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.constantFrom(
    'true',
    'false',
    'null',
    '0',
    '-0',
    '1e5',
    '-1.25E-3',
    '12.5e+2',
    '1e300',
    '123456789012345678901234567890',
  ),
);

const space = fc.constantFrom('', '', '', '', ' ', '\n', '\t \r\n');

/** One JSON document as text, written by hand and not by JSON.stringify: with spaces, escapes and keys that occur twice. */
export const jsonTexts: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => {
  const item = fc.tuple(space, tie('value'), space).map((parts) => parts.join(''));
  const key = fc
    .tuple(strings, fc.boolean())
    .map(([text, escaped]) => (escaped ? escapedTextOf(text) : textOf(text)));
  const member = fc
    .tuple(space, key, space, item)
    .map(([before, name, after, value]) => `${before}${name}${after}:${value}`);
  return {
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
      scalars,
      fc.array(item, { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
      fc
        .tuple(space, fc.array(member, { maxLength: 5 }))
        .map(([blank, members]) => `{${members.join(',') || blank}}`),
    ),
  };
}).value;

/** Whether a value has a number that JSON cannot hold: JSON.parse reads 1e400 as Infinity. */
export function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity);
}

/** A document whose top is an object, as the arguments of a tool call are. */
export const jsonObjectTexts: fc.Arbitrary<string> = fc
  .array(fc.tuple(strings, jsonTexts), { maxLength: 6 })
  .map((members) => `{${members.map(([name, value]) => `${textOf(name)}: ${value}`).join(', ')}}`);

/** The text cut into pieces. */
export function cutUp(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((place, index) => text.slice(place, places[index]));
}

/** Random places to cut a text at. */
export const cuts = fc.oneof(
  fc.array(fc.nat(5_000), { maxLength: 40 }),
  // Every single character by itself.
  fc.constant(Array.from({ length: 3_000 }, (_, index) => index)),
);

/** A copy without keys `__proto__`, which no view of arguments shows. */
export function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key, withoutProto(inner)]),
  );
}

/** Well-formed surrogate pairs stay as they are; JSON.stringify escapes lone ones by itself. */
function textOf(text: string): string {
  return JSON.stringify(text);
}

function escapedTextOf(text: string): string {
  const escaped = Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped.join('')}"`;
}
