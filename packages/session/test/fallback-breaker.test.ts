// The breaker and the rate limit belong to the wrapper, and are shared by its sessions.
import { describe, expect, it, vi } from 'vitest';
import {
  createVirtualClock,
  cut,
  deaf,
  fail,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  createAgentSession,
  type AgentSessionError,
  type LocalAgentSession,
  type Operation,
  type Provider,
} from '@banister/session';
import {
  withFallback,
  type FallbackOptions,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import { rejection } from './fixture.js';

const request: ProviderRequest = {
  system: '',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
  tools: [],
  idempotencyKey: 'k',
};
const never = new AbortController().signal;

async function read(provider: Provider, signal = never): Promise<string> {
  let text = '';
  for await (const event of provider.stream(request, signal))
    text += event.type === 'text' ? event.delta : '';
  return text;
}

/** A fallback of two providers, the second of which always answers; its clock is virtual. */
function stage(first: readonly AnswerSource[], options: FallbackOptions = {}) {
  const clock = createVirtualClock(1_000);
  const provider = withFallback(
    [
      scriptedProvider(first, { id: 'first', model: 'first-1' }),
      scriptedProvider([], { id: 'second', model: 'second-1', otherwise: say('Second.') }),
    ],
    { clock, ...options },
  );
  return { clock, provider, first: () => provider.fallback?.first().place };
}

const times = (count: number, answer: AnswerSource) => Array.from({ length: count }, () => answer);

describe('the breaker', () => {
  it('SA-24 pauses a provider after five failures in a row, for a minute', async () => {
    const { provider, clock, first } = stage([...times(5, fail('server')), say('First.')]);
    for (let failed = 0; failed < 4; failed++) expect(await read(provider)).toBe('Second.');
    expect(first()).toBe(0);
    expect(await read(provider)).toBe('Second.');
    expect(first()).toBe(1);
    await clock.advance(59_999);
    expect(first()).toBe(1);
    await clock.advance(1);
    expect(first()).toBe(0);
    expect(await read(provider)).toBe('First.');
  });

  it('counts only failures in a row', async () => {
    const { provider, first } = stage(
      [fail('server'), say('First.'), fail('server'), fail('server'), say('First.')],
      { breaker: { failures: 2 } },
    );
    await read(provider);
    expect(await read(provider)).toBe('First.');
    await read(provider);
    expect(first()).toBe(0);
    await read(provider);
    expect(first()).toBe(1);
  });

  it('counts only failures of the provider, not of the request', async () => {
    const { provider, first } = stage([fail('refused'), fail('invalid-configuration'), fail('server')], {
      breaker: { failures: 2 },
    });
    for (let failed = 0; failed < 2; failed++) await rejection(read(provider));
    await read(provider);
    expect(first()).toBe(0);
  });

  it('counts a stream that ends without a finish, and a stream that breaks after visible text', async () => {
    const { provider, first } = stage([cut(), cut('Half')], { breaker: { failures: 2 } });
    expect(await read(provider)).toBe('Second.');
    expect(await read(provider)).toBe('Half');
    expect(first()).toBe(1);
  });

  it('counts an adapter that throws an error of another kind', async () => {
    const broken: Provider = {
      ...scriptedProvider([]),
      stream: () => {
        throw new TypeError('No.');
      },
    };
    const onTrip = vi.fn();
    const provider = withFallback([broken], { breaker: { failures: 1 }, onTrip });
    expect(await rejection(read(provider))).toMatchObject({ code: 'provider-contract' });
    expect(onTrip).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'provider-contract' }));
  });

  it('during a trial, lets the next request pass when the reader of the previous request has left', async () => {
    const { provider, clock, first } = stage([fail('server'), say(['One', 'Two']), say('First.')], {
      breaker: { failures: 1 },
    });
    await read(provider);
    await clock.advance(60_000);
    for await (const event of provider.stream(request, never)) if (event.type === 'text') break;
    expect(first()).toBe(0);
    expect(await read(provider)).toBe('First.');
  });

  it.each(['open', 'deaf'])('does not count an abandoned request: %s', async (kind) => {
    const answer = kind === 'deaf' ? deaf(stall()) : stall();
    const { provider, clock, first } = stage([fail('server'), answer, say('First.')], {
      breaker: { failures: 1 },
    });
    await read(provider);
    await clock.advance(60_000);
    const given = new AbortController();
    const reading = read(provider, given.signal).catch(() => {});
    await settle();
    // One trial at a time.
    expect(first()).toBe(1);
    given.abort();
    await settle();
    expect(first()).toBe(0);
    if (kind === 'open') await reading;
  });

  it('begins no trial and sends nothing if the signal fires in the same tick as the request', async () => {
    const clock = createVirtualClock(1_000);
    let sent = 0;
    const breaks: Provider = {
      id: 'first',
      model: 'first-1',
      capabilities: { images: false },
      stream: () => {
        sent++;
        throw new Error('broken');
      },
    };
    const second = scriptedProvider([say('Second.')]);
    const provider = withFallback([breaks, second], { clock, breaker: { failures: 1 } });
    await read(provider);
    await clock.advance(60_000);
    const [member] = provider.fallback!.members as [Provider];
    expect(await rejection(read(member, AbortSignal.abort()))).toMatchObject({ code: 'cancelled' });
    expect(sent).toBe(1);
    expect(provider.fallback!.first().place).toBe(0);
  });

  it('SA-24 after the pause, complete answers close the breaker, and a failure opens it again', async () => {
    const first = [fail('server'), say('1'), fail('server'), say('2'), say('3'), fail('server')];
    const { provider, clock, first: place } = stage(first, { breaker: { failures: 1 } });
    await read(provider);
    await clock.advance(60_000);
    expect(await read(provider)).toBe('1');
    expect(await read(provider)).toBe('Second.');
    expect(place()).toBe(1);
    await clock.advance(60_000);
    expect(await read(provider)).toBe('2');
    expect(await read(provider)).toBe('3');
    expect(provider.fallback?.first()).toEqual({ place: 0, because: null });
    await read(provider);
    expect(place()).toBe(1);
  });

  it('a closed breaker counts from the beginning', async () => {
    const first = [fail('server'), fail('server'), say('1'), say('2'), fail('server'), fail('server')];
    const { provider, clock, first: place } = stage(first, { breaker: { failures: 2 } });
    for (let failed = 0; failed < 2; failed++) await read(provider);
    expect(place()).toBe(1);
    await clock.advance(60_000);
    for (const text of ['1', '2']) expect(await read(provider)).toBe(text);
    await read(provider);
    expect(place()).toBe(0);
    await read(provider);
    expect(place()).toBe(1);
  });

  it('calls `onTrip` at each pause, and ignores its errors', async () => {
    const onTrip = vi.fn(() => {
      throw new Error('No.');
    });
    const { provider } = stage([fail('auth')], { breaker: { failures: 1, pauseMs: 5 }, onTrip });
    expect(await read(provider)).toBe('Second.');
    expect(onTrip).toHaveBeenCalledExactlyOnceWith({
      provider: { provider: 'first', model: 'first-1' },
      pauseMs: 5,
      code: 'auth',
      message: expect.any(String),
    });
  });

  it('never pauses a provider if the breaker is off', async () => {
    const { provider, first } = stage(times(9, fail('server')), { breaker: false });
    for (let failed = 0; failed < 9; failed++) await read(provider);
    expect(first()).toBe(0);
  });

  it('if all providers are paused, sends a request to the provider whose pause ends first', async () => {
    const clock = createVirtualClock(1_000);
    const down = () => scriptedProvider([], { otherwise: fail('server') });
    const provider = withFallback([down(), down()], { clock, breaker: { failures: 1 } });
    await rejection(read(provider));
    expect(provider.fallback?.first()).toMatchObject({ place: 0, because: null });
    await clock.advance(30_000);
    const members = provider.fallback!.members;
    await rejection(read(members[0]!));
    expect(provider.fallback?.first()).toMatchObject({ place: 1, because: { code: 'server' } });
  });

  it('is shared by sessions, whose turns begin with the next provider', async () => {
    const { provider, clock } = stage([fail('auth')], { breaker: { failures: 1 } });
    const operations: Operation[] = [];
    const sessions = [0, 1].map(() => createAgentSession({ provider, ports: { clock } }));
    sessions[1]!.operations$.subscribe((operation) => operations.push(operation));
    for (const session of sessions) expect((await session.send('Go')).text).toBe('Second.');
    const calls = operations.filter(({ type }) => type === 'providerSwitched' || type === 'modelCallStarted');
    expect(calls).toMatchObject([
      { type: 'providerSwitched', attempt: 1, member: 1, code: 'auth', reason: expect.any(String) },
      { type: 'modelCallStarted', attempt: 1, model: 'second-1' },
    ]);
    for (const session of sessions) await session.dispose();
    expect(clock.pending).toBe(0);
  });
});

describe('the rate limit', () => {
  const limited = (options: FallbackOptions = {}) => {
    const clock = createVirtualClock(1_000);
    const scripted = scriptedProvider([], { otherwise: say('First.') });
    const provider = withFallback([scripted], {
      clock,
      rateLimit: { requests: 2, perMs: 1_000 },
      ...options,
    });
    return { clock, provider, scripted };
  };
  const sessionOf = (provider: Provider, clock: ReturnType<typeof createVirtualClock>, more: object = {}) =>
    createAgentSession({ provider, ports: { clock }, ...more });
  const start = (session: LocalAgentSession) => {
    const turn = session.send('Go').then(
      ({ status }) => status,
      (error: AgentSessionError) => error.code,
    );
    return turn;
  };

  it('lets the sessions that share a fallback wait in order of arrival', async () => {
    const { clock, provider, scripted } = limited();
    const sessions = [1, 2, 3, 4].map(() => sessionOf(provider, clock));
    const ends: number[] = [];
    const turns = sessions.map(async (session, place) => {
      await session.send('Go');
      ends.push(place);
    });
    await clock.advance(499);
    expect(scripted.requests).toHaveLength(2);
    await clock.advance(1);
    expect(scripted.requests).toHaveLength(3);
    await clock.advance(499);
    expect(scripted.requests).toHaveLength(3);
    await clock.advance(1);
    await Promise.all(turns);
    expect(ends).toEqual([0, 1, 2, 3]);
    for (const session of sessions) await session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('SA-25 is filled up to its size, and no further', async () => {
    const { clock, provider, scripted } = limited();
    await clock.advance(60_000);
    const reading = [1, 2, 3].map(() => read(provider));
    await clock.advance(0);
    expect(scripted.requests).toHaveLength(2);
    await clock.advance(500);
    expect(scripted.requests).toHaveLength(3);
    await Promise.all(reading);
  });

  it('delays the model call in the phase before it: `preparing`, or `retrying` after a failure', async () => {
    const clock = createVirtualClock(1_000);
    const answers = [say('One.'), fail('overloaded'), say('Two.')];
    const scripted = scriptedProvider(answers);
    const provider = withFallback([scripted], { clock, rateLimit: { requests: 1, perMs: 10_000 } });
    const session = createAgentSession({ provider, ports: { clock, random: () => 0.5 } });
    await session.send('Go');
    const turn = session.send('Go');
    await clock.advance(9_999);
    expect([session.phase.value, scripted.requests.length]).toEqual(['preparing', 1]);
    await clock.advance(1 + 500 + 9_499);
    expect([session.phase.value, scripted.requests.length]).toEqual(['retrying', 2]);
    await clock.advance(1);
    expect((await turn).text).toBe('Two.');
    expect(scripted.requests).toHaveLength(3);
    await session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('does not get longer if a clock without monotonic time is set back', async () => {
    const clock = createVirtualClock(10_000_000);
    let back = 0;
    const changed = { now: () => clock.now() - back, schedule: clock.schedule };
    const scripted = scriptedProvider([], { otherwise: say('x') });
    const provider = withFallback([scripted], { clock: changed, rateLimit: { requests: 1, perMs: 1_000 } });
    await read(provider);
    back = 3_600_000;
    const last = read(provider);
    await clock.advance(1_000);
    await last;
    expect(scripted.requests).toHaveLength(2);
  });

  it('OP-53 applies per minute by default, and a list has one limit for each provider', async () => {
    const clock = createVirtualClock(1_000);
    const all = [1, 2].map(() => scriptedProvider([], { otherwise: say('x') }));
    const { members } = withFallback(all, { clock, rateLimit: [null, { requests: 1 }] }).fallback!;
    for (let count = 0; count < 5; count++) await read(members[0]!);
    await read(members[1]!);
    const last = read(members[1]!);
    await clock.advance(59_999);
    expect(all[1]!.requests).toHaveLength(1);
    await clock.advance(1);
    await last;
    expect(all[1]!.requests).toHaveLength(2);
  });

  it.each(['cancel', 'dispose', 'time limit', 'time limit that stops the turn'])(
    'frees the timer and the place of an abandoned request that waited: %s',
    async (by) => {
      const { clock, provider, scripted } = limited();
      for (let count = 0; count < 2; count++) await read(provider);
      const limits = by.startsWith('time')
        ? { timeoutMs: 100, onTrip: by === 'time limit' ? 'fail' : 'stop' }
        : {};
      const waiting = sessionOf(provider, clock, { limits });
      const behind = sessionOf(provider, clock);
      const turns = [start(waiting), start(behind)];
      await clock.advance(100);
      if (by === 'cancel') await waiting.cancel();
      if (by === 'dispose') await waiting.dispose();
      await clock.advance(400);
      const expected =
        { cancel: 'cancelled', dispose: 'cancelled', 'time limit': 'timeout' }[by] ?? 'stopped';
      expect(await Promise.all(turns)).toEqual([expected, 'completed']);
      expect(scripted.requests).toHaveLength(3);
      await Promise.all([waiting.dispose(), behind.dispose()]);
      expect(clock.pending).toBe(0);
    },
  );

  it('leaves no timer when the only waiting request is abandoned', async () => {
    const { clock, provider } = limited();
    for (let count = 0; count < 2; count++) await read(provider);
    const aborter = new AbortController();
    const waiting = rejection(read(provider, aborter.signal));
    await settle();
    expect(clock.pending).toBe(1);
    aborter.abort();
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    expect(clock.pending).toBe(0);
  });

  it('a waiting request keeps its place when the signal of an earlier request fires', async () => {
    const { clock, provider, scripted } = limited({ rateLimit: { requests: 1, perMs: 1_000 } });
    const sent = new AbortController();
    await read(provider, sent.signal);
    const waiting = read(provider);
    await settle();
    sent.abort();
    await clock.advance(1_000);
    expect(scripted.requests).toHaveLength(2);
    expect(await waiting).toBe('First.');
  });

  it('sends nothing if the signal has fired, and gives its place to other requests', async () => {
    const { provider, scripted } = limited();
    expect(await rejection(read(provider, AbortSignal.abort()))).toMatchObject({ code: 'cancelled' });
    expect(scripted.requests).toEqual([]);
    for (let count = 0; count < 2; count++) await read(provider);
    expect(scripted.requests).toHaveLength(2);
  });
});

describe('a fallback without a session', () => {
  it('streams the answer of the next provider, unless output was visible', async () => {
    const { provider } = stage([fail('server'), cut('Half'), fail('refused')]);
    expect(await read(provider)).toBe('Second.');
    const events: ProviderEvent[] = [];
    const reading = (async () => {
      for await (const event of provider.stream(request, never)) events.push(event);
    })();
    await reading.catch(() => {});
    expect(events).toEqual([{ type: 'text', delta: 'Half' }]);
    expect(await rejection(read(provider))).toMatchObject({ code: 'refused' });
  });

  it('returns the warnings of all providers about tools, each with its model', async () => {
    const warning = { tool: 'a.b', message: 'No.' };
    const scripted = (id: string) => scriptedProvider([], { id, model: 'm', schemaWarnings: [warning] });
    const provider = withFallback([scripted('first'), scripted('second')]);
    expect(await provider.validateTools?.([])).toEqual([
      { tool: 'a.b', message: 'first m: No.' },
      { tool: 'a.b', message: 'second m: No.' },
    ]);
  });

  it('has the id and the model of the first provider', () => {
    expect(stage([]).provider).toMatchObject({ id: 'first', model: 'first-1' });
  });
});

describe('options of a fallback', () => {
  const one = scriptedProvider([]);
  it.each<[string, readonly unknown[], object]>([
    ['no provider', [], {}],
    ['a provider without a stream', [{ id: 'a', model: 'b' }], {}],
    ['a fallback in a fallback', [withFallback([one])], {}],
    ['an unknown option', [one], { breakers: false }],
    ['a breaker without failures', [one], { breaker: { failures: 0 } }],
    ['half a failure', [one], { breaker: { failures: 1.5 } }],
    ['a pause of no time', [one], { breaker: { pauseMs: 0 } }],
    ['no success', [one], { breaker: { successes: 0 } }],
    ['a breaker that is switched on by true', [one], { breaker: true }],
    ['no request', [one], { rateLimit: { requests: 0 } }],
    ['an endless span', [one], { rateLimit: { requests: 1, perMs: Infinity } }],
    ['a limit for another provider', [one], { rateLimit: [null, null] }],
    ['a callback that is none', [one], { onTrip: 'x' }],
    ['codes that are no texts', [one], { switchOn: [1] }],
  ])('are refused: %s', (_name, providers, options) => {
    expect(() => withFallback(providers as readonly Provider[], options)).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
  });
});
