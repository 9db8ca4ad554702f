import fc from 'fast-check';
import {
  withFallback,
  type JsonValue,
  type Message,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import { describe, expect, test, vi } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { gateway, type GatewayOptions } from '../src/index.js';
import { createSealer } from '../src/seal.js';
import { bodyOf, linesOf, options, post } from './ask.js';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)] as const;
const secretThought = 'gAAAA-encrypted-reasoning';
const signature = 'c2lnbmF0dXJl';

/** A reasoning model that records the parts that come back to it. */
function reasoner(model = 'm1', id = 'acme') {
  const requests: ProviderRequest[] = [];
  const events: readonly ProviderEvent[] = [
    { type: 'thinking', delta: 'Hm.', signature },
    { type: 'opaque', data: { encrypted: secretThought } },
    { type: 'text', delta: 'Hi.' },
    { type: 'finish', reason: 'stop' },
  ];
  const provider: Provider = {
    id,
    model,
    capabilities: { images: false },
    async *stream(request) {
      requests.push(request);
      yield* events;
    },
  };
  return { provider, requests };
}

/** Returns the message that a page makes of an answer. Its session takes the relay for the owner. */
function messageOf(
  lines: readonly Record<string, unknown>[],
  owner = { provider: 'relay', model: 'default' },
): Message {
  const parts = lines.flatMap(({ type, ...rest }): readonly object[] => {
    if (type === 'thinking')
      return [{ type, text: rest['delta'], signature: rest['signature'], signedBy: 'relay', owner }];
    if (type === 'opaque') return [{ type, provider: 'relay', owner, data: rest['data'] }];
    return type === 'text' ? [{ type, text: rest['delta'] }] : [];
  });
  return { id: 'answer', role: 'assistant', parts } as unknown as Message;
}

const asking = (answer: unknown, changes: Record<string, unknown> = {}) =>
  bodyOf({
    messages: [answer, { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'On.' }] }],
    ...changes,
  });

/** Gets an answer, and its message. */
async function answerOf(ask: (request: Request) => Promise<Response>, changes: Record<string, unknown> = {}) {
  const response = await ask(post(bodyOf(changes)));
  const text = await response.clone().text();
  return { text, message: messageOf(await linesOf(response)) };
}

/** Sends a message back, and returns its parts that reach the model. */
async function returned(
  ask: (request: Request) => Promise<Response>,
  requests: readonly ProviderRequest[],
  message: unknown,
  changes: Record<string, unknown> = {},
) {
  await (await ask(post(asking(message, changes)))).text();
  const back = requests.at(-1)!.messages.find(({ role }) => role === 'assistant');
  return back?.parts ?? [];
}

const whole = [
  { type: 'thinking', text: 'Hm.', signature, signedBy: 'acme', owner: { provider: 'acme', model: 'm1' } },
  {
    type: 'opaque',
    provider: 'acme',
    owner: { provider: 'acme', model: 'm1' },
    data: { encrypted: secretThought },
  },
  { type: 'text', text: 'Hi.' },
];
const withoutReasoning = [
  { type: 'thinking', text: 'Hm.' },
  { type: 'text', text: 'Hi.' },
];

describe('reasoning', () => {
  test('leaves the gateway sealed, and returns to its model unchanged, with its true owner', async () => {
    const { provider, requests } = reasoner();
    const ask = gateway(options({ provider, seal: first }));
    const { text, message } = await answerOf(ask);
    expect(text).not.toContain(secretThought);
    expect(text).not.toContain(signature);
    expect(text.match(/sealed1\./g)).toHaveLength(2);
    expect(await returned(ask, requests, message)).toEqual(whole);
  });

  test('of another user is dropped, and so is that of another alias', async () => {
    const { provider, requests } = reasoner();
    let user = 'u1';
    const ask = gateway(
      options({ provider: { default: provider, other: provider }, authorize: () => ({ user }), seal: first }),
    );
    const { message } = await answerOf(ask);
    expect(await returned(ask, requests, message, { model: 'other' })).toEqual(withoutReasoning);
    user = 'u2';
    expect(await returned(ask, requests, message)).toEqual(withoutReasoning);
    user = 'u1';
    expect(await returned(ask, requests, message)).toEqual(whole);
  });

  test('that was never sealed is dropped, whatever it claims', async () => {
    const { provider, requests } = reasoner();
    const ask = gateway(options({ provider, seal: first }));
    const owner = { provider: 'acme', model: 'm1' };
    const forged = (data: JsonValue) => ({
      id: 'a',
      role: 'assistant',
      parts: [
        { type: 'opaque', provider: 'acme', owner, data },
        { type: 'thinking', text: 'Hm.', signature: String(data), signedBy: 'acme', owner },
        { type: 'text', text: 'Hi.' },
      ],
    });
    for (const data of [
      { encrypted: 'forged' },
      'forged',
      'sealed1.',
      'sealed1.a.b',
      `sealed1.AAAAAAAA.${'A'.repeat(80)}`,
      null,
    ])
      expect(await returned(ask, requests, forged(data))).toEqual(withoutReasoning);
  });

  test('sealed with an unknown key is dropped, but the chat continues; a replaced key still opens', async () => {
    const { provider, requests } = reasoner();
    const at = (seal: GatewayOptions['seal']) => gateway(options({ provider, seal }));
    const { message } = await answerOf(at(first));
    expect(await returned(at([second, first]), requests, message)).toEqual(whole);
    expect(await returned(at(second), requests, message)).toEqual(withoutReasoning);
    expect(await returned(at('per-process'), requests, message)).toEqual(withoutReasoning);
  });

  test('is not returned if the alias now names another model', async () => {
    const [then, now] = [reasoner('m1'), reasoner('m2')];
    const { message } = await answerOf(gateway(options({ provider: then.provider, seal: first })));
    const ask = gateway(options({ provider: now.provider, seal: first }));
    expect(await returned(ask, now.requests, message)).toEqual(withoutReasoning);
  });

  test('of a fallback goes back to the member that wrote it', async () => {
    const [main, spare] = [reasoner('m1'), reasoner('m2', 'other')];
    let isDown = true;
    const failing: Provider = {
      ...main.provider,
      async *stream(request, signal) {
        if (isDown) throw new Error('down');
        yield* main.provider.stream(request, signal);
      },
    };
    const provider = withFallback([failing, spare.provider], {
      switchOn: ['provider-contract'],
      breaker: false,
    });
    const ask = gateway(options({ provider, seal: first }));
    const { message } = await answerOf(ask);
    expect(await returned(ask, spare.requests, message)).toMatchObject([
      { signature, signedBy: 'other', owner: { model: 'm2' } },
      { owner: { model: 'm2' } },
      {},
    ]);
    isDown = false;
    expect(await returned(ask, main.requests, message)).toEqual(withoutReasoning);
  });

  test('P9 is opened one piece after another, so that a request with thousands of seals does not delay other requests', async () => {
    const { provider, requests } = reasoner();
    const ask = gateway(options({ provider, seal: first }));
    const { message } = await answerOf(ask);
    const opaque = message.parts.find(({ type }) => type === 'opaque')!;
    const many = { ...message, parts: Array.from({ length: 500 }, () => opaque) };
    const { subtle } = crypto;
    const decrypt = subtle.decrypt.bind(subtle);
    let running = 0;
    let most = 0;
    const spy = vi.spyOn(subtle, 'decrypt').mockImplementation(async (...args) => {
      most = Math.max(most, ++running);
      return decrypt(...args).finally(() => running--);
    });
    try {
      expect(await returned(ask, requests, many)).toHaveLength(500);
    } finally {
      spy.mockRestore();
    }
    expect(most).toBe(1);
  });

  test('leaves no empty message if it is dropped', async () => {
    const { provider, requests } = reasoner();
    const ask = gateway(options({ provider, seal: first }));
    const forged = { id: 'a', role: 'assistant', parts: [{ type: 'opaque', provider: 'acme', data: 1 }] };
    expect(await returned(ask, requests, forged)).toEqual([]);
    expect(requests.at(-1)!.messages).toHaveLength(1);
  });
});

describe('a seal', () => {
  const scope = { user: 'u1', alias: 'default' };

  test('opens to the sealed value, for any JSON, but not for another kind, user or alias', async () => {
    const sealer = createSealer([first]);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), fc.string(), async (value, user, alias) => {
        const text = await sealer.seal('opaque', { user, alias }, value as JsonValue);
        expect(await sealer.open('opaque', { user, alias }, text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(await sealer.open('signature', { user, alias }, text)).toBeUndefined();
        expect(await sealer.open('opaque', { user: `${user}x`, alias }, text)).toBeUndefined();
        expect(await sealer.open('opaque', { user, alias: `${alias}x` }, text)).toBeUndefined();
        if (user !== alias)
          expect(await sealer.open('opaque', { user: alias, alias: user }, text)).toBeUndefined();
      }),
      propertyRun('seals', 100),
    );
  });

  test('that was changed in any character does not open', async () => {
    const sealer = createSealer([first]);
    const text = await sealer.seal('opaque', scope, 'secret');
    for (let at = 0; at < text.length; at++) {
      // Bits after the last byte have no meaning.
      if (at === text.length - 1) continue;
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect(await sealer.open('opaque', scope, changed)).toBeUndefined();
    }
  });

  test('of an earlier release opens, because chats keep their seals', async () => {
    const text = 'sealed1.BEXV0S_b.PrK759-mp8cNg-9VpJlv6F8z133tFEeaD1ofh71_qDdsaQCwFCTu33Tq41B4O03DgS2Cr0s';
    expect(await createSealer([first]).open('opaque', scope, text)).toEqual({ id: 'rs_1', data: 'Ü' });
  });

  test('of the same value differs each time, and long values fit', async () => {
    const sealer = createSealer([first]);
    expect(await sealer.seal('opaque', scope, 1)).not.toBe(await sealer.seal('opaque', scope, 1));
    const long = 'x'.repeat(500_000);
    expect(await sealer.open('opaque', scope, await sealer.seal('opaque', scope, long))).toBe(long);
  });
});
