import type { Message, MessagePart } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { assertValidHistory, validateHistory } from './validate-history.js';

let ids = 0;
const user = (...parts: readonly MessagePart[]): Message => ({ id: `m${ids++}`, role: 'user', parts });
const assistant = (...parts: readonly MessagePart[]): Message => ({
  id: `m${ids++}`,
  role: 'assistant',
  parts,
});
const text = (words = 'Words.'): MessagePart => ({ type: 'text', text: words });
const call = (id: string, argumentsText = '{}', args: unknown = {}): MessagePart =>
  ({ type: 'tool-call', id, tool: 'board.add', argumentsText, arguments: args }) as MessagePart;
const result = (callId: string): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome: 'success',
  content: [],
});
const image: MessagePart = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };

describe('a history that every API accepts', () => {
  test.each<[string, readonly Message[]]>([
    ['is empty', []],
    ['is a question and an answer', [user(text()), assistant(text())]],
    [
      'has calls, each with one result',
      [user(text()), assistant(text(), call('a'), call('b')), user(result('a'), result('b'))],
    ],
    [
      'has results in another order',
      [user(text()), assistant(call('a'), call('b')), user(result('b'), result('a'))],
    ],
    [
      'has further words after the results',
      [user(text()), assistant(call('a')), user(result('a'), text(), image)],
    ],
    [
      'has consecutive user messages',
      [user(text()), user(text()), assistant(call('a')), user(result('a')), user(text())],
    ],
    [
      'has thinking before a call',
      [user(text()), assistant({ type: 'thinking', text: '', signature: 's' }, call('a')), user(result('a'))],
    ],
    ['has opaque parts', [user(text()), assistant({ type: 'opaque', provider: 'p', data: null })]],
    ['has images', [user(text(), image)]],
    ['has a call without arguments', [user(text()), assistant(call('a', '')), user(result('a'))]],
    [
      'has a call whose text is no JSON',
      [user(text()), assistant(call('a', '{oops', null)), user(result('a'))],
    ],
    [
      'has arguments in any order of keys',
      [user(text()), assistant(call('a', '{"x":1,"y":[{}]}', { y: [{}], x: 1 })), user(result('a'))],
    ],
  ])('%s', (_name, messages) => {
    expect(validateHistory(messages)).toEqual([]);
    expect(() => assertValidHistory(messages)).not.toThrow();
  });
});

describe('a history that an API refuses', () => {
  test.each<[string, readonly Message[], string]>([
    ['begins with the assistant', [assistant(text())], 'the first message must be from the user'],
    [
      'has two assistant messages in a row',
      [user(text()), assistant(text()), assistant(text())],
      'two assistant messages',
    ],
    ['has an empty message', [user()], 'it has no parts'],
    ['has an empty text', [user(text(''))], 'a text part is empty'],
    [
      'has empty thinking',
      [user(text()), assistant({ type: 'thinking', text: '' })],
      'a thinking part is empty',
    ],
    ['has a call without result', [user(text()), assistant(call('a'))], 'call "a" has no result'],
    [
      'has a call answered too late',
      [user(text()), assistant(call('a')), user(text()), user(result('a'))],
      'call "a" must be answered here',
    ],
    [
      'goes on before the calls are answered',
      [user(text()), assistant(call('a')), assistant(text())],
      'must be answered before',
    ],
    [
      'has one of two results',
      [user(text()), assistant(call('a'), call('b')), user(result('a'))],
      'call "b" must be answered here',
    ],
    [
      'has two results for a call',
      [user(text()), assistant(call('a')), user(result('a'), result('a'))],
      'has two results',
    ],
    [
      'has results in two messages',
      [user(text()), assistant(call('a')), user(result('a')), user(result('a'))],
      'does not stand right after',
    ],
    ['has a result without a call', [user(text(), result('a'))], 'has no call before it'],
    [
      'has a result before its call',
      [user(result('a')), assistant(call('a')), user(result('a'))],
      'has no call before it',
    ],
    [
      'has words before the results',
      [user(text()), assistant(call('a')), user(text(), result('a'))],
      'must come before everything else',
    ],
    [
      'has one call id twice in a message',
      [user(text()), assistant(call('a'), call('a')), user(result('a'))],
      'call id "a" is used twice',
    ],
    [
      'has one call id twice in all',
      [user(text()), assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))],
      'call id "a" is used twice',
    ],
    ['has calls by the user', [user(call('a'))], 'a user message cannot call tools'],
    ['has thoughts of the user', [user({ type: 'thinking', text: 'Hm.' })], 'a user message cannot think'],
    [
      'has results by the assistant',
      [user(text()), assistant(call('a')), assistant(result('a'))],
      'tool results belong into user messages',
    ],
    [
      'has images by the assistant',
      [user(text()), assistant(image)],
      'an assistant message cannot hold images',
    ],
    [
      'has images that are none',
      [user({ type: 'image', mediaType: 'text/html', data: 'data:image/png;base64,xx' })],
      'is no media type',
    ],
    [
      'has files by the assistant',
      [user(text()), assistant({ type: 'file', name: 'a.pdf', mediaType: 'application/pdf', data: 'JVBE' })],
      'an assistant message cannot hold files',
    ],
    [
      'has files that no model reads',
      [user({ type: 'file', name: '', mediaType: 'text/html', data: '%' })],
      '"text/html" is no file that a model reads',
    ],
    [
      'has attachments by the assistant',
      [user(text()), assistant({ type: 'attachment', id: 'a', name: 'a', mediaType: 'image/png', size: 1 })],
      'an assistant message cannot hold attachments',
    ],
    [
      'has images with a prefix',
      [user({ type: 'image', mediaType: 'image/png', data: 'data:image/png;base64,xx' })],
      'not base64',
    ],
    [
      'has opaque parts without a provider',
      [user(text()), assistant({ type: 'opaque', provider: '', data: 1 })],
      'names no provider',
    ],
    [
      'has arguments that are no object',
      [user(text()), assistant(call('a', '[]', [])), user(result('a'))],
      'are no object',
    ],
    [
      'has arguments that are not JSON',
      [user(text()), assistant(call('a', '{"x":1', { x: 1 })), user(result('a'))],
      'its text is not JSON',
    ],
    [
      'has arguments other than written',
      [user(text()), assistant(call('a', '{"x":1}', { x: 2 })), user(result('a'))],
      'are not those of its text',
    ],
    ['has a nameless call', [user(text()), assistant(call('')), user(result(''))], 'a call has no id'],
  ])('%s', (_name, messages, problem) => {
    const problems = validateHistory(messages);
    expect(problems.join('\n')).toContain(problem);
    expect(() => assertValidHistory(messages)).toThrow(problem);
  });

  test('uses one message id twice', () => {
    const message = user(text());
    expect(validateHistory([message, message])).toEqual([expect.stringContaining('is used twice')]);
  });

  test('is reported with the place of the problem', () => {
    const messages = [user(text()), assistant(text(), call('a'))];
    expect(() => assertValidHistory(messages)).toThrow('[1] assistant: text, tool-call a');
  });
});

describe('an open history', () => {
  test('may end with calls that still run', () => {
    const messages = [user(text()), assistant(call('a'))];
    expect(validateHistory(messages, { closed: false })).toEqual([]);
    expect(validateHistory(messages, { closed: true })).toHaveLength(1);
  });

  test('may not have running calls in the middle', () => {
    expect(
      validateHistory([user(text()), assistant(call('a')), user(text())], { closed: false }),
    ).toHaveLength(1);
  });
});
