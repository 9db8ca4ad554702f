import { describe, expect, test, vi } from 'vitest';
import { createAgentSession, defineDomain, defineTool, UndoHistory } from '@banister/session';
import { observe } from '@banister/testing';
import { openai } from '../src/index.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { startWatchedMock } from '../../../test/kit/watched-aimock.js';

// A whole session through the official client, over a socket, against a third-party mock server.

/** A board with one tool, and a session that uses it. Everything that must always hold is checked. */
function startSession(url: string) {
  const cards: string[] = [];
  const addCard = defineTool({
    name: 'add_card',
    description: 'Adds a card.',
    parameters: {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      additionalProperties: false,
    },
    execute: ({ title }, { undo }) => {
      cards.push(title);
      undo({ description: `Add ${title}`, revert: () => void cards.splice(cards.indexOf(title), 1) });
      return `Added ${title}.`;
    },
  });
  const session = createAgentSession({
    provider: openai({ model: 'gpt-5-mini', baseURL: url }),
    domains: [defineDomain({ id: 'board', tools: [addCard] })],
    role: 'You keep a board.',
    history: new UndoHistory(),
  });
  const observed = observe(session);
  return {
    session,
    cards,
    observed,
    async [Symbol.asyncDispose]() {
      observed.dispose();
      await session.dispose();
    },
  };
}

const twoCards = {
  toolCalls: [
    { id: 'call_a', name: 'board_add_card', arguments: '{"title":"Plan"}' },
    { id: 'call_b', name: 'board_add_card', arguments: '{"title":"Build"}' },
  ],
};

describe('a session over a socket', () => {
  test('text arrives in pieces and ends the turn, with its usage', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', {
      content: 'Hi there! Grüße 🌍',
      usage: { prompt_tokens: 7, completion_tokens: 5 },
    });
    await using app = startSession(server.v1);
    const { session, observed } = app;
    const result = await session.send('Hello');
    expect(result).toMatchObject({ status: 'completed', text: 'Hi there! Grüße 🌍', rounds: 1 });
    expect(result.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
    expect(observed.operations.filter(({ type }) => type === 'text').length).toBeGreaterThan(2);
    expect(server.bodies()[0]?.messages).toEqual([
      { role: 'system', content: 'You keep a board.' },
      { role: 'user', content: 'Hello' },
    ]);
    expect(server.hangUps()).toBe(0);
  });

  test('two parallel calls run over a real socket by the official client, and their results go back', async () => {
    await using server = await startWatchedMock();
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, twoCards);
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    await using app = startSession(server.v1);
    const { session, cards } = app;
    const result = await session.send('Add two cards');
    expect(result).toMatchObject({ status: 'completed', text: 'Both are there.', rounds: 2 });
    expect(cards).toEqual(['Plan', 'Build']);

    expect(server.bodies()).toHaveLength(2);
    expect(server.bodies()[1]?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: twoCards.toolCalls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: args },
        })),
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'Added Plan.' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Added Build.' },
    ]);

    await session.undo();
    expect(cards).toEqual([]);
  });

  test('a second turn also sends the first turn, and the request names an undo', async () => {
    await using server = await startWatchedMock();
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, twoCards);
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    server.mock.onMessage('what now', { content: 'Nothing is left.' });
    await using app = startSession(server.v1);
    const { session } = app;
    await session.send('Add two cards');
    await session.undo();
    await session.send('And what now?');
    const last = server.bodies().at(-1)?.messages ?? [];
    expect(last.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
    ]);
    expect(last.at(-1)?.content).toContain('And what now?');
    expect(String(last.at(-1)?.content).length).toBeGreaterThan('And what now?'.length);
  });

  test('cancel while text streams: the turn ends at once, and the server sees the connection close', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.onMessage('story', { content: 'Once upon a time. '.repeat(50) });
    await using app = startSession(server.v1);
    const { session } = app;
    const turn = session.send('A story');
    await vi.waitFor(() => expect(session.state.currentText.length).toBeGreaterThan(20), 30_000);
    const before = performance.now();
    await session.cancel();
    expect(performance.now() - before).toBeLessThan(200);
    await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
    expect(session.isRunning.value).toBe(false);
    expect(session.state.currentText.length).toBeLessThan(900);
    await vi.waitFor(() => expect(server.hangUps()).toBe(1), 30_000);
  });

  test('a cancel in the second round rolls back the effects of the first round', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, twoCards);
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both. '.repeat(100) });
    await using app = startSession(server.v1);
    const { session, cards } = app;
    const turn = session.send('Add two cards');
    await vi.waitFor(() => expect(session.state.currentText).toContain('Both'), 30_000);
    expect(cards).toEqual(['Plan', 'Build']);
    await session.cancel();
    await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
    expect(cards).toEqual([]);
    await vi.waitFor(() => expect(server.hangUps()).toBe(1), 30_000);
  });

  test('H5 a request to an overloaded server is repeated with the same idempotency key', async () => {
    const text = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
    await using server = await startByteServer({ body: '{}', status: 503 }, { body: text });
    await using app = startSession(server.v1);
    const { session, observed } = app;
    const result = await session.send('Hello');
    expect(result.text).toBe('Hi');
    const keys = server.arrivals.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(observed.operations.find(({ type }) => type === 'retrying')).toMatchObject({ code: 'overloaded' });
  });

  test('T8 W8 a call that was cut off does not run, and the turn is interrupted', async () => {
    const chunk = (args: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'board_add_card', arguments: args } }] } }] })}\n\n`;
    await using server = await startByteServer({ body: chunk('{"title":"Plan"}') });
    await using app = startSession(server.v1);
    const { session, cards } = app;
    await expect(session.send('Add a card')).rejects.toMatchObject({ code: 'interrupted' });
    expect(cards).toEqual([]);
    expect(server.arrivals).toHaveLength(1);
  });
});
