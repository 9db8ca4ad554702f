import { gate, say, scriptedProvider, settle } from '@banister/testing';
import { memo, startTransition, useDeferredValue, useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAgentSession, immediate, useSession, type AgentSession } from '../src/index.js';
import { computed } from '@banister/session/signals';
import { mount, rendered, type Mounted } from './mount.js';

const mounted: Mounted[] = [];
const show: typeof mount = (tree, options) => {
  const view = mount(tree, options);
  mounted.push(view);
  return view;
};
afterEach(() => mounted.splice(0).forEach((view) => view.unmount()));

/** A session whose next answer is sent piece by piece, when the test asks for each. */
function stepwise(...pieces: readonly string[]) {
  const gates = pieces.map(gate);
  const provider = scriptedProvider([say(pieces.flatMap((piece, index) => [gates[index]!, piece]))]);
  const session = createAgentSession({ provider, ports: { scheduler: immediate() } });
  const step = async (index: number) => {
    gates[index]?.open();
    await settle();
    await rendered();
  };
  return { session, step };
}

describe('useSession', () => {
  test('an inline selector that closes over a prop gives the result for that prop, in the same render', async () => {
    const { session, step } = stepwise('abc');
    const shown: string[] = [];
    function Letter({ index }: { readonly index: number }) {
      const letter = useSession(session, (of) => of.currentText.value.charAt(index));
      shown.push(`${index}:${letter}`);
      return letter;
    }
    const view = show(<Letter index={0} />);
    void session.send('Hi');
    await step(0);
    view.render(<Letter index={2} />);
    expect(view.text()).toBe('c');
    expect(shown).not.toContain('2:a');
    expect(view.commits()).toBe(3);
  });

  test('after a new prop, changes are compared with the newest selector', async () => {
    const { session, step } = stepwise('ab', 'cd');
    function Has({ letter }: { readonly letter: string }) {
      return String(useSession(session, (of) => of.currentText.value.includes(letter)));
    }
    const view = show(<Has letter="a" />);
    void session.send('Hi');
    await step(0);
    view.render(<Has letter="d" />);
    expect(view.text()).toBe('false');
    await step(1);
    expect(view.text()).toBe('true');
  });

  test('a selector that keeps its identity keeps its subscription from render to render', async () => {
    const { session, step } = stepwise('one', 'two');
    let subscriptions = 0;
    const text = computed(() => session.currentText.value, { watched: () => subscriptions++ });
    const select = () => text.value.length;
    function Length({ label }: { readonly label: string }) {
      return `${label}${useSession(session, select)}`;
    }
    const view = show(<Length label="a" />);
    void session.send('Hi');
    await step(0);
    view.render(<Length label="b" />);
    await step(1);
    expect(view.text()).toBe('b6');
    expect(subscriptions).toBe(1);
  });

  test('signals that a selector reads only later are followed from then on', async () => {
    const { session, step } = stepwise('one', ' two');
    const view = show(<Late session={session} />);
    await rendered();
    void session.send('Hi');
    await step(0);
    expect(view.text()).toBe('one');
    await step(1);
    expect(view.text()).toBe('nothing yet');

    function Late({ session: shown }: { readonly session: AgentSession }) {
      return useSession(shown, (of) => (of.isRunning.value ? of.currentText.value : 'nothing yet'));
    }
  });

  test('a selector that makes a new object each time settles, and renders once per publication', async () => {
    const { session, step } = stepwise('one', 'two');
    function Pair() {
      const { text, length } = useSession(session, (of) => ({
        text: of.currentText.value,
        length: of.currentText.value.length,
      }));
      return `${text} ${length}`;
    }
    const view = show(<Pair />);
    void session.send('Hi');
    await step(0);
    const before = view.commits();
    await step(1);
    expect(view.text()).toBe('onetwo 6');
    // One render for the piece; the turn's end leaves the text unchanged and publishes other signals.
    expect(view.commits() - before).toBe(1);
  });

  test('isEqual keeps the earlier result, across publications and across selectors', async () => {
    const { session, step } = stepwise('one', 'two', 'three');
    const results = new Set<readonly boolean[]>();
    const sameItems = (a: readonly boolean[], b: readonly boolean[]) =>
      a.every((item, index) => item === b[index]);
    function Flags({ turn }: { readonly turn: number }) {
      const flags = useSession(session, (of) => [of.currentText.value !== '', turn < 0], sameItems);
      results.add(flags);
      return flags.join();
    }
    const view = show(<Flags turn={1} />);
    void session.send('Hi');
    await step(0);
    await step(1);
    view.render(<Flags turn={2} />);
    await step(2);
    expect(view.text()).toBe('true,false');
    // Two result objects, one without text and one with text: a memoised child would have rendered twice.
    expect(results.size).toBe(2);
    expect(view.commits()).toBe(3);
  });

  test('an error of a selector reaches the error boundary, not the session', async () => {
    const { session, step } = stepwise('one');
    function Throws() {
      return useSession(session, (of) => {
        if (of.currentText.value !== '') throw new Error('cannot read that');
        return 'fine';
      });
    }
    const errors: unknown[] = [];
    const view = show(<Throws />, { onUncaughtError: (error) => errors.push(error) });
    expect(view.text()).toBe('fine');
    void session.send('Hi');
    await step(0);
    expect(errors).toEqual([expect.objectContaining({ message: 'cannot read that' })]);
    expect(session.lastOutcome.value?.status).toBe('completed');
  });

  test('a slow transition and urgent text never show two states of the session at once', async () => {
    const pieces = Array.from({ length: 6 }, (_, index) => String(index));
    const { session, step } = stepwise(...pieces);
    const torn: string[] = [];
    let begin!: () => void;
    const Slow = memo(function Slow({ query }: { readonly query: string }) {
      const seen = useSession(session, (of) => `${of.currentText.value.length}${query}`);
      const end = performance.now() + 6;
      while (performance.now() < end);
      return <i>{seen} </i>;
    });
    function Page() {
      const [query, setQuery] = useState('a');
      const deferred = useDeferredValue(query);
      begin = () => {
        setQuery('b');
        startTransition(() => setQuery('c'));
      };
      return Array.from({ length: 8 }, (_, index) => <Slow key={index} query={deferred} />);
    }
    const view = show(<Page />);
    void session.send('Hi');
    begin();
    for (const index of pieces.keys()) {
      await step(index);
      const moments = new Set(view.text().trim().split(' '));
      if (moments.size > 1) torn.push(view.text());
    }
    await vi.waitFor(() => expect(view.text()).toBe('6c '.repeat(8)), 30_000);
    expect(torn).toEqual([]);
  });
});
