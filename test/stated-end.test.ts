import { anthropic, preloadAnthropic } from '@banister/anthropic';
import { openai, preloadOpenAI } from '@banister/openai';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answerOf, type Answer } from './kit/answer.js';

// A server has stated the end of its answer and keeps the connection open. The wait after that end is
// limited.

beforeAll(() => Promise.all([preloadOpenAI(), preloadAnthropic()]));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Api = 'chat' | 'responses' | 'messages';

interface OpenAnswer {
  /** The answer, and null while it is read. */
  result(): Answer | null;
  push(text: string): void;
  isLeft(): boolean;
}

/** Asks a server whose connection stays open. Its `fetch` knows no signal. */
function ask(api: Api): OpenAnswer {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (isLeft = true),
  });
  const fetch = () =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const options = { model: 'm', baseURL: 'https://ai.example/v1', fetch };
  let result: Answer | null = null;
  void answerOf(api === 'messages' ? anthropic(options) : openai({ ...options, api })).then(
    (answer) => (result = answer),
  );
  return {
    result: () => result,
    push: (text) => {
      if (!isLeft) controller.enqueue(new TextEncoder().encode(text));
    },
    isLeft: () => isLeft,
  };
}

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish: string | null = null, fields: object = {}) =>
  event({ choices: [{ index: 0, delta, finish_reason: finish, ...fields }] });
const counts = { prompt_tokens: 12, completion_tokens: 7 };

const input = '{"title":"x"}';
const called = { function: { name: 'board_add', arguments: input } };
const item = { type: 'function_call', id: 'i', call_id: 'c', name: 'board_add', arguments: input };
const chat = chunk({ tool_calls: [{ index: 0, id: 'c', ...called }] });
const reason = chunk({}, 'tool_calls');
const response = event({ type: 'response.output_item.done', output_index: 0, item });
const completed = event({ type: 'response.completed', response: { status: 'completed', output: [item] } });
const block = { type: 'tool_use', id: 'c', name: 'board_add', input: {} };
const message = [
  { type: 'message_start', message: { id: 'm' } },
  { type: 'content_block_start', index: 0, content_block: block },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input } },
  { type: 'content_block_stop', index: 0 },
]
  .map(event)
  .join('');
const stopReason = event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } });

test.each<[string, Api, string, string]>([
  ['a reason, then nothing', 'chat', chat + reason, ''],
  ['a reason, then comments', 'chat', chat + reason, ': ping\n\n'],
  ['a reason, then comments without a blank line', 'chat', chat + reason, ': ping\n'],
  ['a reason, then chunks without a choice', 'chat', chat + reason, event({ choices: [] })],
  ['a reason, then empty pieces', 'chat', chat + reason, chunk({})],
  ['a reason, then empty texts', 'chat', chat + reason, chunk({ role: 'assistant', content: '' })],
  ['a reason, again and again', 'chat', chat + reason, reason],
  ['a reason, then token counts', 'chat', chat + reason, event({ choices: [], usage: counts })],
  ['a reason, then token counts in the choice', 'chat', chat + reason, chunk({}, null, { usage: counts })],
  ['a reason, then pings as events', 'chat', chat + reason, `event: ping\n${event('ping')}`],
  ['a reason, then pings without a name', 'chat', chat + reason, event('ping')],
  ['a reason, then pings of a type', 'chat', chat + reason, event({ type: 'ping' })],
  [
    'a whole message',
    'chat',
    event({ choices: [{ message: { tool_calls: [called] }, finish_reason: 'x' }] }),
    ': ping\n\n',
  ],
  ['[DONE]', 'chat', chat + event('[DONE]'), ': ping\n\n'],
  ['response.completed, then nothing', 'responses', response + completed, ''],
  ['response.completed, then comments', 'responses', response + completed, ': ping\n\n'],
  ['response.completed, then pings', 'responses', response + completed, event({ type: 'keepalive' })],
  ['response.completed, again and again', 'responses', response + completed, completed],
  ['message_stop', 'messages', message + stopReason + event({ type: 'message_stop' }), ': ping\n\n'],
  ['a stop reason, then nothing', 'messages', message + stopReason, ''],
  ['a stop reason, then comments', 'messages', message + stopReason, ': ping\n\n'],
  ['a stop reason, then pings', 'messages', message + stopReason, `event: ping\n${event({ type: 'ping' })}`],
  ['a stop reason, again and again', 'messages', message + stopReason, stopReason],
  [
    'a stop reason, then token counts',
    'messages',
    message + stopReason,
    event({ type: 'message_delta', usage: { output_tokens: 5 } }),
  ],
  ['a stop reason, then [DONE]', 'messages', message + stopReason + event('[DONE]'), ': ping\n\n'],
])('audit-R5 %s (%s) ends the answer within three seconds, with its call', async (_name, api, sent, ping) => {
  const answer = ask(api);
  await vi.advanceTimersByTimeAsync(0);
  answer.push(sent);
  for (let ms = 0; ms < 3_000; ms += 250) {
    await vi.advanceTimersByTimeAsync(250);
    if (ping !== '') answer.push(ping);
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(answer.result()).toMatchObject({ calls: [{ argumentsText: input }], error: null });
  expect(answer.result()?.finish).not.toBe(null);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answer.isLeft()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('audit-R5 token counts behind a stated end count, and a further piece prolongs the wait', async () => {
  const answer = ask('chat');
  await vi.advanceTimersByTimeAsync(0);
  answer.push(chunk({ content: 'Hel' }, 'stop'));
  await vi.advanceTimersByTimeAsync(2_500);
  answer.push(chunk({ content: 'lo' }, 'stop'));
  await vi.advanceTimersByTimeAsync(2_500);
  answer.push(event({ choices: [], usage: counts }));
  expect(answer.result()).toBe(null);
  await vi.advanceTimersByTimeAsync(500);
  const usage = { inputTokens: 12, outputTokens: 7 };
  expect(answer.result()).toMatchObject({ text: 'Hello', usage, finish: { reason: 'stop' }, error: null });
});

test('audit-R5 an answer whose call is not whole is no answer three seconds behind a stop reason', async () => {
  const answer = ask('messages');
  await vi.advanceTimersByTimeAsync(0);
  answer.push(message.replace('\\"x\\"}', '').split('data: {"type":"content_block_stop"')[0]! + stopReason);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(answer.result()).toMatchObject({ finish: null, error: { code: 'interrupted' } });
});
