import type { ToolDefinition } from '@banister/provider';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anthropic, type AnthropicOptions } from '../src/index.js';
import { answerOf } from '../../../test/kit/answer.js';
import { message, textBlock } from './message-events.js';

const stream = () =>
  new Response(message(textBlock(0, 'Hi')), { headers: { 'content-type': 'text/event-stream' } });

/** The request that the official client would send from a page, and the headers that it names itself. */
async function sentFromPage(options: Partial<AnthropicOptions>) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(stream()));
  const answer = await answerOf(anthropic({ model: 'm', fetch, ...options }));
  const [url, init] = fetch.mock.calls[0] ?? [];
  return { answer, url: String(url), headers: [...new Headers(init?.headers).keys()].sort() };
}

function pretendPage(): void {
  const origin = 'https://app.example';
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { baseURI: `${origin}/board/` });
  vi.stubGlobal('window', { document });
  vi.stubGlobal('location', { origin, href: `${origin}/board/` });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe('options that cannot work are refused at once', () => {
  test.each<[string, AnthropicOptions]>([
    ['no model', { model: ' ' }],
    ['a base URL that is none', { model: 'm', baseURL: 'localhost' }],
    ['no room for an answer', { model: 'm', maxOutputTokens: 0 }],
    [
      'a budget that leaves nothing',
      { model: 'm', maxOutputTokens: 2_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    ],
    ['a server tool without a name', { model: 'm', serverTools: [{ type: 'web_search_20250305' }] }],
  ])('%s', (_name, options) => {
    expect(() => anthropic(options)).toThrowError(expect.objectContaining({ code: 'invalid-configuration' }));
  });

  test.each<[string, AnthropicOptions]>([
    ['S13 AK-B5 a key in a page', { model: 'm', apiKey: 'sk-0123456789' }],
    [
      'S13 a key in a header in a page',
      { model: 'm', baseURL: '/ai', headers: { Authorization: 'Bearer x' } },
    ],
    ['neither key nor server in a page', { model: 'm' }],
  ])('%s', (_name, options) => {
    pretendPage();
    expect(() => anthropic(options)).toThrowError(expect.objectContaining({ code: 'invalid-configuration' }));
  });
});

describe('in a page', () => {
  test('S13 an own server needs no key, and its address may be a path', async () => {
    pretendPage();
    const { answer, url, headers } = await sentFromPage({ baseURL: '/api/ai' });
    expect(answer.finish?.reason).toBe('stop');
    expect(url).toBe('https://app.example/api/ai/v1/messages');
    expect(headers).not.toContain('authorization');
    expect(headers).toContain('idempotency-key');
  });

  test('H11 a server of another origin gets only headers that it probably allows', async () => {
    pretendPage();
    const local = await sentFromPage({ baseURL: 'http://localhost:11434/v1' });
    expect(local.answer.finish?.reason).toBe('stop');
    expect(local.headers).toEqual(['accept', 'anthropic-version', 'content-type']);
    const withKey = await sentFromPage({
      apiKey: 'sk-0123456789',
      dangerouslyAllowBrowser: true,
      baseURL: 'https://api.example/v1',
    });
    expect(withKey.headers).toEqual([
      'accept',
      'anthropic-dangerous-direct-browser-access',
      'anthropic-version',
      'authorization',
      'content-type',
    ]);
  });

  test('the header of the option `idempotencyHeader` is sent to every server', async () => {
    pretendPage();
    const { headers } = await sentFromPage({
      baseURL: 'http://localhost:11434/v1',
      idempotencyHeader: 'Idempotency-Key',
    });
    expect(headers).toContain('idempotency-key');
  });
});

describe('without a key on a server', () => {
  test('a key of the environment is used for the default server', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-the-environment');
    const { answer, headers } = await sentFromPage({});
    expect(answer.finish?.reason).toBe('stop');
    expect(headers).toContain('authorization');
  });

  test('AK-B4 a missing key is an `auth` error that names the options, and the next request looks for a key again', async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_PROFILE'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nowhere');
    const provider = anthropic({ model: 'm', fetch: () => Promise.resolve(stream()) });
    const { error } = await answerOf(provider);
    expect(error).toMatchObject({ code: 'auth', retry: 'after-action' });
    expect(error?.message).toContain('apiKey');
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-the-environment');
    expect((await answerOf(provider)).finish?.reason).toBe('stop');
  });
});

describe('the provider', () => {
  test('declares the capabilities of its options', () => {
    const provider = anthropic({ model: 'm', images: false, contextWindow: 8_192 });
    expect(provider).toMatchObject({
      id: 'anthropic',
      model: 'm',
      capabilities: { images: false, contextWindow: 8_192 },
    });
    expect(anthropic({ model: 'm' }).capabilities).toEqual({
      images: true,
      imagesInResults: true,
      pdfs: true,
      toolChoices: ['none', 'required', 'tool'],
      structuredOutput: true,
    });
  });

  test.each([
    { thinking: { type: 'enabled', budget_tokens: 2_048 } },
    { thinking: { type: 'adaptive' } },
    { extraBody: { thinking: { type: 'adaptive' } } },
  ] as const)('accepts no forced tool if the model thinks: %j', (options) => {
    expect(anthropic({ model: 'm', ...options }).capabilities.toolChoices).toEqual(['none']);
  });

  test('accepts every tool choice if thinking is disabled, and the choices of the option `toolChoices`', () => {
    const { capabilities } = anthropic({ model: 'm', thinking: { type: 'disabled' } });
    expect(capabilities.toolChoices).toEqual(['none', 'required', 'tool']);
    expect(anthropic({ model: 'm', toolChoices: [] }).capabilities.toolChoices).toEqual([]);
  });

  test('H8 warns about schemas that the API would refuse', () => {
    const tool = (name: string, parameters: ToolDefinition['parameters']) => ({
      name,
      description: '',
      parameters,
    });
    const tools = [
      tool('a.fine', { type: 'object', properties: { title: { type: 'string' } } }),
      tool('a.untyped', {}),
      tool('a.union', { type: 'object', anyOf: [] }),
      tool('a.odd', { type: 'object', properties: { 'the title': {} } }),
    ];
    expect(anthropic({ model: 'm' }).validateTools?.(tools)).toEqual([
      { tool: 'a.untyped', message: 'The schema must say "type": "object" at its top.' },
      { tool: 'a.union', message: 'The API refuses "anyOf" at the top of a schema.' },
      { tool: 'a.odd', message: 'The API refuses "the title" as the name of a property.' },
    ]);
  });
});
