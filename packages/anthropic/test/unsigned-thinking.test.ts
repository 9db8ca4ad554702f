import { expect, test } from 'vitest';
import { createAgentSession, defineDomain, defineTool } from '@banister/session';
import { anthropic } from '../src/index.js';
import { message, textBlock, thinkingBlock, toolBlock } from './message-events.js';

/** Sends two messages, the first of which calls a tool, and returns the bodies of the requests. */
async function bodiesOf(baseURL: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object' },
    execute: () => 'Added.',
  });
  const first = message(
    thinkingBlock(0, 'First thought.', '') +
      thinkingBlock(1, 'Second thought.', '') +
      toolBlock(2, 't', 'board_add', '{}'),
    'tool_use',
  );
  const session = createAgentSession({
    provider: anthropic({
      model: 'm',
      baseURL,
      apiKey: 'key-of-a-test',
      fetch: async (_input, init) => {
        bodies.push(init?.body as string);
        return new Response(bodies.length === 1 ? first : message(textBlock(0, 'Done.')), {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
    }),
    domains: [defineDomain({ id: 'board', tools: [add] })],
  });
  await session.send('Add');
  await session.send('Thanks');
  await session.dispose();
  return bodies;
}

test('audit-R4 unsigned thinking goes back only to the server that sent it, in its blocks, and only within the loop of tool calls', async () => {
  const [, second, third] = await bodiesOf('https://ai.example');
  const { messages } = JSON.parse(second!) as { messages: { role: string; content: object[] }[] };
  expect(messages.find(({ role }) => role === 'assistant')?.content.slice(0, 2)).toEqual([
    { type: 'thinking', thinking: 'First thought.' },
    { type: 'thinking', thinking: 'Second thought.' },
  ]);
  expect(third).not.toContain('thought.');
});

test("audit-R4 unsigned thinking never goes to Anthropic's own server", async () => {
  const bodies = await bodiesOf('https://api.anthropic.com');
  expect(bodies).toHaveLength(3);
  expect(bodies.join('')).not.toContain('thought.');
});
