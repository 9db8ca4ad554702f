import { scriptedProvider } from '@banister/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  computed as vueComputed,
  createApp,
  defineComponent,
  effectScope,
  h,
  isReactive,
  nextTick,
  onErrorCaptured,
  reactive,
  ref,
  shallowRef,
  watch,
  watchEffect,
} from 'vue';
import { createAgentSession, useSession, useSignal } from '../src/index.js';
import { computed, signal } from '@banister/session/signals';

const warn = vi.spyOn(console, 'warn');
afterEach(() => warn.mockReset());

/** A signal that counts its subscriptions. */
function watchedSignal<T>(initial: T) {
  const source = signal(initial);
  let listeners = 0;
  const watched = computed(() => source.value, { watched: () => listeners++, unwatched: () => listeners-- });
  return { source, signal: watched, listeners: () => listeners };
}

function sessionOf(...answers: readonly string[]) {
  return createAgentSession({ provider: scriptedProvider(answers) });
}

describe('useSignal', () => {
  test('works in any effect scope, and unsubscribes when it ends', () => {
    const { source, signal, listeners } = watchedSignal('one');
    const scope = effectScope();
    const seen: string[] = [];
    scope.run(() => {
      const value = useSignal(signal);
      watchEffect(() => void seen.push(value.value), { flush: 'sync' });
    });
    source.value = 'two';
    expect(seen).toEqual(['one', 'two']);
    expect(listeners()).toBe(1);
    scope.stop();
    source.value = 'three';
    expect(seen).toEqual(['one', 'two']);
    expect(listeners()).toBe(0);
  });

  test('follows the signal that a getter returns now', () => {
    const [first, second] = [watchedSignal('first'), watchedSignal('second')];
    const which = shallowRef(first.signal);
    const scope = effectScope();
    const value = scope.run(() => useSignal(() => which.value))!;
    expect(value.value).toBe('first');
    which.value = second.signal;
    expect(value.value).toBe('second');
    expect([first.listeners(), second.listeners()]).toEqual([0, 1]);
    second.source.value = 'more';
    expect(value.value).toBe('more');
    scope.stop();
  });

  test('returns a read-only ref', () => {
    warn.mockImplementation(() => {});
    const scope = effectScope();
    const value = scope.run(() => useSignal(signal('one')))!;
    // @ts-expect-error it is read only
    value.value = 'two';
    expect(value.value).toBe('one');
    expect(warn).toHaveBeenCalledTimes(1);
    scope.stop();
  });

  test("works with Vue's state in a Vue computed", async () => {
    const session = sessionOf('Hello.');
    const scope = effectScope();
    const draft = ref('');
    const canSend = scope.run(() => {
      const isRunning = useSignal(session.isRunning);
      return vueComputed(() => !isRunning.value && draft.value !== '');
    })!;
    expect(canSend.value).toBe(false);
    draft.value = 'Hi';
    expect(canSend.value).toBe(true);
    const sent = session.send('Hi');
    expect(canSend.value).toBe(false);
    await sent;
    expect(canSend.value).toBe(true);
    scope.stop();
  });

  test('an error of a computed signal is thrown at each read, until the signal has a value again', async () => {
    const source = signal<string | null>('one');
    const broken = computed(() => {
      if (source.value === null) throw new Error('nothing there');
      return source.value;
    });
    const captured: unknown[] = [];
    const Child = defineComponent(() => {
      const value = useSignal(broken);
      return () => h('p', value.value);
    });
    const container = document.body.appendChild(document.createElement('div'));
    const app = createApp(
      defineComponent(() => {
        onErrorCaptured((error) => {
          captured.push(error);
          return false;
        });
        return () => h(Child);
      }),
    );
    app.mount(container);
    source.value = null;
    await nextTick();
    expect(captured).toEqual([new Error('nothing there')]);
    source.value = 'two';
    await nextTick();
    expect(container.textContent).toBe('two');
    app.unmount();
    container.remove();
  });
});

describe('useSession', () => {
  test('keeps the earlier result if the new result is equal', async () => {
    const session = sessionOf('one', 'two');
    const scope = effectScope();
    const statuses = scope.run(() =>
      useSession(
        session,
        (of) => of.turns.value.map(({ status }) => status).slice(0, 1),
        (a, b) => a.join() === b.join(),
      ),
    )!;
    await session.send('Hi');
    const after = statuses.value;
    expect(after).toEqual(['completed']);
    await session.send('And?');
    expect(statuses.value).toBe(after);
    scope.stop();
  });
});

describe('a session in the state of Vue', () => {
  test('is not proxied in `reactive()` and `ref()`, and neither are its signals', async () => {
    const session = sessionOf('Hello.');
    const state = reactive({ session, text: session.currentText });
    expect(isReactive(reactive(session))).toBe(false);
    expect(ref(session).value).toBe(session);
    expect(state.session).toBe(session);
    expect(state.text).toBe(session.currentText);

    const scope = effectScope();
    const seen: string[] = [];
    scope.run(() =>
      watch(
        useSignal(() => state.session.currentText),
        (text) => seen.push(text),
        { flush: 'sync' },
      ),
    );
    await state.session.send('Hi');
    expect(seen.at(-1)).toBe('Hello.');
    scope.stop();
  });
});
