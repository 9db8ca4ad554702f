import { expect, test } from 'vitest';
import { spokenText } from './spoken-text.js';

test.each([
  ['headings, emphasis and links', '### Plan\n\nSome **bold**, *light* and __[two](https://a.example "t")__ words', 'Plan\n\nSome bold, light and two words'],
  ['lists and tasks', '- one\n* two\n1. three\n- [x] four\n- [ ] five', 'one\ntwo\n1. three\nDone: four\nTo do: five'],
  ['code', 'Run `npm test`:\n\n```sh\nnpm test\n```\n\nThen wait.', 'Run npm test:\n\nnpm test\n\nThen wait.'],
  ['tables', '| a | b |\n|---|--:|\n| 1 | 2 |', 'a, b\n\n1, 2'],
  ['quotes, rules and underlines', '> said\n\n---\n\nTitle\n=====\nend', 'said\n\nTitle\n\nend'],
  ['images and references', '![a cat](https://a.example/c.png) [see][1]\n\n[1]: https://b.example', 'a cat see'],
  ['escapes', '1\\* and \\_x\\_', '1* and _x_'],
])('the marks of %s are not spoken', (_, markdown, spoken) => {
  expect(spokenText(markdown)).toBe(spoken);
}); // prettier-ignore

test('a character that only looks like a mark is spoken', () => {
  for (const text of [
    '2 * 3 = 6',
    'snake_case_name',
    'a - b',
    'array[0] (first)',
    '#1 of 3',
    '“Choose a name”',
  ]) {
    expect(spokenText(text)).toBe(text);
  }
});

test.each(['[', '*', '_a', '|', '`', '> ', '- ', '-|', '[](', '![', '[a]: ', '\\', ' ', '= ', '\n'])(
  'R8 10⁵ characters of %j are converted in linear time',
  (piece) => {
    const text = piece.repeat(100_000 / piece.length);
    const started = performance.now();
    spokenText(text);
    // A quadratic algorithm would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  },
);
