import { describe, expect, test, vi } from 'vitest';
import {
  createAgentSession,
  defineDomain,
  defineTool,
  UndoHistory,
  type SavedConversation,
} from '@banister/session';
import { observe } from '@banister/testing';
import { anthropic, type AnthropicOptions } from '../src/index.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { block, message, start, textBlock, thinkingBlock, toolBlock } from './message-events.js';
import { startWatchedMock } from '../../../test/kit/watched-aimock.js';

// A whole session through the official client, over a socket.

/** A board with one tool, and a session that uses it. Everything that must always hold is checked. */
function startSession(baseURL: string, options: Partial<AnthropicOptions> = {}) {
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
    provider: anthropic({ model: 'claude-sonnet-5', baseURL, promptCaching: false, ...options }),
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

interface SentMessage {
  readonly role: string;
  readonly content: readonly { readonly type: string }[];
}

const signature = 'EpADCokBCA8YAipAsfSSBF77IhHThF+yK0LNwHz/+=';
const redacted = { type: 'redacted_thinking', data: 'EqkECkYIBxgCKkA8AZ4noDfV5Vc/+=' };
const done = message(textBlock(0, 'Both are there.'), 'end_turn', {
  id: 'msg_2',
  inputTokens: 50,
  outputTokens: 9,
});

describe('a session over a socket', () => {
  test('S-16 S-17 S-18 thinking, signatures and calls go back byte for byte and in order; the turn can be undone', async () => {
    const first = message(
      thinkingBlock(0, 'Zwei Karten – 🌍.', signature) +
        block(1, redacted) +
        textBlock(2, 'On it.') +
        toolBlock(3, 'toolu_a', 'board_add_card', '{"title":', ' "Plan"}') +
        thinkingBlock(4, '', 'c2lnMg==') +
        toolBlock(5, 'toolu_b', 'board_add_card', '{"title":"Build"}'),
      'tool_use',
    );
    await using server = await startByteServer({ body: first, chunkSize: 7 }, { body: done });
    await using app = startSession(server.url);
    const { session, cards } = app;
    const result = await session.send('Add two cards');
    expect(result).toMatchObject({ status: 'completed', text: 'On it.\n\nBoth are there.', rounds: 2 });
    expect(result.usage).toMatchObject({ inputTokens: 60, outputTokens: 14 });
    expect(cards).toEqual(['Plan', 'Build']);

    expect(server.arrivals).toHaveLength(2);
    expect(server.arrivals[1]?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Add two cards' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Zwei Karten – 🌍.', signature },
          redacted,
          { type: 'text', text: 'On it.' },
          { type: 'tool_use', id: 'toolu_a', name: 'board_add_card', input: { title: 'Plan' } },
          { type: 'thinking', thinking: '', signature: 'c2lnMg==' },
          { type: 'tool_use', id: 'toolu_b', name: 'board_add_card', input: { title: 'Build' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_a', content: [{ type: 'text', text: 'Added Plan.' }] },
          { type: 'tool_result', tool_use_id: 'toolu_b', content: [{ type: 'text', text: 'Added Build.' }] },
        ],
      },
    ]);

    await session.undo();
    expect(cards).toEqual([]);
  });

  test('D12 S-16 a saved and reopened conversation still has the signatures', async () => {
    const first = message(thinkingBlock(0, 'Hm.', signature) + textBlock(1, 'Hello.'));
    await using server = await startByteServer({ body: first }, { body: done });
    await using app = startSession(server.url);
    await app.session.send('Hello');
    const saved = JSON.parse(JSON.stringify(app.session.save())) as SavedConversation;
    const reopened = createAgentSession({
      provider: anthropic({ model: 'claude-sonnet-5', baseURL: server.url }),
      conversation: saved,
    });
    await reopened.send('And now?');
    const sent = server.arrivals[1]?.body['messages'] as SentMessage[];
    expect(sent[1]?.content[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature });
    await reopened.dispose();
  });

  test('S-15 S-36 a paused answer is one round, and server tools are not calls', async () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    await using server = await startByteServer(
      { body: message(textBlock(0, 'I look. ') + block(1, use), 'pause_turn') },
      { body: message(block(0, found) + textBlock(1, 'Found.'), 'end_turn', { id: 'msg_2' }) },
      { body: done },
    );
    await using app = startSession(server.url);
    const result = await app.session.send('Search');
    expect(result).toMatchObject({ status: 'completed', text: 'I look. Found.', rounds: 1 });
    expect(app.observed.operations.some(({ type }) => type === 'toolsRequested')).toBe(false);
    await app.session.send('And?');
    const sent = server.arrivals[2]?.body['messages'] as SentMessage[];
    expect(sent[1]?.content).toEqual([
      { type: 'text', text: 'I look. ' },
      use,
      found,
      { type: 'text', text: 'Found.' },
    ]);
  });

  test('S-13 a refusal stops the turn, keeps its text, and the next request is valid', async () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    await using server = await startByteServer(
      { body: message(textBlock(0, 'Well,') + block(1, use), 'refusal') },
      { body: done },
    );
    await using app = startSession(server.url);
    const result = await app.session.send('Help me');
    expect(result).toMatchObject({ status: 'stopped', text: 'Well,', stop: { kind: 'refusal' } });
    await app.session.send('Something else');
    const sent = server.arrivals[1]?.body['messages'] as SentMessage[];
    expect(sent[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Well,' }] });
  });

  test('S-13 the reason that the server gives for a refusal is part of why the turn stopped', async () => {
    const details = { type: 'refusal', category: 'cyber', explanation: 'It could do harm.' };
    const body = message('', 'refusal').replace(
      '"stop_reason":"refusal"',
      `"stop_reason":"refusal","stop_details":${JSON.stringify(details)}`,
    );
    await using server = await startByteServer({ body });
    await using app = startSession(server.url);
    expect(await app.session.send('Help me')).toMatchObject({
      status: 'stopped',
      stop: { kind: 'refusal', message: 'The model refused to answer. It could do harm.' },
    });
  });

  test('T8 S10 a call that the token limit cut does not run, and the next request is valid', async () => {
    const cut = toolBlock(1, 'toolu_a', 'board_add_card', '{"title": "Pl').replace(
      /event: content_block_stop\n.*\n\n/,
      '',
    );
    await using server = await startByteServer(
      { body: message(textBlock(0, 'On it.') + cut, 'max_tokens') },
      { body: done },
    );
    await using app = startSession(server.url);
    const result = await app.session.send('Add a card');
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'length' } });
    expect(app.cards).toEqual([]);
    await app.session.send('Go on');
    const sent = server.arrivals[1]?.body['messages'] as SentMessage[];
    expect(sent[1]?.content[1]).toMatchObject({ type: 'tool_use', id: 'toolu_a', input: {} });
    expect(sent[2]?.content[0]).toMatchObject({
      type: 'tool_result',
      tool_use_id: 'toolu_a',
      is_error: true,
    });
  });

  test('T8 W8 a call that the connection cut does not run, and the turn is interrupted', async () => {
    const call = toolBlock(0, 'toolu_a', 'board_add_card', '{"title":"Plan"}');
    await using server = await startByteServer({ body: start() + call });
    await using app = startSession(server.url);
    await expect(app.session.send('Add a card')).rejects.toMatchObject({ code: 'interrupted' });
    expect(app.cards).toEqual([]);
    expect(server.arrivals).toHaveLength(1);
  });

  test('S-24 no call of a spliced answer runs', async () => {
    const call = toolBlock(0, 'toolu_a', 'board_add_card', '{"title":"Plan"}');
    await using server = await startByteServer({
      body: start() + call + message(call, 'tool_use', { id: 'msg_2' }),
    });
    await using app = startSession(server.url);
    await expect(app.session.send('Add a card')).rejects.toMatchObject({ code: 'server' });
    expect(app.cards).toEqual([]);
  });

  test('H5 S-29 a request to an overloaded server is repeated with the same idempotency key', async () => {
    const overloaded =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n';
    await using server = await startByteServer(
      { body: '{}', status: 529 },
      { body: overloaded },
      { body: message(textBlock(0, 'Hi')) },
    );
    await using app = startSession(server.url);
    expect((await app.session.send('Hello')).text).toBe('Hi');
    const keys = server.arrivals.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(app.observed.operations.find(({ type }) => type === 'retrying')).toMatchObject({
      code: 'overloaded',
    });
  });
});

describe('a session against aimock', () => {
  const twoCards = {
    toolCalls: [
      { id: 'toolu_a', name: 'board_add_card', arguments: '{"title":"Plan"}' },
      { id: 'toolu_b', name: 'board_add_card', arguments: '{"title":"Build"}' },
    ],
  };

  test('two parallel calls run, and the request names an undo', async () => {
    await using server = await startWatchedMock();
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, twoCards);
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    server.mock.onMessage('what now', { content: 'Nothing is left.' });
    await using app = startSession(server.url);
    const { session, cards } = app;
    expect(await session.send('Add two cards')).toMatchObject({ text: 'Both are there.', rounds: 2 });
    expect(cards).toEqual(['Plan', 'Build']);
    await session.undo();
    expect(cards).toEqual([]);
    expect((await session.send('And what now?')).text).toBe('Nothing is left.');
  });

  test('cancel in the second round: the server sees the connection close, and the first round is rolled back', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, twoCards);
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both. '.repeat(100) });
    await using app = startSession(server.url);
    const { session, cards } = app;
    const turn = session.send('Add two cards');
    await vi.waitFor(() => expect(session.state.currentText).toContain('Both'), 30_000);
    expect(cards).toEqual(['Plan', 'Build']);
    await session.cancel();
    await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
    expect(cards).toEqual([]);
    await vi.waitFor(() => expect(server.hangUps()).toBe(1), 30_000);
  });
});
