import { describe, expect, test } from 'vitest';
import { assertValidRequest, validateRequest, type RequestApi } from './validate-request.js';

/** A request that a test may damage. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any request, with a reach into it at any place
type Body = Record<string, any>;

const pixel = 'iVBORw0KGgo=';
const schema = { type: 'object', properties: { title: { type: 'string' } } };

const good: { readonly [A in RequestApi]: () => Body } = {
  'openai-chat': () => ({
    model: 'm',
    messages: [
      { role: 'system', content: 'You help.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pixel}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'add', arguments: '{"title":"A"}' } },
          { id: 'b', type: 'function', function: { name: 'add', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'done' },
      { role: 'tool', tool_call_id: 'a', content: 'done' },
      { role: 'assistant', content: 'Both are there.' },
      { role: 'user', content: 'Thanks 🌍' },
    ],
    tools: [{ type: 'function', function: { name: 'add', description: '', parameters: schema } }],
    tool_choice: { type: 'function', function: { name: 'add' } },
  }),
  'openai-responses': () => ({
    model: 'm',
    store: false,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
          { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pixel}` },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'add', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: 'anything' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'done' }] },
      { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { role: 'assistant', content: 'Both are there.' },
      { role: 'user', content: 'Thanks.' },
    ],
    tools: [{ type: 'function', name: 'add', parameters: schema, strict: false }],
    tool_choice: { type: 'function', name: 'add' },
  }),
  'anthropic-messages': () => ({
    model: 'm',
    max_tokens: 4_096,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    system: [{ type: 'text', text: 'You help.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pixel } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] },
          { type: 'text', text: 'I add.' },
          { type: 'tool_use', id: 'a', name: 'add', input: {} },
          { type: 'tool_use', id: 'b', name: 'add', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: 'done' },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: true,
            content: [{ type: 'text', text: 'full' }],
            cache_control: { type: 'ephemeral' },
          },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
    tools: [{ name: 'add', input_schema: schema }],
    tool_choice: { type: 'auto' },
  }),
};

/** The damage, how it is done, and words of the problem that is reported. */
type Damage = readonly [string, (body: Body) => void, string];

const everywhere: readonly Damage[] = [
  ['no model', (body) => delete body['model'], 'no model is named'],
  ['no messages', (body) => ((body['messages'] = []), (body['input'] = [])), 'there'],
  ['half a surrogate pair', (body) => (body['user'] = 'half \ud83d'), 'half of a surrogate pair'],
  ['two tools of one name', ({ tools }) => tools.push(tools[0]), 'there are two tools'],
  ['a choice without tools', (body) => (body['tools'] = []), 'no tools to choose from'],
];

const chat: readonly Damage[] = [
  ['a role that is none', ({ messages }) => (messages[6].role = 'human'), 'is no role'],
  ['an empty text of the user', ({ messages }) => (messages[6].content = ''), 'there must be text'],
  ['an empty part', ({ messages }) => (messages[1].content[0].text = ' '), 'there must be text'],
  ['no parts', ({ messages }) => (messages[1].content = []), 'there are no parts'],
  [
    'an image that is none',
    ({ messages }) => (messages[1].content[1].image_url.url = pixel),
    'image in base64',
  ],
  ['a file that is none', ({ messages }) => (messages[1].content[2].file.file_data = pixel), 'PDF in base64'],
  [
    'a file without a name',
    ({ messages }) => delete messages[1].content[2].file.filename,
    'a file must have a name',
  ],
  ['an empty answer', ({ messages }) => (messages[5].content = null), 'there must be text'],
  ['an empty result', ({ messages }) => (messages[3].content = ''), 'there must be text'],
  ['an empty list of calls', ({ messages }) => (messages[5].tool_calls = []), 'the list is empty'],
  ['a call without id', ({ messages }) => (messages[2].tool_calls[0].id = ''), '1 to 40'],
  ['a call id too long', ({ messages }) => (messages[2].tool_calls[0].id = 'a'.repeat(41)), '1 to 40'],
  [
    'a name with a dot',
    ({ messages }) => (messages[2].tool_calls[0].function.name = 'a.b'),
    'no name of a tool',
  ],
  [
    'cut arguments',
    ({ messages }) => (messages[2].tool_calls[0].function.arguments = '{"a'),
    'no JSON object',
  ],
  [
    'a list as arguments',
    ({ messages }) => (messages[2].tool_calls[0].function.arguments = '[]'),
    'no JSON object',
  ],
  ['a missing result', ({ messages }) => messages.splice(4, 1), 'No tool output found for tool call a'],
  ['a result too much', ({ messages }) => messages.splice(5, 0, messages[4]), 'answered already'],
  [
    'a result of nothing',
    ({ messages }) => (messages[6] = { role: 'tool', tool_call_id: 'x', content: 'd' }),
    'there is no call "x"',
  ],
  ['a result too late', ({ messages }) => messages.push(...messages.splice(4, 1)), 'No tool output found'],
  ['one id for two calls', ({ messages }) => (messages[2].tool_calls[1].id = 'a'), 'is used twice'],
  ['calls at the end', ({ messages }) => messages.splice(3), 'No tool output found'],
  ['two user messages', ({ messages }) => messages.push({ role: 'user', content: 'More.' }), 'in a row'],
  ['the assistant first', ({ messages }) => messages.splice(0, 2), 'the user must speak'],
  ['the assistant last', ({ messages }) => messages.pop(), 'the last message'],
  ['a tool that is not offered', (body) => (body['tool_choice'].function.name = 'x'), 'there is no tool "x"'],
  [
    'arguments that are a list',
    ({ tools }) => (tools[0].function.parameters = { type: 'array' }),
    'one of an object',
  ],
  ['a tool named badly', ({ tools }) => (tools[0].function.name = 'a'.repeat(65)), 'no name of a tool'],
  ['a strict schema with a choice', ({ tools }) => (tools[0].function.strict = true), "missing 'title'"],
];

const responses: readonly Damage[] = [
  ['a call without output', ({ input }) => input.splice(5, 1), 'No tool output found for tool call a'],
  ['an output without call', ({ input }) => input.splice(2, 1), 'no such call before it'],
  [
    'an output of another kind',
    ({ input }) => (input[4].type = 'function_call_output'),
    'is no function_call',
  ],
  [
    'words between call and output',
    ({ input }) => input.splice(4, 0, { role: 'user', content: 'Hm.' }),
    'No tool output found',
  ],
  [
    'reasoning without what it led to',
    ({ input }) => input.splice(7, 2),
    'without its required following item',
  ],
  [
    'reasoning at the end',
    ({ input }) => input.push({ type: 'reasoning', encrypted_content: 'x' }),
    'required following item',
  ],
  ['reasoning that cannot be read', ({ input }) => delete input[1].encrypted_content, 'must be encrypted'],
  [
    'a reference to what is not stored',
    ({ input }) => (input[7] = { type: 'item_reference', id: 'x' }),
    'not stored',
  ],
  ['a search that goes on', ({ input }) => (input[7].status = 'in_progress'), 'has not ended'],
  ['one item twice', ({ input }) => (input[6].id = 'rs_1'), 'Duplicate item'],
  ['one call id twice', ({ input }) => (input[3].call_id = 'a'), 'is used twice'],
  [
    'a call id too long',
    ({ input }) => ((input[2].call_id = 'a'.repeat(65)), (input[5].call_id = 'a'.repeat(65))),
    '1 to 64',
  ],
  ['a call without id', ({ input }) => delete input[2].call_id, 'a call has no id'],
  ['cut arguments', ({ input }) => (input[2].arguments = '{'), 'no JSON object'],
  ['a name with a dot', ({ input }) => (input[2].name = 'a.b'), 'no name of a tool'],
  ['an empty message', ({ input }) => (input[9].content = ''), 'there must be text'],
  [
    'a part of the other side',
    ({ input }) => (input[0].content[0].type = 'output_text'),
    'does not belong here',
  ],
  ['an image that is none', ({ input }) => (input[0].content[1].image_url = 'data:,x'), 'image in base64'],
  ['a file that is none', ({ input }) => (input[0].content[2].file_data = pixel), 'no PDF in base64'],
  ['a file without a name', ({ input }) => (input[0].content[2].filename = ''), 'a file must have a name'],
  ['an empty output', ({ input }) => (input[5].output = ''), 'there must be text'],
  ['an output of no parts', ({ input }) => (input[5].output = []), 'there are no parts'],
  ['a role that is none', ({ input }) => (input[9].role = 'human'), 'is no role'],
  ['the assistant last', ({ input }) => input.pop(), 'the last item'],
  ['a tool that is not offered', (body) => (body['tool_choice'].name = 'x'), 'there is no tool "x"'],
  [
    'a strict schema with a choice',
    ({ tools }) => (tools[0].strict = true),
    "'additionalProperties' must be false",
  ],
];

const messages: readonly Damage[] = [
  ['no bound for the answer', (body) => delete body['max_tokens'], 'a whole number'],
  ['a budget above the bound', ({ thinking }) => (thinking.budget_tokens = 4_096), 'less than max_tokens'],
  ['a temperature for a thinker', (body) => (body['temperature'] = 0), 'must be 1'],
  ['a tool forced on a thinker', (body) => (body['tool_choice'] = { type: 'any' }), 'cannot be forced'],
  [
    'a tool forced on a model that thinks as it likes',
    (body) => ((body['tool_choice'] = { type: 'any' }), (body['thinking'] = { type: 'adaptive' })),
    'cannot be forced',
  ],
  [
    'an answer begun for a thinker',
    (body) => body['messages'].push({ role: 'assistant', content: 'So' }),
    'cannot be begun',
  ],
  ['an empty system prompt', (body) => (body['system'] = ''), 'non-whitespace'],
  ['the assistant first', (body) => body['messages'].shift(), 'the first message must be'],
  ['two user messages', (body) => body['messages'].push({ role: 'user', content: 'More.' }), 'in a row'],
  ['no content', (body) => (body['messages'][0].content = []), 'the list is empty'],
  ['white space', (body) => (body['messages'][0].content = ' \n'), 'more than white space'],
  ['a block of white space', (body) => (body['messages'][0].content[0].text = ' '), 'non-whitespace'],
  [
    'an image of another kind',
    (body) => (body['messages'][0].content[1].source.media_type = 'image/tiff'),
    'no image that can be read',
  ],
  [
    'a document that cannot be read',
    (body) => (body['messages'][0].content[2].source.media_type = 'text/html'),
    'no document that can be read',
  ],
  [
    'a document that is none',
    (body) => (body['messages'][0].content[2].source.data = 'x'),
    'a document is not base64',
  ],
  ['an image that is none', (body) => (body['messages'][0].content[1].source.data = 'data:x'), 'not base64'],
  [
    'an image by the assistant',
    (body) => body['messages'][1].content.push(body['messages'][0].content[1]),
    'cannot hold images',
  ],
  ['unsigned thinking', (body) => delete body['messages'][1].content[0].signature, 'with its signature'],
  [
    'thinking at the end',
    (body) => body['messages'][1].content.push(body['messages'][1].content[0]),
    'cannot be thinking',
  ],
  [
    'thoughts of the user',
    (body) => body['messages'][0].content.push(body['messages'][1].content[0]),
    'cannot think',
  ],
  ['a missing result', (body) => body['messages'][2].content.splice(0, 1), 'without tool_result blocks: b'],
  ['no results at all', (body) => body['messages'].pop(), 'without tool_result blocks: a, b'],
  [
    'a result of nothing',
    (body) => (body['messages'][2].content[0].tool_use_id = 'x'),
    "unexpected 'tool_use_id': x",
  ],
  [
    'two results',
    (body) => body['messages'][2].content.splice(1, 0, body['messages'][2].content[0]),
    'single result',
  ],
  ['a result behind words', (body) => body['messages'][2].content.reverse(), 'before everything else'],
  [
    'an error with an image',
    (body) => body['messages'][2].content[1].content.push(body['messages'][0].content[1]),
    "must be type 'text'",
  ],
  ['one id for two calls', (body) => (body['messages'][1].content[6].id = 'a'), 'must be unique'],
  ['an id with a dot', (body) => (body['messages'][1].content[5].id = 'a.b'), 'does not match'],
  ['a list as input', (body) => (body['messages'][1].content[5].input = []), 'is no object'],
  ['a name with a dot', (body) => (body['messages'][1].content[5].name = 'a.b'), 'no name of a tool'],
  [
    'a search without result',
    (body) => {
      body['messages'][1].content.splice(3, 1);
      body['messages'][1].content.splice(4);
      body['messages'][2].content.splice(0, 2);
    },
    'without its result',
  ],
  ['a result without search', (body) => body['messages'][1].content.splice(2, 1), 'without its call'],
  [
    'too many marks',
    (body) =>
      body['messages'][2].content.push(
        ...[1, 2, 3].map((n) => ({ type: 'text', text: `${n}`, cache_control: { type: 'ephemeral' } })),
      ),
    'found 5',
  ],
  [
    'marked thinking',
    (body) => (body['messages'][1].content[0].cache_control = { type: 'ephemeral' }),
    'cannot be marked',
  ],
  [
    'an hour behind five minutes',
    (body) => (body['tools'][0].cache_control = { type: 'ephemeral' }),
    'cannot stand behind',
  ],
  ['a tool without schema', ({ tools }) => delete tools[0].input_schema, 'one of an object'],
  [
    'a tool that is not offered',
    (body) => ((body['tool_choice'] = { type: 'tool', name: 'x' }), (body['thinking'] = undefined)),
    'there is no tool "x"',
  ],
];

describe.each([
  ['openai-chat', [...everywhere, ...chat]],
  ['openai-responses', [...everywhere, ...responses]],
  ['anthropic-messages', [...everywhere, ...messages]],
] as const)('a request of %s', (api, damages) => {
  test('passes if nothing is wrong', () => {
    expect(validateRequest(api, good[api]())).toEqual([]);
    expect(() => assertValidRequest(api, good[api]())).not.toThrow();
  });

  test.each(damages)('with %s is refused', (_name, damage, words) => {
    const body = good[api]();
    damage(body);
    expect(validateRequest(api, body).join('\n')).toContain(words);
    expect(() => assertValidRequest(api, body)).toThrow(words);
  });

  test.each([null, 'text', [], 7, {}])('that is %j is refused without an exception', (body) => {
    expect(validateRequest(api, body).length).toBeGreaterThan(0);
  });
});
