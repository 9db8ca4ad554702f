// The content of results: whole parts stay as they are, everything else is data.
import { expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import { success, type JsonValue } from '@banister/session';
import type { ContentPart } from '@banister/provider';
import { fixture } from './fixture.js';

const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;

it.each<readonly [string, JsonValue | ContentPart, ContentPart]>([
  ['a text', 'Done.', { type: 'text', text: 'Done.' }],
  ['a part of text', { type: 'text', text: 'Done.' }, { type: 'text', text: 'Done.' }],
  ['a part of data', { type: 'json', value: [1] }, { type: 'json', value: [1] }],
  ['an image', image, image],
  [
    'an image of another field, with parameters in its type, and with data in lines',
    { ...image, mediaType: 'image/png; charset=binary', data: 'iVBO\r\nRw0KGgo=\n', _meta: { size: 1 } },
    image,
  ],
  ['an image with a name', { ...image, name: 'a.png' }, { ...image, name: 'a.png' }],
  ...[
    { ...image, mediaType: '' },
    { ...image, mediaType: 'text/html' },
    { ...image, data: '' },
    { ...image, data: 'iVBORw0K-_o=' },
    { ...image, data: 'iVBORw0KGgo' },
    { ...image, data: 'https://example.org/a.png' },
  ].map((value) => ['an image that no server reads', value, { type: 'json', value }] as const),
  ['data', { count: 1 }, { type: 'json', value: { count: 1 } }],
  ['nothing', null, { type: 'json', value: null }],
  [
    'data with the fields of a text, and more',
    { type: 'text', text: 'a', size: 1 },
    { type: 'json', value: { type: 'text', text: 'a', size: 1 } },
  ],
  [
    'data with the fields of data, and more',
    { type: 'json', value: 1, unit: 'm' },
    { type: 'json', value: { type: 'json', value: 1, unit: 'm' } },
  ],
  [
    'a text part without a text',
    { type: 'text', text: 1 },
    { type: 'json', value: { type: 'text', text: 1 } },
  ],
  ['a json part without a value', { type: 'json', a: 1 }, { type: 'json', value: { type: 'json', a: 1 } }],
  [
    'an image without its type',
    { type: 'image', data: 'iVBORw0KGgo=' },
    { type: 'json', value: { type: 'image', data: 'iVBORw0KGgo=' } },
  ],
])('success(%s) is one part of the result', async (_name, returned, part) => {
  const tool = spyTool('give', { execute: () => success(returned) });
  await using f = fixture([callTools({ tool: 'board.give' }), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
  });
  await f.session.send('Go');
  const [call] = f.session.turns.value[0]?.rounds[0]?.parts ?? [];
  expect(call).toMatchObject({ type: 'tool-call' });
  expect(call?.type === 'tool-call' && call.result).toEqual({ outcome: 'success', content: [part] });
});
