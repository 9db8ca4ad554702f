// @vitest-environment jsdom
import { createElement, type ComponentType } from 'react';
import { memoryLog } from '@banister/storage';
import type { AgentSession, SessionOptions } from '@banister/session';
import { callTools, say, scriptedProvider, stall } from '@banister/testing';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { writeDocProject } from './kit/doc-examples.js';
import { typeErrors } from './kit/type-check.js';

// The page docs/build-it-in-an-hour.md: its files make one project, and its own tests run here.

interface Rows {
  readonly rows: readonly { readonly what: string }[];
}

const files = writeDocProject('hour', 'docs/build-it-in-an-hour.md');
const load = async <T>(name: string): Promise<T> => (await import(files.get(name)!)) as T;
const { expenses } = await load<{ expenses: { getState(): Rows; setState(state: object): void } }>(
  'src/expenses.ts',
);
const { createSession } = await load<{ createSession(options: SessionOptions): AgentSession }>(
  'src/create-session.ts',
);
const { default: App } = await load<{ default: ComponentType<{ session: AgentSession }> }>('src/App.tsx');

const before = expenses.getState();
const names = () => expenses.getState().rows.map(({ what }) => what);

afterEach(() => expenses.setState(before));

describe('AD-2 the project of Build it in an hour', () => {
  // In the full tier: a type checker takes as long as all other tests here.
  test.runIf(inject('tier') === 'full')(
    'has the types that it needs',
    () => {
      const all = [...files.values()];
      expect(Object.fromEntries(typeErrors(all))).toEqual(Object.fromEntries(all.map((file) => [file, []])));
    },
    120_000,
  );

  test('keeps its rows over a reload, and takes those of another tab', async () => {
    const { keepExpenses } = await load<{ keepExpenses(): void }>('src/keep.ts');
    keepExpenses();
    const taxi = { rows: [{ id: 'taxi', what: 'Taxi', euros: 18 }] };
    expenses.setState(taxi);
    expect(JSON.parse(localStorage.getItem('expenses')!)).toEqual(taxi);
    const newValue = JSON.stringify({ rows: [{ id: 'bus', what: 'Bus', euros: 3 }] });
    window.dispatchEvent(new StorageEvent('storage', { key: 'expenses', newValue }));
    expect(names()).toEqual(['Bus']);
    expect(JSON.parse(localStorage.getItem('expenses')!)).toEqual(taxi);
  });

  test('has tests of its own, which follow', () => {
    expect([...files.keys()].filter((name) => name.includes('.test.'))).toEqual([
      'src/create-session.test.ts',
      'src/App.test.tsx',
    ]);
  });
});

/** Sends a message with the form of the page. */
function write(text: string) {
  fireEvent.change(screen.getByLabelText('Message'), { target: { value: text } });
  fireEvent.click(screen.getByText('Send'));
}

test('AD-17 the script of the page answers as often as a user sends', async () => {
  const root = document.body.appendChild(document.createElement('div'));
  root.id = 'root';
  await act(() => load('src/main.tsx'));
  for (const count of [1, 2, 3]) {
    write('A taxi');
    await waitFor(() => expect(screen.queryAllByText('Done.')).toHaveLength(count));
    await screen.findByText('Send');
  }
  expect(names()).toEqual(['Hotel', 'Taxi', 'Taxi', 'Taxi']);
  write('Delete the hotel');
  fireEvent.click(await screen.findByText('Yes'));
  await waitFor(() => expect(screen.queryAllByText('Done.')).toHaveLength(4));
  expect(names()).toEqual(['Taxi', 'Taxi', 'Taxi']);
  root.remove();
});

describe('AD-17 a turn that a reload cut', () => {
  /** A session that another page has left in the middle of a turn. */
  async function afterReload() {
    const kept = { id: 'expenses', log: memoryLog() };
    const call = callTools({ tool: 'expenses.add', args: { what: 'Taxi', euros: 18 } });
    const first = createSession({ provider: scriptedProvider([call, stall('Added')]), ...kept });
    void first.send('A taxi');
    await vi.waitFor(() => expect(first.currentText.value).toBe('Added'));
    await first.dispose({ turn: 'leave' });
    const session = createSession({ provider: scriptedProvider([say('Added the taxi.')]), ...kept });
    const { unmount } = render(createElement(App, { session }));
    return { session, unmount };
  }

  test.each([
    { button: 'Continue', rows: ['Hotel', 'Taxi'], shown: 'Added the taxi.' },
    { button: 'Take back', rows: ['Hotel'], shown: 'Add an expense: taken back' },
  ])('is ended by the button $button of the page', async ({ button, rows, shown }) => {
    const { session, unmount } = await afterReload();
    fireEvent.click(await screen.findByText(button));
    await screen.findByText(shown);
    await waitFor(() => expect(screen.queryByText(button)).toBeNull());
    expect(names()).toEqual(rows);
    unmount();
    await session.dispose();
  });
});

await load('src/create-session.test.ts');
await load('src/App.test.tsx');
