import { describe, expect, test } from 'vitest';
import { anthropic } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { end, message, textBlock, thinkingBlock, toolBlock } from './message-events.js';

// Servers that imitate the API differ from Anthropic in what they send.

async function serve(body: string, script: object = {}) {
  await using server = await startByteServer({ body, ...script });
  return await answerOf(anthropic({ model: 'm', baseURL: server.url }));
}

const said = 'prompt is too long: 6009 tokens';
const long = 'x'.repeat(2_000);
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

test.each([
  ['in a field error:', `error: ${JSON.stringify({ message: said, long })}\n\n`],
  ['in event: error, as plain text', `event: error\ndata: ${said}\n\n`],
  ['with object "error"', data({ object: 'error', message: said })],
  ['as flat fields', data({ message: said, code: 400 })],
  ['as flat fields with a type', data({ type: 'invalid_request_error', message: said })],
  ['as a text', data({ error: said, code: 400 })],
  ['as a body, long', JSON.stringify({ error: { message: said, long } })],
  ['as a body, on several lines', JSON.stringify({ type: 'error', error: { message: said, long } }, null, 2)],
])('audit-R2 an error %s is thrown with its message', async (_name, body) => {
  const { error, finish } = await serve(body);
  expect({ code: error?.code, finish }).toEqual({ code: 'context-length', finish: null });
  expect(error?.details['said']).toContain(said);
});

const refusal = { error: { message: said, long } };
const [begun, rest] = message(textBlock(0, 'Hel', 'lo'))
  .split(/(?=event: content_block_delta)/)
  .slice(0, 2);

test.each([
  ['on one line', `${JSON.stringify(refusal)}\n\n`],
  ['on several lines', `${JSON.stringify(refusal, null, 2)}\n\n`],
  ['with other line ends', `${JSON.stringify(refusal, null, 2)}\n\n`.replaceAll('\n', '\r\n')],
  ['of the API itself', `${JSON.stringify({ type: 'error', ...refusal })}\n\n`],
  ['as flat fields', `${JSON.stringify({ message: said, code: 400 })}\n\n`],
  ['as a detail', `${JSON.stringify({ detail: said })}\n\n`],
  ['behind a comment', `: ping\n${JSON.stringify(refusal)}\n\n`],
  ['right before an event', `${JSON.stringify(refusal)}\n`],
  ['at the end', JSON.stringify(refusal)],
])('audit-R2 in the middle of an answer, an error %s is thrown with its message', async (name, bare) => {
  for (const behind of name === 'at the end' ? [''] : ['', end('end_turn')]) {
    const { error, finish, text } = await serve(begun! + rest! + bare + behind);
    expect({ code: error?.code, finish, text }).toEqual({
      code: 'context-length',
      finish: null,
      text: 'Hel',
    });
    expect(error?.details['said']).toContain(said);
  }
});

test.each([
  ['no block', message('')],
  ['an empty text', message(textBlock(0, ''))],
  ['thinking alone', message(thinkingBlock(0, 'Hm.', 'c2ln'))],
  ['tool_use without a call', message('', 'tool_use')],
])('audit-R3 an answer with %s is an error that can be retried', async (_name, body) => {
  const { error, finish } = await serve(body);
  expect({ code: error?.code, retry: error?.retry, finish }).toEqual({
    code: 'server',
    retry: 'now',
    finish: null,
  });
});

test.each(['error', 'MALFORMED_FUNCTION_CALL', 'aborted'])(
  'audit-R3 the stop reason %s is a failure, and no call of the answer runs',
  async (reason) => {
    const { error, finish } = await serve(message(toolBlock(0, 't', 'board_add', '{}'), reason));
    expect(finish).toBe(null);
    expect(error).toMatchObject({ code: 'server', retry: 'now', details: { stopReason: reason } });
  },
);

test.each([0, 2])('audit-S9 a whole message instead of a stream is read, indented by %i', async (indent) => {
  const whole = {
    type: 'message',
    id: 'msg_1',
    content: [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 't', name: 'board_add', input: { title: 'x' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const answer = await serve(JSON.stringify(whole, null, indent), {
    headers: { 'content-type': 'application/json' },
  });
  expect(answer).toMatchObject({ text: 'Hi', finish: { reason: 'tool-calls' }, error: null });
  expect(answer.calls).toMatchObject([{ id: 't', argumentsText: '{"title":"x"}' }]);
  expect(answer.usage).toEqual({ inputTokens: 3, outputTokens: 4 });
});

test('audit-R8 token counts of zero at the end are ignored', async () => {
  const body = message(textBlock(0, 'Hi')).replace(
    '"usage":{"output_tokens":5}',
    '"usage":{"input_tokens":0,"output_tokens":5}',
  );
  expect((await serve(body)).usage).toEqual({ inputTokens: 10, outputTokens: 5 });
});

describe('requests', () => {
  test('audit-R12 an expired key is fetched again, once', async () => {
    const sent: (string | null)[] = [];
    let made = 0;
    const { text } = await answerOf(
      anthropic({
        model: 'm',
        baseURL: 'https://ai.example',
        apiKey: () => `key-${++made}`,
        fetch: async (_input, init) => {
          sent.push(new Headers(init?.headers).get('authorization'));
          return sent.length === 1
            ? new Response('{"error":{"message":"expired"}}', { status: 401 })
            : new Response(message(textBlock(0, 'Hi')), { headers: { 'content-type': 'text/event-stream' } });
        },
      }),
    );
    expect([text, sent]).toEqual(['Hi', ['Bearer key-1', 'Bearer key-2']]);
  });

  test('audit-AD-1 audit-R13 a network error names the address, and a tool is sent with properties', async () => {
    let sent = '';
    const fetch = (_input: unknown, init?: RequestInit) => {
      sent = init?.body as string;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const tools = [{ name: 'board.help', description: 'Helps.', parameters: { type: 'object' } }];
    const { error } = await answerOf(
      anthropic({ model: 'm', baseURL: 'https://ai.example/api?key=opensesame', fetch }),
      request({ tools }),
    );
    expect(error).toMatchObject({ code: 'network', details: { address: 'https://ai.example/api' } });
    expect(error?.message).toContain('https://ai.example/api could not');
    expect(sent).toContain('"properties":{}');
  });
});
