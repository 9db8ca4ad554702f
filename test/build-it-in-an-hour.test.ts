// @vitest-environment jsdom
import { describe, expect, inject, test } from 'vitest';
import { writeDocProject } from './kit/doc-examples.js';
import { typeErrors } from './kit/type-check.js';

// The page docs/build-it-in-an-hour.md: its files make one project, and its own tests run here.

const files = writeDocProject('hour', 'docs/build-it-in-an-hour.md');
const load = async <T>(name: string): Promise<T> => (await import(files.get(name)!)) as T;

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
    const { expenses } = await load<{
      expenses: { getState(): { rows: readonly { what: string }[] }; setState(state: object): void };
    }>('src/expenses.ts');
    const { keepExpenses } = await load<{ keepExpenses(): void }>('src/keep.ts');
    const before = expenses.getState();
    keepExpenses();
    const taxi = { rows: [{ id: 'taxi', what: 'Taxi', euros: 18 }] };
    expenses.setState(taxi);
    expect(JSON.parse(localStorage.getItem('expenses')!)).toEqual(taxi);
    const newValue = JSON.stringify({ rows: [{ id: 'bus', what: 'Bus', euros: 3 }] });
    window.dispatchEvent(new StorageEvent('storage', { key: 'expenses', newValue }));
    expect(expenses.getState().rows.map(({ what }) => what)).toEqual(['Bus']);
    expect(JSON.parse(localStorage.getItem('expenses')!)).toEqual(taxi);
    expenses.setState(before);
  });

  test('has tests of its own, which follow', () => {
    expect([...files.keys()].filter((name) => name.includes('.test.'))).toEqual([
      'src/create-session.test.ts',
      'src/App.test.tsx',
    ]);
  });
});

await load('src/create-session.test.ts');
await load('src/App.test.tsx');
