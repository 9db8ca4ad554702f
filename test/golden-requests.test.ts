import type {
  ContentPart,
  JsonObject,
  Message,
  MessagePart,
  ProviderRequest,
  ToolResultOutcome,
} from '@handrail/session/provider';
import { validateRequest } from '@handrail/testing';
import { describe, expect, test } from 'vitest';
import { apis, bodyOf, model, server } from './request-bodies.js';

// The request of each API for each kind of part that a conversation can hold. The whole body is kept beside this file, so that a
// change of a request shows in the diff of the change; and every one of them is a request that a server accepts.

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
const call = (id: string, args: JsonObject = {}): MessagePart => ({
  type: 'tool-call',
  id,
  providerCallId: `call_${id}`,
  tool: 'board.add',
  argumentsText: JSON.stringify(args),
  arguments: args,
});
const result = (callId: string, outcome: ToolResultOutcome, ...content: ContentPart[]): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome,
  content,
});
const done: ContentPart = { type: 'text', text: 'done' };
const ofOpenAI = (item: JsonObject): MessagePart => ({
  type: 'opaque',
  provider: 'openai',
  data: { api: 'responses', server, model, item },
});
const ofAnthropic = (data: JsonObject): MessagePart => ({ type: 'opaque', provider: 'anthropic', data });

const user = (...parts: MessagePart[]) => ({ role: 'user', parts }) as const;
const assistant = (...parts: MessagePart[]) => ({ role: 'assistant', parts }) as const;
type Said = ReturnType<typeof user> | ReturnType<typeof assistant>;

const add = {
  name: 'board.add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: {} },
};

function request(said: readonly Said[], more: Partial<ProviderRequest> = {}): ProviderRequest {
  const messages: Message[] = said.map((message, index) => ({ id: `m${index}`, ...message }));
  return { system: '', messages, tools: [], idempotencyKey: 'key', ...more };
}

const ask = user(text('Add a card.'));
const goOn = user(text('Go on.'));
const requests: Readonly<Record<string, ProviderRequest>> = {
  text: request([ask, assistant(text('Which one?')), user(text('Any.'))]),
  'a system prompt, tools and a bound': request([ask], {
    system: 'You keep a board.',
    tools: [add],
    maxOutputTokens: 500,
  }),
  images: request([user(text('Look.'), image, image)]),
  'parallel calls': request(
    [
      ask,
      assistant(text('I add two.'), call('a', { title: 'A' }), call('b', { title: 'B' })),
      user(result('a', 'success', done), result('b', 'success', done)),
    ],
    { tools: [add] },
  ),
  'an error, JSON and an image as results': request([
    ask,
    assistant(call('a'), call('b'), call('c')),
    user(
      result('a', 'failed', { type: 'text', text: 'The board is full.' }),
      result('b', 'success', { type: 'json', value: { id: 7 } }),
      result('c', 'success', done, image),
    ),
  ]),
  'results of nothing': request([ask, assistant(call('a')), user(result('a', 'success'))]),
  'signed and redacted thinking': request([
    ask,
    assistant(
      { type: 'thinking', text: 'Hm.', signature: 'c2ln' },
      ofAnthropic({ type: 'redacted_thinking', data: 'xyz' }),
      call('a'),
    ),
    user(result('a', 'success', done)),
  ]),
  'reasoning and what it led to': request([
    ask,
    assistant(ofOpenAI({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }), call('a')),
    user(result('a', 'success', done)),
    assistant(ofOpenAI({ type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAB' })),
    goOn,
  ]),
  'thinking without a signature': request([
    ask,
    assistant({ type: 'thinking', text: 'Hm.' }, text('Yes?')),
    goOn,
  ]),
  'a refusal': request([ask, assistant(text('I cannot do that.')), goOn]),
  'tools of the server': request([
    ask,
    assistant(
      ofAnthropic({ type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
      ofAnthropic({ type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }),
      ofOpenAI({ type: 'web_search_call', id: 'ws_1', status: 'completed' }),
      text('Found.'),
    ),
    goOn,
  ]),
  'parts of a provider that no adapter knows': request([
    ask,
    assistant({ type: 'opaque', provider: 'other', data: { secret: 1 } }, text('So.')),
    goOn,
  ]),
  'a turn that was cancelled after a round': request([
    ask,
    assistant(call('a'), call('b')),
    user(
      result('a', 'success', done),
      result('b', 'rejected', { type: 'text', text: 'Cancelled, not run.' }),
    ),
    goOn,
  ]),
  'turns that failed before they said anything': request([ask, goOn, user(text('Hello?'))]),
  'a call that was denied': request([
    ask,
    assistant(call('a')),
    user(result('a', 'rejected', { type: 'text', text: 'The user declined.' })),
  ]),
};

describe.each(apis)('%s', (api) => {
  test.each(Object.keys(requests))('%s', async (name) => {
    const body = await bodyOf(api, requests[name]!);
    expect(validateRequest(api, body)).toEqual([]);
    expect(body).toMatchSnapshot();
  });
});
