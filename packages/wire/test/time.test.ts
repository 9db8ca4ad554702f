import { createVirtualClock, type VirtualClock } from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { startByteServer, type ByteServer, type Script } from '../../../test/kit/byte-server.js';
import { createWire, type AnswerLimits } from '../src/index.js';

// These tests use real sockets and a clock that only the test moves.

const format = { endMark: '[DONE]', hasEnd: (events: string) => events.includes('data: [DONE]') };
const limits = { firstEventTimeoutMs: 1_000, idleTimeoutMs: 200, answerTimeoutMs: 5_000 };

interface Asked extends AsyncDisposable {
  readonly server: ByteServer;
  readonly clock: VirtualClock;
  readonly abort: AbortController;
  /** The reader of the answer's body. */
  readonly body: ReadableStreamDefaultReader<Uint8Array>;
}

async function ask(script: Script, given: AnswerLimits = limits): Promise<Asked> {
  const server = await startByteServer(script);
  const clock = createVirtualClock();
  const abort = new AbortController();
  const wire = createWire({ model: 'm', limits: given }, format, clock);
  const response = await wire.fetch(server.url, { method: 'POST', body: '{}', signal: abort.signal });
  return {
    server,
    clock,
    abort,
    body: response.body!.getReader(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const event = 'data: {}\n\n';
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

describe('silence', () => {
  test('W10 no answer at all is a network error that can be retried, and closes the connection', async () => {
    const clock = createVirtualClock();
    let signal: AbortSignal | undefined;
    const deaf: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        signal = init?.signal ?? undefined;
        signal?.addEventListener('abort', () => reject(new Error('whatever a fetch says')));
      });
    const asking = createWire({ model: 'm', limits, fetch: deaf }, format, clock).fetch(
      'http://test.invalid',
    );
    const failed = expect(asking).rejects.toMatchObject({
      code: 'network',
      retry: 'now',
      message: 'The server did not answer within a second.',
      details: { limit: 'firstEventTimeoutMs', afterMs: 1_000 },
    });
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    await failed;
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('W10 nothing after the headers is an interruption', async () => {
    await using asked = await ask({ body: '', end: 'never' });
    const reading = expect(asked.body.read()).rejects.toMatchObject({
      code: 'interrupted',
      retry: 'now',
      details: { limit: 'firstEventTimeoutMs' },
    });
    await asked.clock.advance(1_000);
    await reading;
    expect(await asked.server.arrivals[0]!.closed).toBe(true);
    expect(asked.clock.pending).toBe(0);
  });

  test('W10 a stall in the middle is an interruption, after the event before it was passed on', async () => {
    await using asked = await ask({ body: `${event}data: {"half`, end: 'never' });
    expect(text((await asked.body.read()).value)).toBe(event);
    const reading = expect(asked.body.read()).rejects.toMatchObject({
      code: 'interrupted',
      details: { limit: 'idleTimeoutMs', afterMs: 200 },
    });
    await asked.clock.advance(200);
    await reading;
    expect(await asked.server.arrivals[0]!.closed).toBe(true);
    expect(asked.clock.pending).toBe(0);
  });

  test('W3 comments end a silence', async () => {
    const { push, body } = pushed();
    const { clock, reader } = await askPushed(body);
    push(event);
    await reader.read();
    let isOver = false;
    const reading = reader.read().finally(() => (isOver = true));
    for (let count = 0; count < 5; count++) {
      await clock.advance(150);
      push(': ping\n');
      await clock.advance(0);
      expect(isOver).toBe(false);
    }
    push(`\n${event}`);
    expect(text((await reading).value)).toContain(event);
  });

  test('W20 time in which the answer is not read does not count', async () => {
    await using asked = await ask({ body: event + event, end: 'never' });
    await asked.body.read();
    await asked.clock.advance(4_000);
    const reading = expect(asked.body.read()).rejects.toMatchObject({ details: { limit: 'idleTimeoutMs' } });
    await asked.clock.advance(199);
    expect(asked.server.openConnections()).toBe(1);
    await asked.clock.advance(300);
    await reading;
  });

  test('`Infinity` waits forever', async () => {
    const off = { firstEventTimeoutMs: Infinity, idleTimeoutMs: Infinity, answerTimeoutMs: Infinity };
    await using asked = await ask({ body: event, end: 'never' }, off);
    await asked.body.read();
    void asked.body.read().catch(() => {});
    expect(asked.clock.pending).toBe(0);
    await asked.clock.advance(1e12);
    expect(asked.server.openConnections()).toBe(1);
  });
});

describe('W11 an answer without end', () => {
  test('is interrupted at its deadline, regardless of pings', async () => {
    const { push, body } = pushed();
    const { clock, reader } = await askPushed(body);
    const reading = expect(readAll(reader)).rejects.toMatchObject({
      code: 'interrupted',
      retry: 'now',
      message: 'The answer was not complete after 5 seconds.',
      details: { limit: 'answerTimeoutMs' },
    });
    for (let count = 0; count < 50; count++) {
      push(': ping\n\n');
      await clock.advance(100);
    }
    await reading;
    expect(clock.pending).toBe(0);
  });

  test('is also interrupted for a reader that starts late', async () => {
    const { push, body } = pushed();
    const { clock, reader } = await askPushed(body);
    push(event);
    await reader.read();
    await clock.advance(5_000);
    await expect(reader.read()).rejects.toMatchObject({ details: { limit: 'answerTimeoutMs' } });
  });
});

describe('W21 a machine that slept', () => {
  /** A clock that, like the clock of a real machine, goes on while the timers sleep. */
  function createSleepyClock() {
    const timers: { callback: () => void; ms: number }[] = [];
    let now = 0;
    return {
      now: () => now,
      schedule(callback: () => void, ms: number) {
        const timer = { callback, ms };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
      timers,
      wakeAfter(ms: number) {
        now += ms;
        timers.pop()?.callback();
      },
    };
  }

  test('bytes that arrived during the sleep are read before a silence ends the answer', async () => {
    const { push, body } = pushed();
    const clock = createSleepyClock();
    const fetch = () => Promise.resolve(new Response(body));
    const wire = createWire({ model: 'm', limits, fetch }, format, clock);
    const reader = (await wire.fetch('http://test.invalid')).body!.getReader();
    const first = reader.read();
    clock.wakeAfter(600_000);
    push(event);
    expect(text((await first).value)).toBe(event);
  });

  test('a connection that stays silent is interrupted', async () => {
    const { body } = pushed();
    const clock = createSleepyClock();
    const fetch = () => Promise.resolve(new Response(body));
    const wire = createWire({ model: 'm', limits, fetch }, format, clock);
    const reader = (await wire.fetch('http://test.invalid')).body!.getReader();
    const reading = expect(reader.read()).rejects.toMatchObject({ code: 'interrupted' });
    clock.wakeAfter(600_000);
    expect(clock.timers.map(({ ms }) => ms)).toEqual([2_000]);
    clock.wakeAfter(2_000);
    await reading;
    expect(clock.timers).toEqual([]);
  });
});

describe('no timer is left', () => {
  test('when the answer ends', async () => {
    await using asked = await ask({ body: event + 'data: [DONE]\n\n' });
    await readAll(asked.body);
    expect(asked.clock.pending).toBe(0);
  });

  test('when the answer ends and the server keeps the connection', async () => {
    await using asked = await ask({ body: event + 'data: [DONE]\n\n', end: 'never' });
    await readAll(asked.body);
    expect(asked.clock.pending).toBe(0);
  });

  test('when the connection breaks', async () => {
    await using asked = await ask({ body: event, end: 'reset', delayMs: 20 });
    await expect(readAll(asked.body)).rejects.toThrow();
    expect(asked.clock.pending).toBe(0);
  });

  test('when it is cancelled in the middle of a read, before one, and before the headers', async () => {
    await using reading = await ask({ body: event, end: 'never' });
    await reading.body.read();
    const read = expect(reading.body.read()).rejects.toMatchObject({ name: 'AbortError' });
    reading.abort.abort();
    await read;
    expect(reading.clock.pending).toBe(0);

    await using idle = await ask({ body: event, end: 'never' });
    idle.abort.abort();
    expect(idle.clock.pending).toBe(0);
    expect(await idle.server.arrivals[0]!.closed).toBe(true);

    const clock = createVirtualClock();
    const abort = new AbortController();
    const hanging: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('gone'))),
      );
    const { fetch } = createWire({ model: 'm', fetch: hanging }, format, clock);
    const asking = expect(fetch('http://test.invalid', { signal: abort.signal })).rejects.toThrow('gone');
    abort.abort();
    await asking;
    expect(clock.pending).toBe(0);
  });

  test('when the reader leaves', async () => {
    await using asked = await ask({ body: event, end: 'never' });
    await asked.body.read();
    await asked.body.cancel();
    expect(asked.clock.pending).toBe(0);
    expect(await asked.server.arrivals[0]!.closed).toBe(true);
  });

  test('when the server refuses, or the connection cannot be made', async () => {
    const clock = createVirtualClock();
    await using server = await startByteServer({ body: '{}', status: 500 });
    const { fetch } = createWire({ model: 'm' }, format, clock);
    expect((await fetch(server.url, { method: 'POST', body: '{}' })).status).toBe(500);
    await expect(fetch('http://127.0.0.1:9')).rejects.toThrow();
    expect(clock.pending).toBe(0);
  });

  test('and no listener is left on a long-lived signal', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await using server = await startByteServer({ body: event + 'data: [DONE]\n\n' });
    const { fetch } = createWire({ model: 'm' }, format, createVirtualClock());
    const response = await fetch(server.url, { method: 'POST', body: '{}', signal });
    await response.text();
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove.mock.calls.some(([, listener]) => listener === add.mock.calls[0]![1])).toBe(true);
  });
});

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let all = '';
  for (let one = await reader.read(); !one.done; one = await reader.read()) all += text(one.value);
  return all;
}

/** A body whose bytes the test sends. */
function pushed() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  return { body, push: (bytes: string) => controller.enqueue(new TextEncoder().encode(bytes)) };
}

async function askPushed(body: ReadableStream<Uint8Array>) {
  const clock = createVirtualClock();
  const fetch = () => Promise.resolve(new Response(body));
  const wire = createWire({ model: 'm', limits, fetch }, format, clock);
  return { clock, reader: (await wire.fetch('http://test.invalid')).body!.getReader() };
}
