import type { ToolDefinition } from '@banister/provider';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openai, type OpenAIOptions } from '../src/index.js';
import { answerOf } from '../../../test/kit/answer.js';

const stream = () =>
  new Response('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n', {
    headers: { 'content-type': 'text/event-stream' },
  });

/** The request that the official client would send from a page, and the headers that it names itself. */
async function sentFromPage(options: Partial<OpenAIOptions>) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(stream()));
  const answer = await answerOf(openai({ model: 'm', fetch, ...options }));
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
  test.each<[string, OpenAIOptions]>([
    ['no model', { model: ' ' }],
    ['a base URL that is none', { model: 'm', baseURL: 'localhost' }],
  ])('%s', (_name, options) => {
    expect(() => openai(options)).toThrowError(expect.objectContaining({ code: 'invalid-configuration' }));
  });

  test.each<[string, OpenAIOptions]>([
    ['S13 AK-B5 a key in a page', { model: 'm', apiKey: 'sk-0123456789' }],
    [
      'S13 a key in a header in a page',
      { model: 'm', baseURL: '/ai', headers: { Authorization: 'Bearer x' } },
    ],
    ['neither key nor server in a page', { model: 'm' }],
  ])('%s', (_name, options) => {
    pretendPage();
    expect(() => openai(options)).toThrowError(expect.objectContaining({ code: 'invalid-configuration' }));
  });
});

describe('in a page', () => {
  test('S13 an own server needs no key, and its address may be a path', async () => {
    pretendPage();
    const { answer, url, headers } = await sentFromPage({ baseURL: '/api/ai' });
    expect(answer.finish?.reason).toBe('stop');
    expect(url).toBe('https://app.example/api/ai/chat/completions');
    expect(headers).not.toContain('authorization');
    expect(headers).toContain('idempotency-key');
  });

  test('H11 a server of another origin gets only headers that it probably allows', async () => {
    pretendPage();
    const local = await sentFromPage({ baseURL: 'http://localhost:11434/v1' });
    expect(local.answer.finish?.reason).toBe('stop');
    expect(local.headers).toEqual(['accept', 'content-type']);
    const withKey = await sentFromPage({
      apiKey: 'sk-0123456789',
      dangerouslyAllowBrowser: true,
      baseURL: 'https://api.example/v1',
    });
    expect(withKey.headers).toEqual(['accept', 'authorization', 'content-type']);
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
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment');
    const { answer, headers } = await sentFromPage({});
    expect(answer.finish?.reason).toBe('stop');
    expect(headers).toContain('authorization');
  });

  test('AK-B4 a missing key is an `auth` error that names the options, and the next request looks for a key again', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const provider = openai({ model: 'm', fetch: () => Promise.resolve(stream()) });
    const { error } = await answerOf(provider);
    expect(error).toMatchObject({ code: 'auth', retry: 'after-action' });
    expect(error?.message).toContain('apiKey');
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment');
    expect((await answerOf(provider)).finish?.reason).toBe('stop');
  });
});

describe('the provider', () => {
  test('declares the capabilities of its options', () => {
    const provider = openai({ model: 'm', images: false, contextWindow: 8_192 });
    expect(provider).toMatchObject({
      id: 'openai',
      model: 'm',
      capabilities: { images: false, contextWindow: 8_192 },
    });
    expect(openai({ model: 'm' }).capabilities).toEqual({
      images: true,
      imagesInResults: false,
      pdfs: true,
      toolChoices: ['none', 'required', 'tool'],
      structuredOutput: true,
      maxTools: 128,
    });
    expect(openai({ model: 'm', maxTools: 20 }).capabilities.maxTools).toBe(20);
    expect(openai({ model: 'm', maxTools: Infinity }).capabilities.maxTools).toBe(Infinity);
    expect(() => openai({ model: 'm', maxTools: 0 })).toThrow('maxTools');
    expect(openai({ model: 'm', maxTools: 1 }).capabilities.maxTools).toBe(1);
    expect(openai({ model: 'm', toolChoices: ['none'] }).capabilities.toolChoices).toEqual(['none']);
  });

  test('H8 warns about schemas that the API would refuse', async () => {
    const parameters = { type: 'object' };
    const tools: ToolDefinition[] = [
      { name: 'a.fine', description: 'Fine.', parameters },
      { name: 'a.long', description: 'x'.repeat(1_025), parameters },
      { name: 'a.untyped', description: '', parameters: {} },
      { name: 'a.union', description: '', parameters: { type: 'object', anyOf: [] } },
    ];
    const warnings = await openai({ model: 'm' }).validateTools?.(tools);
    expect(warnings?.map(({ tool }) => tool)).toEqual(['a.long', 'a.untyped', 'a.union']);
  });
});
