// Tool choice, on the two APIs of OpenAI.
import { createAgentSession, defineTool, type ToolChoice } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.js';
import { missing, recordedStreams } from '../../../test/kit/recordings.js';
import { recordings } from './recordings.js';

const format = defineTool({
  name: 'format',
  description: 'Formats the answer.',
  parameters: { type: 'object' },
  execute: () => null,
});

/** Sends a message with a tool choice to a server that answers with these bodies; returns the bodies of the requests. */
async function sent(api: 'chat' | 'responses', toolChoice: ToolChoice, ...answers: readonly string[]) {
  const bodies: { readonly tool_choice?: unknown }[] = [];
  const session = createAgentSession({
    provider: openai({
      model: 'm',
      api,
      baseURL: 'http://api.invalid/v1',
      fetch: async (_url, init) => {
        const answer = answers[bodies.length]!;
        bodies.push(JSON.parse(String(init?.body)) as object);
        return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
      },
    }),
    domains: [{ id: 'answer', tools: [format] }],
  });
  const error = await session.send('Go', { toolChoice }).then(
    () => null,
    (thrown: { readonly code: string }) => thrown.code,
  );
  const { turns } = session.state;
  await session.dispose();
  return { bodies, error, turn: turns[0]! };
}

const chatText =
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe('a recorded answer to a forced tool', () => {
  const name = 'chat-forced-tool-finish-stop.0';
  const forced = recordings.find((one) => one.name === name);

  test.skipIf(forced === undefined || missing !== '')(
    'satisfies the choice although its finish reason is `stop`, and the next round is free',
    async () => {
      const [call] = forced!.facts.toolCalls!;
      const body = forced!.body.toString().replaceAll(call!.name, 'answer_format');
      const { bodies, error, turn } = await sent('chat', { tool: 'answer.format' }, body, chatText);
      expect(error).toBeNull();
      const recorded = recordedStreams('openai-chat').find((one) => one.name === name)!;
      const asked = JSON.parse(
        JSON.stringify(recorded.request).replaceAll(call!.name, 'answer_format'),
      ) as object;
      expect(asked).toMatchObject({ tool_choice: bodies[0]!.tool_choice });
      expect('tool_choice' in bodies[1]!).toBe(false);
      expect(turn.rounds[0]?.parts).toMatchObject([{ tool: 'answer.format', state: 'settled' }]);
    },
  );
});

describe('an answer of text to a forced tool', () => {
  test.each(['required', { tool: 'answer.format' }] as const)('AK-E9 fails the turn: %j', async (choice) => {
    const { error, turn } = await sent('chat', choice, chatText);
    expect(error).toBe('tool-choice-not-honored');
    expect(turn.status).toBe('failed');
  });
});
