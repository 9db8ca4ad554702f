import type {
  ContentPart,
  JsonObject,
  Message,
  MessagePart,
  ModelIdentity,
  OpaquePart,
  ProviderRequest,
  ToolResultOutcome,
} from '@banister/provider';
import { createAgentSession, defineTool, stagedDiscovery } from '@banister/session';
import { callTools, createSequentialIds, say, scriptedProvider, validateRequest } from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { apis, bodyOf, model, server } from './request-bodies.js';

// The request of each API for each kind of part that a conversation can hold. The whole body is kept beside this file, so that a
// change of a request shows in the diff of the change; and every one of them is a request that a server accepts.

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
const pdf = {
  type: 'file',
  name: 'report.pdf',
  mediaType: 'application/pdf',
  data: 'JVBERi0xLjQK',
} as const;
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
const ofOpenAI = (item: JsonObject): OpaquePart => ({
  type: 'opaque',
  provider: 'openai',
  data: { api: 'responses', server, model, item },
});
const ofAnthropic = (data: JsonObject): OpaquePart => ({ type: 'opaque', provider: 'anthropic', data });

const openaiOwner = { provider: 'openai', server, account: 'default', model };
const anthropicOwner = { provider: 'anthropic', server, account: 'default', model };
/** Reasoning of each API, of one model each. */
const reasoningOf = (
  id: string,
  openaiModel: ModelIdentity,
  anthropicModel: ModelIdentity,
): MessagePart[] => [
  { ...ofOpenAI({ type: 'reasoning', id, summary: [], encrypted_content: `gAAA${id}` }), owner: openaiModel },
  {
    type: 'opaque',
    provider: 'openai',
    owner: openaiModel,
    data: { api: 'chat', server, reasoningDetails: [{ type: 'reasoning.encrypted', data: id, index: 0 }] },
  },
  { type: 'thinking', text: id, signature: `sig${id}`, signedBy: 'anthropic', owner: anthropicModel },
  { ...ofAnthropic({ type: 'redacted_thinking', data: `red${id}` }), owner: anthropicModel },
];

const asked = (id: string) => ({
  type: 'mcp_approval_request',
  id,
  server_label: 'zip',
  name: 'shorten',
  arguments: '{"url":"https://app.example/"}',
});
const approval = (id: string, providerCallId: string): MessagePart => ({
  type: 'tool-call',
  id,
  providerCallId,
  tool: 'zip.shorten',
  hosted: true,
  argumentsText: '{"url":"https://app.example/"}',
  arguments: { url: 'https://app.example/' },
});

const user = (...parts: MessagePart[]) => ({ role: 'user', parts }) as const;
const assistant = (...parts: MessagePart[]) => ({ role: 'assistant', parts }) as const;
type Said = (ReturnType<typeof user> | ReturnType<typeof assistant>) & Pick<Message, 'kind'>;

const add = {
  name: 'board.add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: {} },
};

function request(said: readonly Said[], more: Partial<ProviderRequest> = {}): ProviderRequest {
  const messages: Message[] = said.map((message, index) => ({ id: `m${index}`, ...message }));
  return { system: '', messages, tools: [], idempotencyKey: 'key', ...more };
}

const output = {
  schema: {
    type: 'object',
    properties: {
      title: { type: 'string', maxLength: 40 },
      column: { enum: ['todo', 'done'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['title'],
  },
} as const;

const ask = user(text('Add a card.'));
const goOn = user(text('Go on.'));

/** The requests of a turn in which the model activates a domain, as a session makes them. */
async function discoveryRequests(): Promise<readonly ProviderRequest[]> {
  const activate = { tool: 'banister.use_domain', args: { ids: ['board'] } };
  const provider = scriptedProvider([callTools(activate), say('Done.')]);
  const tool = (name: string, description: string) =>
    defineTool({ name, description, parameters: { type: 'object', properties: {} }, execute: () => {} });
  const session = createAgentSession({
    provider,
    domains: [
      { id: 'board', version: '2', summary: 'Cards in columns.', tools: [tool('add', 'Adds a card.')] },
      { id: 'mail', summary: 'The mail of the user.', tools: [tool('send', 'Sends a mail.')] },
    ],
    discovery: stagedDiscovery({ always: true }),
    ports: { ids: createSequentialIds() },
  });
  await session.send('Add a card.');
  await session.dispose();
  return provider.requests;
}
const [listed, activated] = await discoveryRequests();

const requests: Readonly<Record<string, ProviderRequest>> = {
  'a conversation that was compacted': request([
    { ...user(text('<summary>\nThe user keeps a board.\n</summary>')), kind: 'summary' },
    ask,
    assistant(call('a')),
    user(result('a', 'success', { type: 'text', text: '[This result was left out to save space.]' })),
    assistant(text('Added.')),
    goOn,
  ]),
  'domains that are not active': listed!,
  'a domain that became active': activated!,
  text: request([ask, assistant(text('Which one?')), user(text('Any.'))]),
  'a system prompt, tools and a bound': request([ask], {
    system: 'You keep a board.',
    tools: [add],
    maxOutputTokens: 500,
  }),
  images: request([user(text('Look.'), image, image)]),
  'a PDF, an image and a text file': request([
    user(text('Read these.'), pdf, image, text('<file name="notes.txt">\nHello\n</file>')),
    assistant(text('Done.')),
    goOn,
  ]),
  'a PDF without a text': request([user(pdf)]),
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
  'approvals for tools of the server': request([
    ask,
    assistant(
      ofOpenAI({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }),
      ofOpenAI(asked('mcpr_1')),
      approval('a', 'mcpr_1'),
      ofOpenAI(asked('mcpr_2')),
      approval('b', 'mcpr_2'),
      call('c'),
    ),
    user(
      result('a', 'success', done),
      result('b', 'rejected', { type: 'text', text: 'The user declined this call.' }),
      result('c', 'success', done),
    ),
    assistant(text('Done.')),
    goOn,
  ]),
  'an approval for a tool of another server': request([
    ask,
    assistant(text('I ask.'), approval('a', 'mcpr_1')),
    user(result('a', 'success', done)),
    goOn,
  ]),
  'reasoning of the same model, of another model, of another account and of another server': request([
    ask,
    assistant(...reasoningOf('own', openaiOwner, anthropicOwner), call('a')),
    user(result('a', 'success', done)),
    ...(
      [
        ['model', { model: 'other' }],
        ['account', { account: 'other' }],
        ['server', { server: 'http://other.invalid/v1' }],
      ] as const
    ).flatMap(([id, other]) => [
      assistant(...reasoningOf(id, { ...openaiOwner, ...other }, { ...anthropicOwner, ...other }), call(id)),
      user(result(id, 'success', done)),
    ]),
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
  'a tool that has to be called': request([ask], { tools: [add], toolChoice: 'required' }),
  'one tool that has to be called': request([ask], { tools: [add], toolChoice: { tool: 'board.add' } }),
  'no tool, and one that was called before': request(
    [ask, assistant(call('a')), user(result('a', 'success', done)), assistant(text('Done.')), goOn],
    { tools: [add], toolChoice: 'none' },
  ),
  'an answer that is JSON': request([ask], { output }),
  'an answer that is JSON, and a tool that was called before': request(
    [ask, assistant(call('a')), user(result('a', 'success', done)), assistant(text('Done.')), goOn],
    { tools: [add], toolChoice: 'none', output },
  ),
  'an answer that is JSON, by a tool that has to be called': request([ask], {
    tools: [{ name: 'banister.output', description: 'Gives the answer.', parameters: output.schema }],
    toolChoice: { tool: 'banister.output' },
  }),
  'a tool that was removed': request(
    [ask, assistant(call('a')), user(result('a', 'success', done)), assistant(text('Done.')), goOn],
    {
      tools: [{ name: 'board.add', description: '', parameters: { type: 'object', properties: {} } }],
      toolChoice: 'none',
    },
  ),
  'a tool choice without tools': request([ask], { toolChoice: 'none' }),
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

describe('after a change of the provider', () => {
  const name = 'reasoning of the same model, of another model, of another account and of another server';

  test.each(apis)(
    'a request has the reasoning of its own model unchanged, and that of no other: %s',
    async (api) => {
      const body = JSON.stringify(await bodyOf(api, requests[name]!));
      for (const other of ['model', 'account', 'server'])
        for (const secret of [`gAAA${other}`, `"data":"${other}"`, `sig${other}`, `red${other}`])
          expect(body).not.toContain(secret);
      const own = {
        'openai-chat': ['{"type":"reasoning.encrypted","data":"own","index":0}'],
        'openai-responses': ['"encrypted_content":"gAAAown"'],
        'anthropic-messages': ['"signature":"sigown"', '{"type":"redacted_thinking","data":"redown"}'],
      }[api];
      for (const part of own) expect(body).toContain(part);
    },
  );
});
