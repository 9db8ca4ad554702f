// The arguments in the state while the model writes them.
import { expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import { fixture } from './fixture.js';

/** The arguments in the state at the last piece of a call. */
async function shown(argumentsText: string): Promise<string> {
  await using f = fixture([callTools({ tool: 'board.work', argumentsText }), say('Done.')], {
    domains: [{ id: 'board', tools: [spyTool('work')] }],
  });
  let text = '';
  f.session.operations$.subscribe(({ type }) => {
    if (type === 'toolCallPartial') text = JSON.stringify(f.session.state.activeToolCalls[0]?.arguments);
  });
  await f.session.send('Go');
  return text;
}

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}"here"${']'.repeat(depth - 1)}}`;

it('partial arguments are shown up to the depth that complete arguments may have', async () => {
  expect(await shown(nested(64))).toBe(nested(64));
  expect(await shown(nested(65))).not.toContain('here');
});

it.each([
  ['escapes, of texts and of keys', String.raw`{"a\n":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"}`],
  ['numbers in every form', '{"a":[0,-1,12.5,1e3,-2.25E-2],"b":3}'],
  ['literals, and nothing', '{"a":[true,false,null],"b":{},"c":[],"d":""}'],
  [
    'lists in lists, and what follows them',
    '{"a":[[1,2],[],[[3],4],{"b":[5]},6],"c":{"d":{"e":7},"f":8},"g":9}',
  ],
  ['white space of every kind', '{ "a"\n:\t[ 1 ,\r{ } ] , "b" : "c" }'],
])('partial arguments become the arguments that run: %s', async (_name, text) => {
  expect(JSON.parse(await shown(text))).toEqual(JSON.parse(text));
});

it('partial arguments leave out keys named __proto__ with their contents', async () => {
  const text = '{"a":{"__proto__":{"b":[1,{"__proto__":"c"}],"d":"e"},"f":"g"},"__proto__":"h","i":["j"]}';
  expect(await shown(text)).toBe('{"a":{"f":"g"},"i":["j"]}');
});

it.each([
  ['a key without quotes', '{a:"never"}'],
  ['an escape that is none', String.raw`{"a":"\x","b":"never"}`],
  ['an escape that is none, before a letter of one', String.raw`{"a":"\xn","b":"never"}`],
  ['a digit that is none', String.raw`{"a":"\u00g9","b":"never"}`],
  ['a number that is none', '{"a":01,"b":"never"}'],
  ['a bracket that closes an empty object', '{"a":{],"b":"never"}'],
  ['a bracket that closes an object', '{"a":{"x":1],"b":"never"}'],
  ['a brace that closes an empty list', '{"a":[},"b":"never"}'],
  ['a brace that closes a list', '{"a":[1},"b":"never"}'],
  ['two values without a comma', '{"a":1 "never"}'],
  ['another character in the place of a colon', '{"a"x"never"}'],
  ['another character in the place of a comma', '{"a":["b"x"never"]}'],
  ['a colon behind a value', '{"a":"b":"never"}'],
  ['a comma behind a key', '{"a","b":"never"}'],
  ['a comma before the end', '{"a":[1,],"b":"never"}'],
  ['a second value', '{"a":1}{"b":"never"}'],
])('partial arguments do not change after %s', async (_name, text) => {
  expect(await shown(text)).not.toContain('never');
});
