// The linear matcher finds in short texts exactly the matches that the backtracking engine finds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limitSteps, linearPattern, StepLimitError } from '../src/linear-pattern.js';
import { propertyRun } from '../../../test/kit/property-run.js';

const atoms = fc.constantFrom(
  ...[
    'a',
    'b',
    'é',
    '😀',
    '.',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '[ab]',
    '[^a]',
    '[a-z0-9]',
    '\\p{L}',
    '\\n',
    '\\.',
  ],
  ...['^', '$', '\\b', '\\B', '(?:)'],
);
const quantifiers = fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '{0}', '*?', '+?');
const groups = fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<name>');
/** The name of a group may occur only once. */
const named = (source: string): string => {
  let count = 0;
  return source.replaceAll('(?<name>', () => `(?<name${count++}>`);
};

const { source: sources } = fc.letrec<{ source: string; part: string }>((tie) => ({
  source: fc
    .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((parts) => parts.join('')).join('|')),
  part: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'pattern' },
    atoms,
    fc.tuple(atoms, quantifiers).map(([atom, quantifier]) => atom + quantifier),
    fc.tuple(groups, tie('source')).map(([group, inner]) => `${group}${inner})`),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<name>'), tie('source'), quantifiers)
      .map(([group, inner, quantifier]) => `${group}${inner})${quantifier}`),
  ),
}));

const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', '1', ' ', '\n', '.', 'é', '😀', '\ud83d', '\ude00'), { maxLength: 6 })
  .map((chars) => chars.join(''));

function native(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

function splits(text: string, index: number): boolean {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

describe('a linear pattern', () => {
  it("T13 has the same matches as JavaScript's engine", () => {
    fc.assert(
      fc.property(sources.map(named), fc.array(texts, { minLength: 1, maxLength: 5 }), (source, samples) => {
        const expected = native(source);
        fc.pre(expected !== undefined);
        const matches = linearPattern(source);
        for (const text of samples) {
          const found = expected!.exec(text);
          // V8 also matches between the halves of a surrogate pair, which ECMA-262 forbids.
          if (found && splits(text, found.index)) continue;
          expect(matches(text), JSON.stringify(text)).toBe(found !== null);
        }
      }),
      propertyRun('linear patterns', 500),
    );
  }, 60_000);

  const checks = [
    z.email(),
    z.url(),
    z.uuid(),
    z.ipv4(),
    z.ipv6(),
    z.cidrv6(),
    z.base64(),
    z.base64url(),
    z.e164(),
    z.emoji(),
    z.iso.datetime({ offset: true }),
    z.iso.date(),
    z.iso.time(),
    z.iso.duration(),
  ].flatMap((schema) => {
    const { pattern } = z.toJSONSchema(schema);
    return pattern === undefined ? [] : [pattern];
  });

  it.each(checks)('T13 matches a pattern of zod like the engine: %s', (source) => {
    const matches = linearPattern(source);
    const expected = new RegExp(source, 'u');
    fc.assert(
      fc.property(fc.oneof(fc.stringMatching(new RegExp('^[a-z0-9.:@+/=TZ-]{0,24}$')), samples), (text) => {
        expect(matches(text)).toBe(expected.test(text));
      }),
      propertyRun(`pattern ${source.slice(0, 20)}`, 100),
    );
  });

  const samples = fc.constantFrom(
    ...[
      'ada@example.org',
      'ada..l@example.org',
      '.ada@example.org',
      '127.0.0.1',
      '::1',
      '2001:db8::ff00:42:8329',
    ],
    ...[
      '2001:db8::/32',
      'aGFuZHJhaWw=',
      'aGFuZHJhaWw',
      '+4930123456',
      '😀👍🏽',
      '2024-02-29',
      '2023-02-29',
      'PT1H30M',
    ],
    ...['2024-02-29T12:00:00Z', '2024-02-29T12:00:00+01:00', '12:00', '123e4567-e89b-42d3-a456-426614174000'],
  );

  it.each([
    // Words, and the ends of a text and of its lines.
    ['a\\bb', ['ab', 'a b']],
    ['a\\Bb', ['ab']],
    ['\\b-', ['a-', '--', '-']],
    ['-\\b', ['-a', '--', '-']],
    ['^b|c$', ['ab', 'b', 'c', 'cd', '\nb', 'c\n']],
    ['(?m:^b|c$)', ['a\nb', 'c\nd', 'ab\n', 'c\u2028', '\u2029b', 'a\rb']],
    // The characters around a place, including at the end of the text.
    ['a(?<=a)', ['a', 'ba']],
    ['a(?=$)', ['a', 'ab']],
    ['(?<!a)b(?!c)', ['b', 'ab', 'bc', 'abc', 'xbx']],
    ['(?<=ab)c(?=de)', ['abcde', 'bacde', 'abced']],
    ['(?=(?<=a)b)b', ['ab', 'bb']],
    // Counts, and choices.
    ['^a{2,3}$', ['a', 'aa', 'aaa', 'aaaa']],
    ['^a{2}$', ['a', 'aa', 'aaa']],
    ['^a{2,}$', ['a', 'aa', 'aaaaa']],
    ['^(?:ab|c){0,2}$', ['', 'ab', 'cab', 'ccc']],
    ['^(a|bc)d$', ['ad', 'bcd', 'bd', 'acd']],
    // Classes, with characters of one unit and of two.
    ['^[^a]\\d$', ['b1', 'a1', '😀1', '😀x']],
    ['^.$', ['😀', 'é', '\n', '\x7f', '\x80']],
    ['(?i:^[k-m]é$)', ['LÉ', 'jé', '\u212aé']],
  ] as const)('T13 matches %s exactly if the engine does', (source, samples) => {
    const modal = /^\(\?([im]):(.*)\)$/.exec(source);
    const expected = modal === null ? new RegExp(source, 'u') : new RegExp(modal[2]!, `u${modal[1]}`);
    const matches = linearPattern(source);
    // Run twice, because a match must leave nothing for the next text.
    for (const text of [...samples, ...samples])
      expect([text, matches(text)]).toEqual([text, expected.test(text)]);
  });

  it('T13 counts a step for each character, each state entered and each character tested', () => {
    const stepsOf = (source: string, text: string): number => {
      const matches = linearPattern(source);
      for (let steps = 0; ; steps++) {
        try {
          limitSteps(steps, () => matches(text));
          return steps;
        } catch (error) {
          expect(error).toBeInstanceOf(StepLimitError);
        }
      }
    };
    // At each of the two places a start and a reader, and one test between them.
    expect(stepsOf('a', 'b')).toBe(1 + 2 * 2 + 1);
    // The match adds the end state.
    expect(stepsOf('a', 'a')).toBe(1 + 2 + 1 + 1);
    expect(stepsOf('a|b', 'cc')).toBe(2 + 3 * 3 + 2 * 2);
    // Steps are counted separately for each check.
    expect(linearPattern('a')('b'.repeat(100))).toBe(false);
  });

  it('T13 has at most 50,000 states, and two for each repetition', () => {
    expect(linearPattern('a{24999}')('a')).toBe(false);
    expect(() => linearPattern('a{24999}b')).toThrow('its counts are too large');
  });

  it('T13 supports flags for a part of a pattern', () => {
    const found = (source: string, text: string) => linearPattern(source)(text);
    expect([found('^(?i:a)b$', 'Ab'), found('^(?i:a)b$', 'AB')]).toEqual([true, false]);
    expect([found('(?m:^b$)', 'a\nb'), found('^b$', 'a\nb')]).toEqual([true, false]);
    expect([found('^(?s:.).$', '\na'), found('^(?s:.).$', 'a\n')]).toEqual([true, false]);
    expect(found('^(?i:a(?-i:b))$', 'AB')).toBe(false);
  });
});
