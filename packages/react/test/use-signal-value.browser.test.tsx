import { Activity, Component, startTransition, useState, type ReactNode } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { effect, useSignalValue } from '../src/index.js';
import { batch, computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { mount, rendered, type Mounted } from './mount.js';

const mounted: Mounted[] = [];
const show: typeof mount = (tree, options) => {
  const view = mount(tree, options);
  mounted.push(view);
  return view;
};
afterEach(() => mounted.splice(0).forEach((view) => view.unmount()));

function Value({ of }: { readonly of: ReadonlySignal<unknown> }) {
  return <b>{String(useSignalValue(of))}</b>;
}

/** A signal that counts its subscriptions. */
function watchable<T>(source: ReadonlySignal<T>) {
  let watched = 0;
  let subscriptions = 0;
  const signal = computed(() => source.value, {
    watched: () => {
      watched++;
      subscriptions++;
    },
    unwatched: () => watched--,
  });
  return { signal, watched: () => watched, subscriptions: () => subscriptions };
}

describe('useSignalValue', () => {
  test('shows the value, and each value after it', async () => {
    const count = signal(1);
    const view = show(<Value of={count} />);
    expect(view.text()).toBe('1');
    count.value = 2;
    await rendered();
    expect(view.text()).toBe('2');
    expect(view.commits()).toBe(2);
  });

  test('renders once when several signals change together', async () => {
    const [first, second, third] = [signal('a'), signal('b'), signal('c')] as const;
    function Three() {
      return `${useSignalValue(first)}${useSignalValue(second)}${useSignalValue(third)}`;
    }
    const view = show(<Three />);
    batch(() => {
      first.value = 'x';
      second.value = 'y';
      third.value = 'z';
    });
    await rendered();
    expect(view.text()).toBe('xyz');
    expect(view.commits()).toBe(2);
  });

  test('many components that read one signal render in one commit', async () => {
    const count = signal(0);
    const view = show(Array.from({ length: 20 }, (_, index) => <Value key={index} of={count} />));
    count.value = 1;
    await rendered();
    expect(view.text()).toBe('1'.repeat(20));
    expect(view.commits()).toBe(2);
  });

  test('shows a change between render and subscription', async () => {
    const count = signal(0);
    function ChangesMeanwhile() {
      const value = useSignalValue(count);
      return (
        <b
          ref={() => {
            if (count.peek() === 0) count.value = 1;
          }}
        >
          {value}
        </b>
      );
    }
    const view = show(<ChangesMeanwhile />);
    await rendered();
    expect(view.text()).toBe('1');
  });

  test('keeps one subscription through all renders of a component', async () => {
    const count = signal(0);
    const counted = watchable(count);
    const view = show(<Value of={counted.signal} />);
    for (const value of [1, 2, 3]) {
      count.value = value;
      await rendered();
    }
    view.render(<Value of={counted.signal} />);
    expect(counted.subscriptions()).toBe(1);
  });

  test('StrictMode leaves one subscription, and none after unmounting', () => {
    const counted = watchable(signal(0));
    const view = mount(<Value of={counted.signal} />, { strict: true });
    expect(counted.watched()).toBe(1);
    view.unmount();
    expect(counted.watched()).toBe(0);
  });

  test('unsubscribes from a signal when it gets another one', async () => {
    const [first, second] = [watchable(signal('first')), watchable(signal('second'))];
    const view = show(<Value of={first.signal} />);
    view.render(<Value of={second.signal} />);
    expect(view.text()).toBe('second');
    expect([first.watched(), second.watched()]).toEqual([0, 1]);
  });

  test('a hidden Activity subscribes to nothing, and is up to date when it is shown again', async () => {
    const count = signal(0);
    const counted = watchable(count);
    const tree = (mode: 'visible' | 'hidden') => (
      <Activity mode={mode}>
        <Value of={counted.signal} />
      </Activity>
    );
    const view = show(tree('visible'));
    view.render(tree('hidden'));
    await rendered();
    expect(counted.watched()).toBe(0);
    count.value = 7;
    view.render(tree('visible'));
    await rendered();
    expect(counted.watched()).toBe(1);
    expect(view.text()).toBe('7');
  });

  test('a signal that changes during a transition never shows two values at once', async () => {
    const count = signal(0);
    const seen: string[] = [];
    let begin!: () => void;
    function Slow({
      count: shown,
      index,
    }: {
      readonly count: ReadonlySignal<number>;
      readonly index: number;
    }) {
      const value = useSignalValue(shown);
      // Long enough that React yields between two of these components. The signal changes then.
      const end = performance.now() + 8;
      while (performance.now() < end);
      return <i data-index={index}>{value}</i>;
    }
    function Page() {
      const [open, setOpen] = useState(false);
      begin = () => startTransition(() => setOpen(true));
      return open
        ? Array.from({ length: 12 }, (_, index) => <Slow key={index} count={count} index={index} />)
        : null;
    }
    const view = show(<Page />);
    begin();
    // The changes are made in separate tasks while the transition is being rendered.
    for (let value = 1; value <= 5; value++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      count.value = value;
      seen.push(view.text());
    }
    await vi.waitFor(() => expect(view.text()).toBe('5'.repeat(12)), 30_000);
    for (const text of seen) expect(new Set(text).size).toBeLessThanOrEqual(1);
  });

  test('a computed that throws reaches the error boundary, and works again after a reset', async () => {
    const count = signal(1);
    const halved = computed(() => {
      if (count.value < 0) throw new Error('below zero');
      return count.value / 2;
    });
    let reset!: () => void;
    class Boundary extends Component<{ readonly children: ReactNode }, { readonly message: string | null }> {
      override state = { message: null };
      static getDerivedStateFromError = (error: Error) => ({ message: error.message });
      override render() {
        reset = () => this.setState({ message: null });
        return this.state.message ?? this.props.children;
      }
    }
    const caught: unknown[] = [];
    const view = show(
      <Boundary>
        <Value of={halved} />
      </Boundary>,
      { onCaughtError: (error) => caught.push(error) },
    );
    expect(view.text()).toBe('0.5');
    expect(() => (count.value = -1)).not.toThrow();
    await rendered();
    expect(view.text()).toBe('below zero');
    expect(caught).toHaveLength(1);
    count.value = 4;
    reset();
    await rendered();
    expect(view.text()).toBe('2');
  });

  test('an effect around a render does not track the signals that the render reads', async () => {
    const [trigger, count] = [signal(0), signal(0)];
    let runs = 0;
    let view: Mounted | undefined;
    const dispose = effect(() => {
      void trigger.value;
      runs++;
      view ??= show(<Value of={count} />);
    });
    count.value = 1;
    await rendered();
    expect(runs).toBe(1);
    expect(view?.text()).toBe('1');
    dispose();
  });
});
