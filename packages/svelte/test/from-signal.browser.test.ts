import { scriptedProvider } from '@banister/testing';
import { flushSync, mount, tick, unmount } from 'svelte';
import { describe, expect, test } from 'vitest';
import { createAgentSession, fromSession, fromSignal } from '../src/index.js';
import { computed, signal } from '@banister/session/signals';
import ErrorBoundary from './ErrorBoundary.svelte';
import { keptInState } from './kept-in-state.svelte.js';
import { runEffect } from './run-effect.svelte.js';

/** A signal that counts its subscriptions. */
function watchedSignal<T>(initial: T) {
  const source = signal(initial);
  let listeners = 0;
  let subscriptions = 0;
  const watched = computed(() => source.value, {
    watched: () => {
      listeners++;
      subscriptions++;
    },
    unwatched: () => listeners--,
  });
  return { source, signal: watched, listeners: () => listeners, subscriptions: () => subscriptions };
}

describe('fromSignal', () => {
  test('is the current value if no reader is tracked, and follows nothing', () => {
    const { source, signal, subscriptions } = watchedSignal('one');
    const value = fromSignal(signal);
    expect(value.current).toBe('one');
    source.value = 'two';
    expect(value.current).toBe('two');
    expect(subscriptions()).toBe(0);
  });

  test('is followed once for all effects that read it, until the last effect ends', async () => {
    const { source, signal, listeners, subscriptions } = watchedSignal('one');
    const value = fromSignal(signal);
    const seen: string[] = [];
    const stops = [1, 2].map((name) => runEffect(() => void seen.push(`${name} ${value.current}`)));
    flushSync();
    source.value = 'two';
    flushSync();
    expect(seen).toEqual(['1 one', '2 one', '1 two', '2 two']);
    expect(subscriptions()).toBe(1);
    stops[0]!();
    await tick();
    expect(listeners()).toBe(1);
    stops[1]!();
    await tick();
    expect(listeners()).toBe(0);
  });

  test('an error of a computed signal is thrown at each read, until the signal has a value again', async () => {
    const source = signal<string | null>('one');
    const broken = computed(() => {
      if (source.value === null) throw new Error('nothing there');
      return source.value;
    });
    const target = document.body.appendChild(document.createElement('div'));
    const view = mount(ErrorBoundary, { target, props: { signal: broken } });
    source.value = null;
    flushSync();
    expect(target.textContent).toBe('nothing there');
    source.value = 'two';
    target.querySelector('button')!.click();
    flushSync();
    expect(target.textContent).toBe('two');
    await unmount(view);
    target.remove();
  });
});

describe('fromSession', () => {
  test('keeps the earlier result if the new result is equal', async () => {
    const session = createAgentSession({ provider: scriptedProvider(['one', 'two']) });
    const statuses = fromSession(
      session,
      (of) => of.turns.value.map(({ status }) => status).slice(0, 1),
      (a, b) => a.join() === b.join(),
    );
    const seen: (readonly string[])[] = [];
    const stop = runEffect(() => void seen.push(statuses.current));
    flushSync();
    await session.send('Hi');
    await session.send('And?');
    flushSync();
    expect(seen).toEqual([[], ['completed']]);
    stop();
  });
});

describe('a session in the state of Svelte', () => {
  test('is not proxied in `$state`, and neither are its signals', async () => {
    const session = createAgentSession({ provider: scriptedProvider(['Hello.']) });
    const kept = keptInState(session);
    expect(kept.alone).toBe(session);
    expect(kept.within).toBe(session);
    expect(keptInState(session.currentText).within).toBe(session.currentText);
    await kept.within.send('Hi');
    expect(kept.alone.currentText.value).toBe('Hello.');
  });
});
