import type { Message, ProviderEvent, ProviderRequest } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { gate } from './gate.js';
import { callInside, cut, deaf, fail, failAfter, finishWith, say, stall } from './scripted-answer.js';
import { scriptedProvider, type ScriptedProvider } from './scripted-provider.js';
import { settle } from './settle.js';

const user: Message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const request: ProviderRequest = { system: '', messages: [user], tools: [], idempotencyKey: 'k' };

function start(provider: ScriptedProvider, asked: ProviderRequest = request) {
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  const read = async () => {
    for await (const event of provider.stream(asked, controller.signal)) events.push(event);
  };
  const done = read();
  done.catch(() => {});
  return { controller, events, done };
}

const textOf = (events: readonly ProviderEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('');

describe('calls inside an answer', () => {
  const inside = [
    'One. ',
    callInside({ tool: 'board.add', args: { n: 1 } }, { tool: 'board.add', args: { n: 2 } }),
    'Two.',
  ] as const;
  const ok = { outcome: 'success', content: [] } as const;

  test('are made at once; the answer continues when each call has its result', async () => {
    const provider = scriptedProvider([finishWith('stop', ...inside)]);
    const { events, done } = start(provider);
    await settle();
    const calls = events.filter((event) => event.type === 'inner-call');
    expect(calls.map(({ argumentsText }) => argumentsText)).toEqual(['{"n":1}', '{"n":2}']);
    calls[1]!.answer(ok);
    await settle();
    expect(textOf(events)).toBe('One. ');
    calls[0]!.answer({ ...ok, outcome: 'stop' });
    await done;
    expect(textOf(events)).toBe('One. Two.');
    expect(provider.streams[0]!.results.map(({ outcome }) => outcome)).toEqual(['success', 'stop']);
  });

  test('stop waiting when the signal aborts', async () => {
    const provider = scriptedProvider([finishWith('stop', ...inside)]);
    const { controller, done } = start(provider);
    await settle();
    controller.abort();
    await expect(done).rejects.toMatchObject({ code: 'cancelled' });
    expect(provider.streams[0]!.closed).toBe(true);
  });

  test('come before the calls at the end of the answer', () => {
    expect(() => finishWith('stop', { tool: 'board.add' }, callInside({ tool: 'board.add' }))).toThrow(
      'calls inside an answer come before',
    );
  });
});

describe('a scripted provider', () => {
  test('AK-K2 gives the n-th request the n-th answer', async () => {
    const provider = scriptedProvider(['one', say('two')]);
    const [first, second] = [start(provider), start(provider)];
    await Promise.all([first.done, second.done]);
    expect([textOf(first.events), textOf(second.events)]).toEqual(['one', 'two']);
    expect(provider.requests).toEqual([request, request]);
    expect(provider.remaining).toBe(0);
    provider.check();
  });

  test('answers as a function of the request and its number', async () => {
    const provider = scriptedProvider([], {
      otherwise: ({ messages }, number) => `${number}: ${messages.length}`,
    });
    const [first, second] = [start(provider), start(provider)];
    await Promise.all([first.done, second.done]);
    expect([textOf(first.events), textOf(second.events)]).toEqual(['0: 1', '1: 1']);
  });

  test('accepts more answers later', async () => {
    const provider = scriptedProvider([]);
    provider.push('late');
    const { events, done } = start(provider);
    await done;
    expect(textOf(events)).toBe('late');
  });

  test('fails a request for which there is no answer, and remembers it', async () => {
    const provider = scriptedProvider([]);
    await expect(start(provider).done).rejects.toMatchObject({ code: 'provider-contract' });
    expect(provider.faults).toEqual(['request 0: no answer is scripted for it']);
    expect(() => provider.check()).toThrow('no answer is scripted');
  });

  test('complains about unused answers', () => {
    expect(() => scriptedProvider(['unused']).check()).toThrow('1 scripted answers were never asked for');
  });

  test('declares the given capabilities', () => {
    const plain = scriptedProvider([]);
    expect(plain).toMatchObject({ id: 'scripted', model: 'scripted-1', capabilities: { images: true } });
    expect(plain.validateTools).toBeUndefined();
    const warnings = [{ tool: 'a.b', message: 'Strange.' }];
    const options = { id: 'x', model: 'y', images: false, contextWindow: 9, schemaWarnings: warnings };
    const other = scriptedProvider([], options);
    expect(other).toMatchObject({ id: 'x', model: 'y', capabilities: { images: false, contextWindow: 9 } });
    expect(other.validateTools?.([])).toBe(warnings);
  });
});

describe('its requests', () => {
  const assistant: Message = { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] };

  test.each<[string, readonly Message[], string]>([
    ['no messages', [], 'there are no messages'],
    ['an assistant message at the end', [user, assistant], 'the last message must be from the user'],
    ['a history that no API accepts', [assistant, user], 'the first message must be from the user'],
  ])('with %s fail, and are remembered', async (_name, messages, problem) => {
    const provider = scriptedProvider(['unheard']);
    const { done } = start(provider, { ...request, messages });
    await expect(done).rejects.toThrow(problem);
    await expect(done).rejects.toMatchObject({ code: 'provider-contract' });
    expect(() => provider.check()).toThrow(problem);
    expect(provider.remaining).toBe(1);
  });

  test('AK-K3 are not checked if validation is switched off', async () => {
    const provider = scriptedProvider(['heard'], { validate: false });
    const { events, done } = start(provider, { ...request, messages: [] });
    await done;
    expect(textOf(events)).toBe('heard');
  });
});

describe('its streams', () => {
  test('wait at gates', async () => {
    const more = gate();
    const { events, done } = start(scriptedProvider([say(['Hel', more, 'lo'])]));
    await more.reached;
    expect(textOf(events)).toBe('Hel');
    more.open();
    await done;
    expect(textOf(events)).toBe('Hello');
  });

  test('AK-K3 fail before or after events', async () => {
    const provider = scriptedProvider([fail('auth'), failAfter(['Hel'], new Error('Gone.'))]);
    await expect(start(provider).done).rejects.toMatchObject({ code: 'auth' });
    const { events, done } = start(provider);
    await expect(done).rejects.toThrow('Gone.');
    expect(textOf(events)).toBe('Hel');
  });

  test('end without finish when cut', async () => {
    const { events, done } = start(scriptedProvider([cut('Hel')]));
    await done;
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }]);
  });

  test('end at an abort if they stall', async () => {
    const provider = scriptedProvider([stall('Hel')]);
    const { controller, done } = start(provider);
    await settle();
    expect(provider.streams[0]).toMatchObject({ emitted: 1, aborted: false, closed: false });
    controller.abort();
    await expect(done).rejects.toMatchObject({ code: 'cancelled' });
    expect(provider.streams[0]).toMatchObject({ aborted: true, closed: true });
  });

  test('emit nothing after an abort, even if the gate opens', async () => {
    const more = gate();
    const { controller, events, done } = start(scriptedProvider([say(['Hel', more, 'lo'])]));
    await more.reached;
    controller.abort();
    more.open();
    await expect(done).rejects.toMatchObject({ code: 'cancelled' });
    expect(textOf(events)).toBe('Hel');
  });

  test('continue after an abort, or hang forever, if they are `deaf`', async () => {
    const more = gate();
    const provider = scriptedProvider([deaf(say(['Hel', more, 'lo'])), deaf(stall())]);
    const [talking, hanging] = [start(provider), start(provider)];
    await more.reached;
    talking.controller.abort();
    hanging.controller.abort();
    await settle();
    expect(provider.streams.map(({ aborted, closed }) => [aborted, closed])).toEqual([
      [true, false],
      [true, false],
    ]);
    more.open();
    await talking.done;
    expect(textOf(talking.events)).toBe('Hello');
    expect(provider.streams.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test('are closed when their reader leaves', async () => {
    const provider = scriptedProvider([say(['Hel', 'lo'])]);
    for await (const _ of provider.stream(request, new AbortController().signal)) break;
    expect(provider.streams[0]).toMatchObject({ emitted: 1, aborted: false, closed: true });
  });

  test('are closed when they end', async () => {
    const provider = scriptedProvider(['Hello']);
    await start(provider).done;
    expect(provider.streams[0]).toMatchObject({ emitted: 2, closed: true });
  });

  test('reject cancelled if their signal was aborted before the request', async () => {
    const provider = scriptedProvider(['Hello']);
    const stream = provider.stream(request, AbortSignal.abort());
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('leave no listener on their signal', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    const more = gate();
    const provider = scriptedProvider([say(['Hel', more, 'lo'])]);
    const read = (async () => {
      for await (const _ of provider.stream(request, signal));
    })();
    await more.reached;
    expect(listeners).toBe(1);
    more.open();
    await read;
    expect(listeners).toBe(0);
  });
});
