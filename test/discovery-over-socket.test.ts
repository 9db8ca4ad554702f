import { describe, expect, test } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { createAgentSession, stagedDiscovery, type Provider } from '@banister/session';
import { spyTool } from '@banister/testing';
import { startWatchedMock, type WatchedMock } from './kit/watched-aimock.js';

// Staged discovery over the official clients and a real socket.

const providers: readonly [string, (server: WatchedMock) => Provider][] = [
  ['chat completions', ({ v1 }) => openai({ model: 'gpt-5-mini', baseURL: v1 })],
  ['responses', ({ v1 }) => openai({ model: 'gpt-5-mini', baseURL: v1, api: 'responses' })],
  ['messages', ({ url }) => anthropic({ model: 'claude-sonnet-5', baseURL: url, maxTools: 128 })],
];

const many = (id: string, count: number) => ({
  id,
  tools: Array.from({ length: count }, (_, index) => spyTool(`t${index}`)),
});

describe('staged discovery over a socket', () => {
  test.each(providers)('a session with 160 tools acts under a cap of 128: %s', async (_name, provider) => {
    await using server = await startWatchedMock();
    const call = (id: string, name: string, args = {}) => ({ id, name, arguments: JSON.stringify(args) });
    const use = call('call_use', 'banister_use_domain', { ids: ['mail'] });
    server.mock.on({ userMessage: 'Go', hasToolResult: false }, { toolCalls: [use] });
    server.mock.on({ toolCallId: 'call_use' }, { toolCalls: [call('call_t', 'mail_t7')] });
    server.mock.on({ toolCallId: 'call_t' }, { content: 'Done.' });
    const mail = many('mail', 80);
    const session = createAgentSession({
      provider: provider(server),
      domains: [many('board', 80), mail],
      discovery: stagedDiscovery(),
    });
    expect((await session.send('Go')).text).toBe('Done.');
    expect(mail.tools[7]?.runs).toHaveLength(1);
    const tools = server.bodies().map((body) => body.tools?.length);
    expect(tools).toEqual([2, 82, 82]);
    await session.dispose();
  });
});
