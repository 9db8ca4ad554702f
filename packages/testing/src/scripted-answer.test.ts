import type { ProviderEvent } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { gate } from './gate.js';
import {
  callTools,
  cut,
  deaf,
  fail,
  failAfter,
  finishWith,
  say,
  scriptedCall,
  stall,
  unsafe,
} from './scripted-answer.js';

const stop: ProviderEvent = { type: 'finish', reason: 'stop' };
const text = (delta: string): ProviderEvent => ({ type: 'text', delta });
const piece = (index: number, delta: string, tool?: string): ProviderEvent => ({
  type: 'tool-call',
  index,
  delta,
  ...(tool === undefined ? {} : { tool }),
});

describe('an answer', () => {
  test('emits text, whole or in pieces', () => {
    expect(say('Hello.').steps).toEqual([text('Hello.'), stop]);
    expect(say(['Hel', 'lo.']).steps).toEqual([text('Hel'), text('lo.'), stop]);
  });

  test('emits thinking before the text, and usage last', () => {
    const { steps } = say('Hello.', { thinking: ['They ', 'greet.'], usage: { inputTokens: 1 } });
    expect(steps).toEqual([
      { type: 'thinking', delta: 'They ' },
      { type: 'thinking', delta: 'greet.' },
      text('Hello.'),
      stop,
      { type: 'usage', usage: { inputTokens: 1 } },
    ]);
  });

  test('waits at gates between its pieces', () => {
    const more = gate();
    expect(say(['Hel', more, 'lo.']).steps).toEqual([text('Hel'), more, text('lo.'), stop]);
  });

  test('calls tools with arguments in fragments', () => {
    const { steps } = callTools({ tool: 'board.add', args: { title: 'Milk' }, id: 'wire_1' });
    expect(steps).toEqual([
      { ...piece(0, '{"title"', 'board.add'), id: 'wire_1' },
      piece(0, ':"Milk"}'),
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  test('calls a tool object with the typed arguments of its schema', () => {
    const parameters = { type: 'object', properties: { title: { type: 'string' } } } as const;
    const add = { name: 'add', description: 'Adds.', parameters, execute: () => null };
    expect(scriptedCall('board', add, { title: 'Milk' }, { id: 'wire_1', fragment: 1 })).toEqual({
      tool: 'board.add',
      args: { title: 'Milk' },
      id: 'wire_1',
      fragment: 1,
    });
  });

  test('divides arguments into fragments of the chosen size', () => {
    const call = { tool: 'a.b', args: { x: 1 } };
    expect(callTools({ ...call, fragment: 1 }).steps).toHaveLength(8);
    expect(callTools({ ...call, fragment: Infinity }).steps).toHaveLength(2);
    expect(() => callTools({ ...call, fragment: 0 })).toThrow('at least one character');
  });

  test('numbers calls in order of arrival, regardless of the steps between them', () => {
    const { steps } = callTools('Two.', { tool: 'a.b' }, gate(), { tool: 'a.c' }, piece(2, '{}', 'a.d'), {
      tool: 'a.e',
    });
    const calls = steps.filter((step) => step.type === 'tool-call');
    expect(calls.map(({ index, tool }) => [index, tool])).toEqual([
      [0, 'a.b'],
      [1, 'a.c'],
      [2, 'a.d'],
      [3, 'a.e'],
    ]);
  });

  test('sends arguments as text, even malformed, with gates inside', () => {
    const more = gate();
    const { steps } = callTools({ tool: 'a.b', argumentsText: ['{"x', more, '": oops'] });
    expect(steps.slice(0, -1)).toEqual([piece(0, '{"x', 'a.b'), more, piece(0, '": oops')]);
  });

  test('names the tool before a gate at the beginning of the arguments', () => {
    const more = gate();
    const { steps } = callTools({ tool: 'a.b', argumentsText: [more, '{}'] });
    expect(steps.slice(0, -1)).toEqual([piece(0, '', 'a.b'), more, piece(0, '{}')]);
  });

  test('finishes with any reason', () => {
    expect(finishWith('length', 'Hel').steps).toEqual([text('Hel'), { type: 'finish', reason: 'length' }]);
  });

  test('fails at once or after some steps, with an error or its code', () => {
    const error = new Error('Gone.');
    expect(fail(error)).toMatchObject({ steps: [], ending: error });
    expect(failAfter(['Hel'], 'network')).toMatchObject({
      steps: [text('Hel')],
      ending: { code: 'network' },
    });
  });

  test('is cut, stalls or ignores its signal at the chosen step', () => {
    expect(cut('Hel')).toMatchObject({ steps: [text('Hel')], ending: 'return', deaf: false });
    expect(stall('Hel')).toMatchObject({ ending: 'stall', deaf: false });
    expect(deaf(stall())).toMatchObject({ ending: 'stall', deaf: true });
  });

  test('can begin with the steps of another answer', () => {
    expect(cut(say(['Hel', 'lo.'], { usage: {} })).steps).toEqual([text('Hel'), text('lo.')]);
    expect(stall(cut('Hel'), 'lo').steps).toEqual([text('Hel'), text('lo')]);
  });
});

describe('an impossible stream', () => {
  const usage: ProviderEvent = { type: 'usage', usage: {} };

  test.each<[string, () => unknown, string]>([
    ['finishes twice', () => callTools(stop), 'finishes twice'],
    ['goes on after its finish', () => failAfter([stop, 'more'], 'network'), 'only usage may follow'],
    ['skips an index', () => callTools(piece(1, '{}', 'a.b')), 'must have index 0, not 1'],
    ['begins below zero', () => callTools(piece(-1, '{}', 'a.b')), 'must have index 0'],
    ['does not name a tool', () => callTools(piece(0, '{}')), 'does not name its tool'],
    ['changes a tool', () => callTools(piece(0, '', 'a.b'), piece(0, '', 'a.c')), 'cannot become "a.c"'],
    ['is cut after its finish', () => cut(stop), 'has no finish'],
  ])('that %s is refused at once', (_name, script, problem) => {
    expect(script).toThrow(problem);
    expect(script).toThrow('unsafe');
  });

  test('is sent anyway if it is marked as `unsafe`', () => {
    expect(unsafe(stop, usage, 'more', piece(7, '')).steps).toEqual([
      stop,
      usage,
      text('more'),
      piece(7, ''),
    ]);
  });

  test('does not include usage after a finish', () => {
    expect(() => stall(stop, usage, usage)).not.toThrow();
  });
});
