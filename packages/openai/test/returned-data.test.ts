import { describe, expect, test } from 'vitest';
import { createAgentSession, defineDomain, defineTool } from '@banister/session';
import { openai, type OpenAIOptions } from '../src/index.js';

// Data that a server sent beside its calls goes back only to this server, on the same call and message.

interface Sent {
  readonly messages: readonly Record<string, unknown>[];
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (index: number, fields: object) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'board_add', arguments: `{"title":"${index}"}` },
  ...fields,
});
const calls = (...deltas: object[]) =>
  [...deltas.map((delta) => chunk(delta)), chunk({}, 'tool_calls'), 'data: [DONE]\n\n'].join('');
const text = chunk({ content: 'Done.' }) + chunk({}, 'stop') + 'data: [DONE]\n\n';

/** Sends two messages, and returns the bodies of the requests. The first answer calls a tool. */
async function bodiesOf(first: string, options: Partial<OpenAIOptions> = {}): Promise<readonly Sent[]> {
  const bodies: Sent[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } } },
    execute: () => 'Added.',
  });
  const session = createAgentSession({
    provider: openai({
      model: 'm',
      baseURL: 'https://ai.example/v1',
      fetch: async (_input, init) => {
        bodies.push(JSON.parse(init?.body as string) as Sent);
        const body = bodies.length === 1 ? first : text;
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
      ...options,
    }),
    domains: [defineDomain({ id: 'board', tools: [add] })],
  });
  await session.send('Add two cards');
  await session.send('Thanks');
  await session.dispose();
  return bodies;
}

const assistant = ({ messages }: Sent) => messages.filter(({ role }) => role === 'assistant');

describe('thought signatures of Gemini', () => {
  // Written by hand after https://ai.google.dev/gemini-api/docs/thought-signatures (OpenAI compatibility).
  // The first of parallel calls has the signature in its `extra_content`. An answer of text has a signature
  // in the last piece of its message.
  const signature = { google: { thought_signature: 'c2lnbmF0dXJlLUE=' } };

  test('audit-P8 the signature of a call goes back on the same call, in every later request', async () => {
    const bodies = await bodiesOf(
      calls({ role: 'assistant', tool_calls: [call(0, { extra_content: signature }), call(1, {})] }),
    );
    for (const body of bodies.slice(1)) {
      const [first, second] = assistant(body)[0]?.['tool_calls'] as Record<string, unknown>[];
      expect(first).toMatchObject({ id: 'call_0', extra_content: signature });
      expect(second).not.toHaveProperty('extra_content');
    }
  });

  test('audit-P8 the signature of a message goes back on the message', async () => {
    const bodies = await bodiesOf(
      chunk({ content: 'Hello.' }) +
        chunk({ content: '', extra_content: signature }, 'stop') +
        'data: [DONE]\n\n',
    );
    expect(assistant(bodies[1]!)[0]).toEqual({
      role: 'assistant',
      content: 'Hello.',
      extra_content: signature,
    });
  });

  test.each([
    [
      'in a piece of its own',
      [{ tool_calls: [call(0, {})] }, { tool_calls: [{ index: 0, extra_content: signature }] }],
      { extra_content: signature },
    ],
    [
      'in the fields of a proxy',
      [{ tool_calls: [call(0, { provider_specific_fields: { thought_signature: 's' } })] }],
      { provider_specific_fields: { thought_signature: 's' } },
    ],
    ['beside the call', [{ tool_calls: [call(0, { thought_signature: 's' })] }], { thought_signature: 's' }],
  ])('audit-P8 a signature %s goes back', async (_name, deltas, fields) => {
    const bodies = await bodiesOf(calls(...deltas));
    expect((assistant(bodies[1]!)[0]?.['tool_calls'] as object[])[0]).toMatchObject(fields);
  });

  test('audit-P8 a piece of text that is marked as a thought is not part of the answer', async () => {
    const marked = { content: 'They greet.', extra_content: { google: { thought: true } } };
    const bodies = await bodiesOf(chunk(marked) + chunk({ content: 'Hello.' }, 'stop') + 'data: [DONE]\n\n');
    expect(assistant(bodies[1]!)).toEqual([{ role: 'assistant', content: 'Hello.' }]);
  });
});

describe('reasoning', () => {
  test.each(['reasoning_content', 'reasoning'])(
    'audit-R4 %s goes back beside its calls, only within the loop of tool calls',
    async (field) => {
      const bodies = await bodiesOf(
        calls({ [field]: 'I must ' }, { [field]: 'add it.' }, { tool_calls: [call(0, {})] }),
      );
      expect(assistant(bodies[1]!)[0]).toMatchObject({ [field]: 'I must add it.', content: null });
      expect(JSON.stringify(bodies[2])).not.toContain('I must');
    },
  );

  test('audit-R4 reasoning that led to no call is not sent back', async () => {
    const bodies = await bodiesOf(chunk({ reasoning_content: 'Hm.' }) + text);
    expect(JSON.stringify(bodies[1])).not.toContain('Hm.');
  });

  test.each([{ baseURL: 'https://api.openai.com/v1' }, { baseURL: 'https://eu.api.openai.com/v1' }])(
    'audit-R4 reasoning never goes to OpenAI: %j',
    async (options) => {
      const bodies = await bodiesOf(calls({ reasoning_content: 'Hm.' }, { tool_calls: [call(0, {})] }), {
        ...options,
        apiKey: 'key-of-a-test',
      });
      expect(bodies).toHaveLength(3);
      expect(JSON.stringify(bodies)).not.toContain('Hm.');
    },
  );
});
