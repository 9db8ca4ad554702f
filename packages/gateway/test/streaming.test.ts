import type { Clock, Provider, ProviderEvent } from '@banister/provider';
import { getEventListeners } from 'node:events';
import { createVirtualClock, gate, say, scriptedProvider, settle, stall } from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { gateway, type AnswerReport, type LogEntry } from '../src/index.js';
import { bodyOf, linesOf, options, post, textOf, userText } from './ask.js';

const decoder = new TextDecoder();

/** A gateway on a virtual clock, with everything that its hooks received. */
function watched(provider: Provider, changes: Parameters<typeof options>[0] = {}) {
  const clock = createVirtualClock();
  const reports: AnswerReport[] = [];
  const errors: unknown[] = [];
  const ask = gateway(
    options({
      provider,
      clock,
      onUsage: (report) => void reports.push(report),
      onError: ({ error }) => void errors.push(error),
      ...changes,
    }),
  );
  return { ask, clock, reports, errors };
}

function fail(): never {
  throw new Error('hook');
}

/** Streams pieces of text as fast as they are read. */
function endless(piece = 'x'.repeat(1_000)) {
  const stream = { emitted: 0, closed: false };
  const provider: Provider = {
    id: 'endless',
    model: 'm',
    capabilities: { images: false },
    async *stream(_request, signal) {
      try {
        while (!signal.aborted) {
          stream.emitted++;
          yield { type: 'text', delta: piece };
        }
      } finally {
        stream.closed = true;
      }
    },
  };
  return { provider, stream };
}

describe('an answer', () => {
  test('P12 begins before the model answers, and its headers forbid proxies to buffer or change it', async () => {
    const held = gate();
    const { ask } = watched(scriptedProvider([say([held, 'Hi.'])]));
    const response = await ask(post());
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    const reader = response.body!.getReader();
    expect(decoder.decode((await reader.read()).value)).toBe('\n');
    held.open();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read())
      rest += decoder.decode(read.value);
    expect(rest).toBe('{"type":"text","delta":"Hi."}\n{"type":"finish","reason":"stop"}\n');
  });

  test('P11 sends a keep-alive every 15 seconds while the model thinks, but only one if the client does not read', async () => {
    const { ask, clock } = watched(scriptedProvider([stall()]), {
      policy: { free: true, maxAnswerMs: 100_000 },
    });
    const reader = (await ask(post())).body!.getReader();
    await reader.read();
    for (let i = 0; i < 3; i++) {
      const read = reader.read();
      await clock.advance(15_000);
      expect(decoder.decode((await read).value)).toBe('\n');
    }
    await clock.advance(45_000);
    expect(decoder.decode((await reader.read()).value)).toBe('\n');
    await reader.cancel();
    expect(clock.pending).toBe(0);
  });

  test("P11 that takes longer than the policy permits ends with an error, and the model's connection is closed", async () => {
    const provider = scriptedProvider([stall('Hm')]);
    const { ask, clock, reports } = watched(provider, { policy: { free: true, maxAnswerMs: 5_000 } });
    const lines = linesOf(await ask(post()));
    await clock.advance(5_000);
    expect((await lines).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'timeout', details: { limit: 'maxAnswerMs' } },
    });
    expect(provider.streams[0]?.closed).toBe(true);
    expect(reports).toMatchObject([{ status: 'failed', code: 'timeout', durationMs: 5_000 }]);
    expect(clock.pending).toBe(0);
  });

  test('reports its duration, even if the clock is set meanwhile', async () => {
    const virtual = createVirtualClock();
    let jump = 0;
    const clock: Clock = {
      now: () => virtual.now() + jump,
      monotonic: () => virtual.now(),
      schedule: (callback, ms) => virtual.schedule(callback, ms),
    };
    for (const set of [-3_600_000, 3_600_000]) {
      const held = gate();
      const { ask, reports } = watched(scriptedProvider([say([held, 'Hi.'])]), { clock });
      const text = ask(post()).then((response) => response.text());
      await settle();
      jump += set;
      await virtual.advance(2_000);
      held.open();
      await text;
      expect(reports).toMatchObject([{ durationMs: 2_000 }]);
    }
  });

  test.each(['cancels the body', 'aborts the request'])(
    "P11 whose client %s closes the model's connection at once, and is reported as cut, with an estimate of its tokens",
    async (way) => {
      const provider = scriptedProvider([stall('Once upon a time.')]);
      const { ask, clock, reports } = watched(provider);
      const client = new AbortController();
      const response = await ask(post(bodyOf(), {}, { signal: client.signal }));
      const reader = response.body!.getReader();
      await reader.read();
      await settle();
      if (way === 'aborts the request') client.abort();
      else await reader.cancel();
      await settle();
      expect(provider.streams[0]).toMatchObject({ aborted: true, closed: true });
      expect(reports).toMatchObject([
        { status: 'cut', usage: null, code: null, estimate: { outputTokens: 5 } },
      ]);
      expect(reports[0]?.estimate.inputTokens).toBeGreaterThan(0);
      expect(clock.pending).toBe(0);
    },
  );

  test('is not requested from the model if its client left before', async () => {
    const provider = scriptedProvider([say('Hi.')]);
    const { ask, reports } = watched(provider);
    const response = await ask(post(bodyOf(), {}, { signal: AbortSignal.abort() }));
    expect(await response.text()).toBe('');
    expect(provider.requests).toEqual([]);
    expect(reports.every(({ status }) => status === 'cut')).toBe(true);
  });

  test('P11 to a slow client uses limited memory and delays no other answer; after a minute without a read it is cut', async () => {
    const { provider, stream } = endless();
    const { ask, clock, reports } = watched({ ...provider }, { policy: { free: true, maxAnswerMs: 1e9 } });
    const slow = await ask(post());
    await settle();
    await new Promise(setImmediate);
    const first = stream.emitted;
    // 256 kB wait, plus one piece.
    expect(first).toBeLessThan(300);
    expect(textOf(await linesOf(await gateway(options())(post())))).toBe('Hi there.');
    const reader = slow.body!.getReader();
    const { value } = await reader.read();
    expect(value!.length).toBeGreaterThan(200_000);
    await new Promise(setImmediate);
    expect(stream.emitted).toBeGreaterThan(first);
    expect(stream.emitted).toBeLessThan(2 * first + 2);
    await clock.advance(60_000);
    await new Promise(setImmediate);
    expect(stream.closed).toBe(true);
    expect(reports).toMatchObject([{ status: 'cut' }]);
    // A clean end would wait until the client reads it.
    await expect(reader.read()).rejects.toThrow('did not read');
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['completed', 'finish'],
    ['failed', 'error'],
  ])(
    'P11 that ended as %s and is not read to its end is dropped after a minute, with its connection',
    async (status, last) => {
      const provider: Provider = {
        id: 'brief',
        model: 'm',
        capabilities: { images: false },
        async *stream() {
          if (status === 'failed') throw new Error('down');
          yield { type: 'finish', reason: 'stop' };
        },
      };
      const { ask, clock, reports } = watched(provider);
      const reader = (await ask(post())).body!.getReader();
      await settle();
      expect(reports).toMatchObject([{ status }]);
      await clock.advance(59_999);
      expect(decoder.decode((await reader.read()).value)).toContain(`"type":"${last}"`);
      await clock.advance(1);
      await expect(reader.read()).rejects.toThrow('did not read');
      expect(reports).toHaveLength(1);
      expect(clock.pending).toBe(0);
    },
  );

  test('leaves no timer and no listener after it was read to its end or dropped', async () => {
    const { ask, clock } = watched(scriptedProvider([say('Hi.'), say('Hi.')]));
    const request = post();
    await (await ask(request)).text();
    expect(clock.pending).toBe(0);
    expect(getEventListeners(request.signal, 'abort')).toEqual([]);
    const { body } = await ask(post());
    await settle();
    await body!.cancel();
    expect(clock.pending).toBe(0);
  });

  test('without a `finish` event is reported as incomplete', async () => {
    const cut: Provider = {
      id: 'cut',
      model: 'm',
      capabilities: { images: false },
      async *stream() {
        yield { type: 'text', delta: 'Hal' };
      },
    };
    const { ask, reports } = watched(cut);
    expect((await linesOf(await ask(post()))).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'interrupted' },
    });
    expect(reports).toMatchObject([{ status: 'failed', code: 'interrupted' }]);
  });

  test.each([
    ['a call inside the answer', { type: 'inner-call', tool: 'a.b', argumentsText: '', answer: () => {} }],
    ['an unknown event', { type: 'secret', key: 'sk-0123456789' }],
    ['no object', null],
  ])('with %s ends with an error of the provider', async (_name, event) => {
    const provider: Provider = {
      id: 'odd',
      model: 'm',
      capabilities: { images: false },
      async *stream() {
        yield event as unknown as ProviderEvent;
      },
    };
    const { ask } = watched(provider);
    const text = await (await ask(post())).text();
    expect(text).toContain('"provider-contract"');
    expect(text).not.toContain('sk-');
  });

  test('reports the usage of the model', async () => {
    const usage = { inputTokens: 20, outputTokens: 3 };
    const { ask, reports } = watched(scriptedProvider([say('Hi.', { usage })]));
    expect((await linesOf(await ask(post()))).at(-1)).toEqual({ type: 'usage', usage });
    expect(reports).toMatchObject([{ user: 'u1', model: 'default', status: 'completed', usage, code: null }]);
  });

  test.each([
    ['throw', () => fail()],
    ['return a promise that rejects', async () => fail()],
  ])('is not affected by hooks that %s', async (_way, hook: () => void | Promise<void>) => {
    const { ask, errors } = watched(scriptedProvider([say('Hi.')]), { onUsage: hook, log: hook });
    expect(textOf(await linesOf(await ask(post())))).toBe('Hi.');
    expect(errors.map(String)).toEqual(['Error: hook', 'Error: hook']);
    const unseen = watched(scriptedProvider([say('Hi.')]), {
      log: () => {},
      logContent: hook as () => never,
    });
    expect(textOf(await linesOf(await unseen.ask(post())))).toBe('Hi.');
    expect(unseen.errors.map(String)).toEqual(['Error: hook']);
    const silent = watched(scriptedProvider([]), { onError: hook });
    // The test run fails if a rejection is not handled.
    expect(await (await silent.ask(post())).text()).toContain('provider-contract');
    await new Promise(setImmediate);
  });
});

describe('P17 the log', () => {
  const secret = 'my diagnosis';
  const asked = bodyOf({ messages: [userText(secret)], system: secret });

  test('P17 has no content and no header of a request', async () => {
    const entries: LogEntry[] = [];
    const { ask, reports } = watched(scriptedProvider([say(secret)]), {
      log: (entry) => void entries.push(entry),
    });
    await (await ask(post(asked, { authorization: 'Bearer token-of-user' }))).text();
    await ask(post('{', { 'x-secret': secret }));
    await ask(post(bodyOf({ model: 'other' })));
    expect(entries).toEqual([
      { at: 0, method: 'POST', status: 200, user: 'u1', model: 'default' },
      { at: 0, method: 'POST', status: 400, user: 'u1', code: 'invalid-input' },
      { at: 0, method: 'POST', status: 404, user: 'u1', code: 'model' },
    ]);
    expect(JSON.stringify([entries, reports])).not.toMatch(/diagnosis|token-of-user/);
  });

  test('P17 has the part of a request that `logContent` returns', async () => {
    const entries: LogEntry[] = [];
    const { ask } = watched(scriptedProvider([say(secret)]), {
      log: (entry) => void entries.push(entry),
      logContent: ({ messages, tools }) => ({ messages: messages.length, tools: tools.length }),
    });
    await (await ask(post(asked))).text();
    expect(entries).toMatchObject([{ content: { messages: 1, tools: 0 } }]);
  });
});
