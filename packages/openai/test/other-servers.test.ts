import { describe, expect, test } from 'vitest';
import { openai, type OpenAIOptions } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';

// Servers that imitate the API differ from OpenAI in what they send.

const done = 'data: [DONE]\n\n';
const event = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null, fields: object = {}) =>
  event({ choices: [{ index: 0, delta, finish_reason: finish, ...fields }] });
const text = chunk({ content: 'Hi' });
const whole = { id: 'call_1', function: { name: 'board_add', arguments: '{"title":"x"}' } };

async function serve(body: string, script: object = {}, options: Partial<OpenAIOptions> = {}) {
  await using server = await startByteServer({ body, ...script });
  const answer = await answerOf(openai({ model: 'm', baseURL: server.v1, ...options }));
  return { ...answer, bodies: server.arrivals };
}

const long = 'x'.repeat(2_000);
const said = 'the request exceeds the available context size';
const flat = { code: 400, message: said, type: 'exceed_context_size_error', long };

describe('an answer that holds an error and nothing else', () => {
  test.each<[string, string]>([
    ['in a field error:', `error: ${JSON.stringify(flat)}\n\n${done}`],
    ['in a field error: without an end', `error: ${JSON.stringify(flat)}\n\n`],
    ['in a field error: as an object within', `error: ${JSON.stringify({ error: flat })}\n\n${done}`],
    ['in a field error: as plain text', `error: ${said}\n\n${done}`],
    ['with object "error"', event({ object: 'error', ...flat }) + done],
    ['with type "error"', event({ ...flat, type: 'error' }) + done],
    ['with status "error"', event({ status: 'error', message: said }) + done],
    ['as flat fields', event(flat) + done],
    ['as a detail', event({ detail: said }) + done],
    ['as a text', event({ error: said }) + done],
    ['as a text beside a code', event({ error: said, code: 400 }) + done],
    ['as a list', event([{ error: flat }]) + done],
    ['as errors', event({ errors: [flat] }) + done],
    ['in event: error, as an object', `event: error\n${event({ error: flat })}${done}`],
    ['in event: error, as flat fields', `event: error\n${event(flat)}${done}`],
    ['in event: error, as plain text', `event: error\n${event(said)}${done}`],
    [
      'in the choice',
      event({ choices: [{ index: 0, delta: {}, error: flat, finish_reason: 'error' }] }) + done,
    ],
    ['as a body, long', JSON.stringify({ error: flat })],
    ['as a body, flat and long', JSON.stringify(flat)],
    ['as a body, on several lines', JSON.stringify({ error: flat }, null, 2)],
    ['as a body in a list, on several lines', JSON.stringify([{ error: flat }], null, 2)],
    ['as a body behind a comment', `: ping\n\n${JSON.stringify({ error: flat }, null, 2)}\n\n`],
    ['as a body before [DONE]', `${JSON.stringify({ error: flat })}\n\n${done}`],
  ])('audit-R2 %s is thrown with its message', async (_name, body) => {
    for (const type of ['text/event-stream', 'application/json']) {
      const { error, finish } = await serve(body, { headers: { 'content-type': type } });
      expect({ code: error?.code, finish }).toEqual({ code: 'context-length', finish: null });
      expect(error?.details['said']).toContain(said);
    }
  });

  test.each([
    ['an error event', { ...flat, type: 'error', code: 'context_length_exceeded' }],
    ['object "error"', { object: 'error', ...flat }],
    ['flat fields', { code: 400, message: said }],
    ['a response that failed', { type: 'response.completed', response: { status: 'failed', error: flat } }],
  ])('audit-R2 Responses: %s is thrown', async (_name, value) => {
    const { error } = await serve(event(value) + done, {}, { api: 'responses' });
    expect(error?.code).toBe('context-length');
  });

  const refusal = JSON.stringify({ error: flat });
  const begun = chunk({ role: 'assistant', content: 'Hel' });
  const responding = event({ type: 'response.output_text.delta', output_index: 0, delta: 'Hel' });
  const completed = event({ type: 'response.completed', response: { status: 'completed', output: [] } });

  test.each([
    ['on one line', `${refusal}\n\n`],
    ['on several lines', `${JSON.stringify({ error: flat }, null, 2)}\n\n`],
    ['with other line ends', `${JSON.stringify({ error: flat }, null, 2)}\n\n`.replaceAll('\n', '\r\n')],
    ['behind a comment', `: ping\n${refusal}\n\n`],
    ['behind white space', `  ${refusal}\n\n`],
    ['in a list', `[${refusal}]\n\n`],
    ['right before an event', `${refusal}\n`],
    ['with object "error"', `${JSON.stringify({ object: 'error', ...flat })}\n\n`],
    ['in event: error', `event: error\n${refusal}\n\n`],
    ['as an event', event({ error: flat })],
  ])('audit-R2 in the middle of an answer, an error %s is thrown with its message', async (_name, bare) => {
    for (const chunkSize of [undefined, 7])
      for (const rest of ['', done, chunk({}, 'stop') + done, completed]) {
        const script = chunkSize === undefined ? {} : { chunkSize };
        const ended = { code: 'context-length', finish: null, text: 'Hel' };
        const answers = [
          await serve(begun + bare + rest, script),
          await serve(responding + bare + rest, script, { api: 'responses' }),
        ];
        for (const { error, finish, text: shown } of answers) {
          expect({ code: error?.code, finish, text: shown }).toEqual(ended);
          expect(error?.details['said']).toContain(said);
        }
      }
  });

  test.each([
    ['bare, at the end', refusal],
    ['bare and flat', `${JSON.stringify(flat)}\n\n`],
    ['as a detail', `${JSON.stringify({ detail: said })}\n\n`],
    ['as flat fields in an event', event(flat)],
  ])('audit-R2 an error %s is thrown if no answer follows', async (_name, last) => {
    for (const answer of [
      await serve(begun + last),
      await serve(responding + last, {}, { api: 'responses' }),
      await serve(chunk({ tool_calls: [{ index: 0, ...whole }] }) + last),
    ]) {
      expect({ code: answer.error?.code, finish: answer.finish }).toEqual({
        code: 'context-length',
        finish: null,
      });
    }
  });

  test('audit-R2 JSON between events that is not an error is ignored', async () => {
    const body =
      text + '{"progress": 0.5}\n\n[1]\n\n{"error": null}\n\n{"err' + '\n\n' + chunk({}, 'stop') + done;
    expect(await serve(body)).toMatchObject({ text: 'Hi', error: null, finish: { reason: 'stop' } });
  });

  test('audit-R2 a message field beside an answer is not an error', async () => {
    const body = event({ message: 'warming up' }) + text + chunk({}, 'stop') + done;
    expect(await serve(body)).toMatchObject({ text: 'Hi', error: null });
  });
});

describe('an answer without content', () => {
  test.each([
    ['[DONE] alone', done],
    ['stop alone', chunk({}, 'stop') + done],
    ['an empty text', chunk({ content: '' }) + chunk({}, 'stop') + done],
    ['white space', chunk({ content: '\n\n' }) + chunk({}, 'stop') + done],
    ['thinking alone', chunk({ reasoning_content: 'Hm.' }) + chunk({}, 'stop') + done],
    ['tool_calls without a call', chunk({}, 'tool_calls') + done],
    ['an unknown reason', chunk({}, 'eos') + done],
    ['token counts alone', event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } }) + done],
    [
      'an empty message',
      event({ object: 'chat.completion', choices: [{ message: { content: '' }, finish_reason: 'stop' }] }),
    ],
  ])('audit-R3 %s is an error that can be retried', async (_name, body) => {
    const { error, finish } = await serve(body);
    expect({ code: error?.code, retry: error?.retry, finish }).toEqual({
      code: 'server',
      retry: 'now',
      finish: null,
    });
  });

  test('audit-R3 Responses: a response without output, or with only reasoning, is an error that can be retried', async () => {
    for (const output of [[], [{ type: 'reasoning', id: 'rs', summary: [] }]]) {
      const body = event({ type: 'response.completed', response: { status: 'completed', output } });
      expect((await serve(body, {}, { api: 'responses' })).error).toMatchObject({
        code: 'server',
        retry: 'now',
      });
    }
  });

  test('audit-R3 a cut or filtered answer keeps its own end', async () => {
    expect((await serve(chunk({}, 'length') + done)).finish?.reason).toBe('length');
    expect((await serve(chunk({}, 'content_filter') + done)).finish?.reason).toBe('content-filter');
  });

  test('audit-R3 after tool results, the finish says that the answer is empty', async () => {
    await using server = await startByteServer({ body: chunk({}, 'stop') + done });
    const result = { type: 'tool-result', callId: 'c', outcome: 'success', content: [] } as const;
    const call = {
      type: 'tool-call',
      id: 'c',
      tool: 'board.add',
      argumentsText: '{}',
      arguments: {},
    } as const;
    const events = openai({ model: 'm', baseURL: server.v1 }).stream(
      {
        ...request(),
        messages: [
          { id: '1', role: 'assistant', parts: [call] },
          { id: '2', role: 'user', parts: [result] },
        ],
      },
      new AbortController().signal,
    );
    const seen: unknown[] = [];
    for await (const one of events) seen.push(one);
    expect(seen).toEqual([
      { type: 'finish', reason: 'stop', raw: 'stop', detail: 'The answer of the model is empty.' },
    ]);
  });
});

describe('the reason of the end', () => {
  test.each([
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'server'],
    ['MALFORMED_FUNCTION_CALL', 'server'],
    ['UNEXPECTED_TOOL_CALL', 'server'],
    ['network_error', 'server'],
    ['abort', 'server'],
    ['failed', 'server'],
    ['timeout', 'server'],
    ['engine_overloaded', 'overloaded'],
  ])('audit-R3 %s is a failure, and no call of the answer runs', async (reason, code) => {
    const body = chunk({ tool_calls: [{ index: 0, ...whole }] }) + chunk({}, reason) + done;
    const { error, finish } = await serve(body);
    expect(finish).toBe(null);
    expect(error).toMatchObject({ code, retry: 'now', details: { finishReason: reason } });
  });

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['sensitive', 'content-filter'],
    ['content_filter: PROHIBITED_CONTENT', 'content-filter'],
  ])('audit-R3 %s is %s', async (raw, reason) => {
    expect((await serve(text + chunk({}, raw) + done)).finish).toEqual({ reason, raw });
  });
});

describe('other forms of an answer', () => {
  const completion = (message: object, finish = 'stop') => ({
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  });

  test.each<[string, string]>([
    ['a whole message in a chunk', event(completion({ content: 'Hi' })) + done],
    ['a whole message without an end', event(completion({ content: 'Hi' }))],
    [
      'a message as far as it is',
      event(completion({ content: 'H' })) + event(completion({ content: 'Hi' })) + done,
    ],
    [
      'a whole message behind its pieces',
      chunk({ content: 'H' }) + chunk({ content: 'i' }) + event(completion({ content: 'Hi' })) + done,
    ],
    ['a part of content', chunk({ content: { type: 'text', text: 'Hi' } }) + chunk({}, 'stop') + done],
    ['the text of a choice', event({ choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] }) + done],
    [
      'the transcript of audio',
      chunk({ audio: { transcript: 'H' } }) +
        chunk({ audio: { transcript: 'i' } }) +
        chunk({}, 'stop') +
        done,
    ],
  ])('audit-R3 %s is read', async (_name, body) => {
    expect(await serve(body)).toMatchObject({ text: 'Hi', finish: { reason: 'stop' }, error: null });
  });

  test.each([
    ['in a message', { message: { tool_calls: [whole] } }],
    ['as one object', { delta: { tool_calls: whole } }],
    ['by their index', { delta: { tool_calls: { 0: whole } } }],
    ['without a function', { delta: { tool_calls: [{ id: 'call_1', ...whole.function }] } }],
    ['in function_call', { delta: { function_call: whole.function } }],
    ['in function_call of a message', { message: { function_call: whole.function } }],
  ])('audit-R3 calls %s are read', async (_name, choice) => {
    const body = event({ choices: [{ index: 0, ...choice }] }) + chunk({}, 'tool_calls') + done;
    const { events } = await serve(body);
    const calls = events.filter((one) => one.type === 'tool-call');
    expect(calls.map((one) => one.tool).join('')).toContain('board');
    expect(calls.map(({ delta }) => delta).join('')).toBe('{"title":"x"}');
  });

  test.each([
    ['one line', 0],
    ['several lines', 2],
  ])('audit-S9 a whole answer instead of a stream is read: %s', async (_name, indent) => {
    const headers = { 'content-type': 'application/json' };
    expect(
      await serve(JSON.stringify(completion({ content: 'Hi' }), null, indent), { headers }),
    ).toMatchObject({
      text: 'Hi',
      finish: { reason: 'stop' },
      error: null,
    });
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }];
    const response = JSON.stringify(
      { object: 'response', status: 'completed', error: null, output },
      null,
      indent,
    );
    expect(await serve(response, { headers }, { api: 'responses' })).toMatchObject({
      text: 'Hi',
      finish: { reason: 'stop' },
      error: null,
    });
  });

  test.each([
    ['in the choice', text + chunk({}, 'stop', { usage: { prompt_tokens: 12, completion_tokens: 7 } })],
    [
      'before zeros',
      text +
        event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } }) +
        chunk({}, 'stop') +
        event({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    ],
    [
      'in part before a zero',
      event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 0 } }) +
        text +
        chunk({}, 'stop') +
        event({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 7 } }),
    ],
  ])('audit-R8 token counts %s count', async (_name, body) => {
    const { events } = await serve(body + done);
    expect(events.findLast((one) => one.type === 'usage')).toEqual({
      type: 'usage',
      usage: { inputTokens: 12, outputTokens: 7 },
    });
  });
});

test('audit-R5 a stated end on a connection that stays open ends the answer a few seconds later', async () => {
  const begun = performance.now();
  const answer = await serve(text + chunk({}, 'stop') + ': ping\n\n', { end: 'never' });
  expect(answer).toMatchObject({ text: 'Hi', finish: { reason: 'stop' }, error: null });
  expect(performance.now() - begun).toBeLessThan(20_000);
});

describe('keys and addresses', () => {
  const fetchWith =
    (status: number, message: string, sent: string[]) => async (_input: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('authorization') ?? '');
      return sent.at(-1) === 'Bearer key-2'
        ? new Response(text + chunk({}, 'stop') + done, { headers: { 'content-type': 'text/event-stream' } })
        : new Response(JSON.stringify({ error: { message } }), { status });
    };

  test.each([
    [401, 'No.'],
    [403, 'The access token expired.'],
    [400, 'API key expired. Please renew the API key.'],
  ])('audit-R12 an expired key (%i) is fetched again, once', async (status, message) => {
    for (const [keys, requests] of [
      [['key-1', 'key-2'], 2],
      [['key-1', 'key-1'], 1],
      [['key-1', 'key-3', 'key-4'], 2],
    ] as const) {
      const sent: string[] = [];
      let at = 0;
      const apiKey = () => keys[at++]!;
      const answer = await answerOf(
        openai({
          model: 'm',
          baseURL: 'https://ai.example/v1',
          apiKey,
          fetch: fetchWith(status, message, sent),
        }),
      );
      expect(sent).toHaveLength(requests);
      expect(answer.error === null).toBe(sent.at(-1) === 'Bearer key-2');
    }
  });

  test('audit-R12 with a fixed key, a refused request is not repeated', async () => {
    const sent: string[] = [];
    const answer = await answerOf(
      openai({
        model: 'm',
        baseURL: 'https://ai.example/v1',
        apiKey: 'key-1',
        fetch: fetchWith(401, 'No.', sent),
      }),
    );
    expect([answer.error?.code, sent.length]).toEqual(['auth', 1]);
  });

  test('audit-AD-1 a network error names the address, without secrets', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const baseURL = 'http://me:secret-word@localhost:11434/v1?key=opensesame';
    const { error } = await answerOf(openai({ model: 'm', baseURL, fetch }));
    expect(error).toMatchObject({ code: 'network', details: { address: 'http://localhost:11434/v1' } });
    expect(error?.message).toBe('The server at http://localhost:11434/v1 could not be reached.');
  });
});

test('audit-R13 a tool without properties is sent with an empty object of them', async () => {
  const parameters = { type: 'object' };
  const tools = [{ name: 'board.help', description: 'Helps.', parameters }];
  for (const api of ['chat', 'responses'] as const) {
    let sent = '';
    const provider = openai({
      model: 'm',
      api,
      baseURL: 'https://ai.example/v1',
      fetch: (_input, init) => {
        sent = init?.body as string;
        return Promise.reject(new Error('no answer'));
      },
    });
    const stream = provider.stream(request({ tools }), new AbortController().signal);
    await stream[Symbol.asyncIterator]()
      .next()
      .catch(() => {});
    expect(sent).toContain('"parameters":{"type":"object","properties":{}}');
  }
});
