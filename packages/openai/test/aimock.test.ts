import type { Message, ToolDefinition } from '@banister/provider';
import { describe, expect, test, vi } from 'vitest';
import { openai } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startWatchedMock } from '../../../test/kit/watched-aimock.js';

// The provider alone, through the official client, against a third-party mock server.

const ask = (words: string): Message => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text: words }] });
const tools: ToolDefinition[] = [
  { name: 'board.add_card', description: 'Adds a card.', parameters: { type: 'object', properties: {} } },
];

describe('against aimock', () => {
  test('text with reasoning and usage', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', {
      content: 'Hi there! Grüße 🌍',
      reasoning: 'They greet.',
      usage: { prompt_tokens: 7, completion_tokens: 5 },
    });
    const answer = await answerOf(openai({ model: 'gpt-5-mini', baseURL: server.v1 }));
    expect(answer).toMatchObject({
      text: 'Hi there! Grüße 🌍',
      thinking: 'They greet.',
      usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 },
      finish: { reason: 'stop', raw: 'stop' },
      error: null,
    });
    expect(server.hangUps()).toBe(0);
  });

  test('two parallel calls, and the round that follows them', async () => {
    await using server = await startWatchedMock();
    server.mock.on(
      { userMessage: 'two cards', hasToolResult: false },
      {
        toolCalls: [
          { id: 'call_a', name: 'board_add_card', arguments: '{"title":"A"}' },
          { id: 'call_b', name: 'board_add_card', arguments: '{"title":"B"}' },
        ],
      },
    );
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    const provider = openai({ model: 'gpt-5-mini', baseURL: server.v1 });
    const messages = [ask('Add two cards')];
    const first = await answerOf(provider, request({ messages, tools }));
    expect(first.calls).toEqual([
      { id: 'call_a', tool: 'board.add_card', argumentsText: '{"title":"A"}' },
      { id: 'call_b', tool: 'board.add_card', argumentsText: '{"title":"B"}' },
    ]);
    expect(first.finish).toEqual({ reason: 'tool-calls', raw: 'tool_calls' });

    const calls = first.calls.map(({ id, tool, argumentsText }) => ({
      type: 'tool-call' as const,
      id: `session_${id}`,
      providerCallId: id,
      tool,
      argumentsText,
      arguments: null,
    }));
    const results = calls.map(({ id }) => ({
      type: 'tool-result' as const,
      callId: id,
      outcome: 'success' as const,
      content: [{ type: 'text' as const, text: 'added' }],
    }));
    const second = await answerOf(
      provider,
      request({
        messages: [
          ...messages,
          { id: 'm2', role: 'assistant', parts: calls },
          { id: 'm3', role: 'user', parts: results },
        ],
        tools,
      }),
    );
    expect(second).toMatchObject({ text: 'Both are there.', finish: { reason: 'stop' } });
    expect(server.bodies().at(-1)?.messages.slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'call_a', content: 'added' },
      { role: 'tool', tool_call_id: 'call_b', content: 'added' },
    ]);
  });

  test('S3 an abort in the middle: the server sees the connection close', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.onMessage('story', { content: 'Once upon a time. '.repeat(50) });
    const abort = new AbortController();
    const provider = openai({ model: 'gpt-5-mini', baseURL: server.v1 });
    let text = '';
    const reading = async () => {
      for await (const event of provider.stream(request({ messages: [ask('A story')] }), abort.signal)) {
        if (event.type === 'text') text += event.delta;
        if (text.length > 20) abort.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'cancelled' });
    expect(text.length).toBeLessThan(60);
    await vi.waitFor(() => expect(server.hangUps()).toBe(1), 30_000);
  });

  test('H3 a rate limit has the server’s wait as its retry hint', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', { error: { message: 'Slow down' }, status: 429, retryAfter: 7 });
    const { error } = await answerOf(openai({ model: 'gpt-5-mini', baseURL: server.v1 }));
    expect(error).toMatchObject({ code: 'rate-limit', retry: { afterMs: 7_000 } });
    expect(server.bodies()).toHaveLength(1);
  });

  test('W8 W9 a connection that dies in the middle is an interruption', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.onMessage('Hello', { content: 'Hello to you too, and welcome.' }, { truncateAfterChunks: 4 });
    const answer = await answerOf(openai({ model: 'gpt-5-mini', baseURL: server.v1 }));
    expect(answer.finish).toBeNull();
    expect(answer.error?.code).toBe('interrupted');
    expect('Hello to you too, and welcome.'.startsWith(answer.text)).toBe(true);
  });

  test('W13 a broken body with the status of a success is an error', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', { content: 'never seen' }, { chaos: { malformedRate: 1 } });
    const { error, finish } = await answerOf(openai({ model: 'gpt-5-mini', baseURL: server.v1 }));
    expect(finish).toBeNull();
    expect(error?.code).toBe('server');
  });
});
