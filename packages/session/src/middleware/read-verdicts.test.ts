import { describe, expect, it } from 'vitest';
import {
  readAnswerVerdict,
  readCallVerdicts,
  readFinishedTurnVerdict,
  readToolErrorVerdict,
} from './read-verdicts.js';

const ids = ['a', 'b'];
const readers = {
  afterResponse: readAnswerVerdict,
  onToolError: readToolErrorVerdict,
  afterTurn: readFinishedTurnVerdict,
  beforeToolCalls: (answer: unknown) => readCallVerdicts(answer, ids),
};

describe('the answer of a hook', () => {
  it.each([
    ['null', null],
    ['a list', []],
    ['an object that is not plain', new Map()],
    ['a number', 42],
    ['a string', 'Keep'],
    ['a boolean', false],
  ])('an answer that is %s is refused with this name, for every hook', (name, answer) => {
    for (const read of Object.values(readers)) expect(() => read(answer)).toThrow(`it returned ${name}`);
  });

  it.each<[keyof typeof readers, object, string]>([
    ['afterResponse', { withhold: '' }, 'no text in the field "withhold"'],
    ['afterResponse', { withhold: 'No.', again: '' }, 'no text in the field "again"'],
    ['afterResponse', { withhold: 'No.', why: 'So.' }, 'the unknown field "why"'],
    ['onToolError', { escalate: 7 }, 'no text in the field "escalate"'],
    ['onToolError', { escalate: 'Stop.', again: 'Go.' }, 'the unknown field "again"'],
    ['afterTurn', { continue: null }, 'no text in the field "continue"'],
    ['afterTurn', { continue: 'Go on.', often: 3 }, 'the unknown field "often"'],
    ['beforeToolCalls', { c: 'proceed' }, 'a verdict about "c", which is no call of the batch'],
    ['beforeToolCalls', { a: null }, 'null'],
    ['beforeToolCalls', { a: { reject: '' } }, 'no text in the field "reject"'],
    ['beforeToolCalls', { a: { reject: 'No.', why: 'So.' } }, 'the unknown field "why"'],
    ['beforeToolCalls', { a: { arguments: {}, why: 'So.' } }, 'the unknown field "why"'],
    ['beforeToolCalls', { a: { arguments: [] } }, 'arguments that are no object'],
    ['beforeToolCalls', { a: { arguments: {}, reject: 'No.' } }, 'arguments for a call that it rejects'],
  ])('an answer of %s with %o is refused: %s', (place, answer, found) => {
    expect(() => readers[place](answer)).toThrow(new Error(`it returned ${found}`));
  });

  it.each<[keyof typeof readers, unknown, unknown]>([
    ['afterResponse', undefined, null],
    ['afterResponse', 'keep', null],
    ['afterResponse', { withhold: 'No.' }, { withhold: 'No.' }],
    ['afterResponse', { withhold: 'No.', again: 'More.' }, { withhold: 'No.', again: 'More.' }],
    ['onToolError', undefined, null],
    ['onToolError', 'feed-back', null],
    ['onToolError', { escalate: 'Stop.' }, 'Stop.'],
    ['afterTurn', undefined, null],
    ['afterTurn', 'end', null],
    ['afterTurn', { continue: 'Go on.' }, 'Go on.'],
    ['beforeToolCalls', undefined, new Map()],
    ['beforeToolCalls', { a: 'proceed', b: undefined }, new Map()],
    [
      'beforeToolCalls',
      { a: { reject: 'No.' }, b: { arguments: { title: 'B' } } },
      new Map<string, unknown>([
        ['a', { reject: 'No.' }],
        ['b', { arguments: { title: 'B' } }],
      ]),
    ],
  ])('an answer of %s with %o is accepted', (place, answer, verdict) => {
    expect(readers[place](answer)).toStrictEqual(verdict);
  });
});
