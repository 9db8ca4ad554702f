import { describe, expect, test, vi } from 'vitest';
import { anthropic, type AnthropicOptions } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { block, message, start, textBlock, thinkingBlock, toolBlock } from './message-events.js';

// S-15: the server pauses the work of its own tools, and continues when it gets its message back.

const search = { type: 'web_search_20250305', name: 'web_search' };
const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const query = { type: 'input_json_delta', partial_json: '{"query":"a"}' };

const paused = message(
  thinkingBlock(0, 'Search.', 'c2ln') + textBlock(1, '\n\n') + textBlock(2, 'I look.') + block(3, use, query),
  'pause_turn',
  { inputTokens: 100, outputTokens: 20, container: 'container_1' },
);
const rest = message(block(0, found) + textBlock(1, ' Found.'), 'end_turn', {
  id: 'msg_2',
  inputTokens: 130,
  outputTokens: 7,
});

async function serve(bodies: readonly string[], options: Partial<AnthropicOptions> = {}) {
  await using server = await startByteServer(...bodies.map((body) => ({ body })));
  const provider = anthropic({ model: 'm', baseURL: server.url, serverTools: [search], ...options });
  const answer = await answerOf(provider);
  return { ...answer, arrivals: server.arrivals };
}

describe('S-15 pause_turn', () => {
  test('the message goes back unchanged, and both parts are one answer with summed usage', async () => {
    const { text, opaque, usage, finish, error, arrivals } = await serve([paused, rest]);
    expect(error).toBeNull();
    expect(text).toBe('\n\nI look. Found.');
    expect(opaque).toEqual([{ ...use, input: { query: 'a' } }, found]);
    expect(usage).toEqual({ inputTokens: 230, outputTokens: 27 });
    expect(finish).toEqual({ reason: 'stop', raw: 'end_turn' });

    const [first, second] = arrivals.map(({ body }) => body as { messages: unknown[]; container?: string });
    expect(arrivals).toHaveLength(2);
    expect(second).toEqual({
      ...first,
      messages: [
        ...first!.messages,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Search.', signature: 'c2ln' },
            { type: 'text', text: 'I look.' },
            { ...use, input: { query: 'a' } },
          ],
        },
      ],
      container: 'container_1',
    });
    const keys = arrivals.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  test('a second pause adds to the same message; a container keeps its skills', async () => {
    const skills = [{ type: 'anthropic', skill_id: 'pdf' }];
    const { arrivals } = await serve(
      [paused, message(block(0, found), 'pause_turn', { id: 'msg_2' }), rest],
      {
        extraBody: { container: { skills } },
      },
    );
    const body = arrivals[2]?.body as {
      messages: { role: string; content: { type: string }[] }[];
      container: unknown;
    };
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(body.messages[1]?.content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'server_tool_use',
      'web_search_tool_result',
    ]);
    expect(body.container).toEqual({ skills, id: 'container_1' });
  });

  test('a paused answer is continued at most five times, and then ends as cut', async () => {
    const { finish, arrivals } = await serve([paused]);
    expect(arrivals).toHaveLength(6);
    expect(finish).toEqual({ reason: 'length', raw: 'pause_turn' });
  });

  test('a paused answer is not continued if there is nothing to send back, or if a call waits for its result', async () => {
    expect((await serve([message('', 'pause_turn')])).arrivals).toHaveLength(1);
    const withCall = await serve([message(toolBlock(0, 'toolu_1', 'x', '{}'), 'pause_turn')]);
    expect(withCall.arrivals).toHaveLength(1);
    expect(withCall.finish).toEqual({ reason: 'tool-calls', raw: 'pause_turn' });
  });

  test('calls of a continuation follow the earlier calls in order', async () => {
    const { calls, finish } = await serve([
      paused,
      message(
        block(0, found) + toolBlock(1, 'toolu_1', 'a', '{}') + toolBlock(2, 'toolu_2', 'b', '{}'),
        'tool_use',
      ),
    ]);
    expect(calls.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_2']);
    expect(finish?.reason).toBe('tool-calls');
  });

  test('W8 S-29 a cut or refused continuation emits no finish', async () => {
    expect(await serve([paused, start() + textBlock(0, 'Fo')])).toMatchObject({
      text: '\n\nI look.Fo',
      finish: null,
      error: null,
    });
    await using server = await startByteServer({ body: paused }, { body: '{}', status: 529 });
    const answer = await answerOf(anthropic({ model: 'm', baseURL: server.url }));
    expect(answer).toMatchObject({ finish: null, error: { code: 'overloaded' } });
  });

  test('an abort in the continuation closes its connection', async () => {
    await using server = await startByteServer({ body: paused }, { body: start(), end: 'never' });
    const abort = new AbortController();
    const answer = answerOf(anthropic({ model: 'm', baseURL: server.url }), request(), abort.signal);
    await vi.waitFor(() => expect(server.arrivals).toHaveLength(2), 30_000);
    abort.abort();
    expect((await answer).error?.code).toBe('cancelled');
    expect(await server.arrivals[1]!.closed).toBe(true);
  });
});
