// `undoable`: facts that hold for every adapter, shown with one of them.
import { createAgentSession, defineTool, immediate, type Tool, type ToolContext } from '@banister/session';
import { callTools, say, scriptedProvider, settle } from '@banister/testing';
import { undoable, type Patch, type StoreAdapter, type UndoableOptions } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import { reduxStore, undoableEnhancer } from '@banister/stores/redux';
import { runesState } from '@banister/stores/runes';
import { signalStore } from '@banister/stores/signals';
import { svelteStore } from '@banister/stores/svelte';
import { zustandStore } from '@banister/stores/zustand';
import { piniaStore } from '@banister/stores/pinia';
import { configureStore } from '@reduxjs/toolkit';
import { signal } from '@preact/signals-core';
import { createPinia, defineStore } from 'pinia';
import { describe, expect, it, vi } from 'vitest';
import { writable } from 'svelte/store';
import { reactive, ref } from 'vue';
import { createStore } from 'zustand/vanilla';
import { schema, turnOf, valueOf } from './turn-of.js';

interface TitledCard {
  readonly id: string;
  readonly title: string;
}

/** An object that contains itself. */
function loop(): object {
  const object: Record<string, unknown> = {};
  return Object.assign(object, { self: object });
}

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

describe('a wrapped tool', () => {
  it('records the changes of a call as data, with paths', async () => {
    const { held, adapter } = valueOf({ cards: [{ id: 'a', title: 'A' }], filter: '' });
    const session = await turnOf(adapter, {
      execute: () => {
        held.value = {
          cards: [
            { id: 'a', title: 'B' },
            { id: 'b', title: 'New' },
          ],
          filter: 'x',
        };
      },
    });
    const saved = JSON.stringify(session.save());
    expect(saved).toContain('"paths":["cards/a/title","cards/b","filter"]');
    expect(saved).toContain('"description":"Changed cards/a/title, Added cards/b, Changed filter"');
    await session.dispose();
  });

  it.each<[string, (cards: readonly TitledCard[]) => readonly TitledCard[], object]>([
    [
      'changed, with its values',
      (cards) => cards.with(0, { id: 'a', title: 'B' }),
      { description: 'Changed cards/a/title', before: 'A', after: 'B' },
    ],
    [
      'added, with the element after',
      (cards) => [...cards, { id: 'c', title: 'C' }],
      { description: 'Added cards/c', after: { id: 'c', title: 'C' } },
    ],
    [
      'removed, with the element before',
      (cards) => cards.slice(1),
      { description: 'Removed cards/a', before: { id: 'a', title: 'A' } },
    ],
    [
      'moved, with its positions',
      (cards) => cards.toReversed(),
      { description: 'Moved cards/b', before: 1, after: 0 },
    ],
    [
      'changed and added, with the values by their paths',
      () => [
        { id: 'a', title: 'B' },
        { id: 'x', title: 'X' },
        { id: 'b', title: 'B' },
      ],
      {
        description: 'Changed cards/a/title, Added cards/x',
        before: { 'cards/a/title': 'A' },
        after: { 'cards/a/title': 'B', 'cards/x': { id: 'x', title: 'X' } },
      },
    ],
  ])('shows a review what it %s', async (_name, change, shown) => {
    const cards: readonly TitledCard[] = [
      { id: 'a', title: 'A' },
      { id: 'b', title: 'B' },
    ];
    const { held, adapter } = valueOf({ cards });
    const execute = () => void (held.value = { cards: change(cards) });
    const session = await turnOf(adapter, { execute }, {}, 'review');
    expect(session.pendingReview.value?.effects[0]?.changes).toEqual([shown]);
    await session.dispose();
  });

  it('shows a review the words and values from `describe`; other values are the defaults', async () => {
    const { held, adapter } = valueOf({ count: 1 });
    const describe = (changes: readonly Patch[]) => ({
      description: `Counted ${changes.length}`,
      before: 'one',
    });
    const execute = () => void (held.value = { count: 2 });
    const session = await turnOf(adapter, { execute }, { describe }, 'review');
    const [effect] = session.pendingReview.value!.effects;
    expect(effect?.changes).toEqual([{ description: 'Counted 1', before: 'one', after: 2 }]);
    await session.dispose();
  });

  it("keeps the tool's own undo beside the undo of the store", async () => {
    const { held, adapter } = valueOf({ count: 0 });
    const log: unknown[] = [];
    const session = await turnOf(adapter, {
      undo: { revert: (data) => void log.push(data), reapply: (data) => void log.push(data) },
      execute: (_args, context) => {
        void context.undo({ description: 'Sent', data: { mail: 7 } });
        held.value = { count: 1 };
      },
    });
    await session.undo();
    expect([log, held.value]).toEqual([[{ mail: 7 }], { count: 0 }]);
    await session.redo();
    expect([log.length, held.value]).toEqual([2, { count: 1 }]);
    await session.dispose();
  });

  it('has an irreversible effect if its call changed nothing', async () => {
    const session = await turnOf(valueOf({ count: 0 }).adapter, {});
    expect(session.undoEntries.value).toMatchObject([{ irreversible: true }]);
    await session.dispose();
  });

  it('an undo writes to the store once, no matter how much the call changed', async () => {
    const store = createStore(() => ({ cards: Array.from({ length: 50 }, (_, id) => ({ id, title: '' })) }));
    const session = await turnOf(zustandStore(store), {
      execute: () =>
        store.setState(({ cards }) => ({ cards: cards.map((card) => ({ ...card, title: 'x' })) })),
    });
    const changed = vi.fn();
    store.subscribe(changed);
    await session.undo();
    expect(changed).toHaveBeenCalledTimes(1);
    expect(store.getState().cards.every(({ title }) => title === '')).toBe(true);
    await session.dispose();
  });

  it('ignores fields that are not a root', async () => {
    const { held, adapter } = valueOf({ cards: [] as { id: string }[], selected: '' });
    const execute = () => void (held.value = { cards: [{ id: 'a' }], selected: 'a' });
    const session = await turnOf(adapter, { execute }, { roots: ['cards'] });
    await session.undo();
    expect(held.value).toEqual({ cards: [], selected: 'a' });
    await session.dispose();
  });

  it('audit-A4 records no change for a list that its call replaced by an equal copy', async () => {
    const { held, adapter } = valueOf({ cards: [{ id: 'a', title: 'A', tags: ['due'] }] });
    const session = await turnOf(adapter, {
      execute: () => void (held.value = { cards: [{ id: 'a', title: 'B', tags: ['due'] }] }),
    });
    const saved = JSON.stringify(session.save());
    expect(saved).toContain('"paths":["cards/a/title"]');
    await session.dispose();
  });

  it('finds elements by another key', async () => {
    const { held, adapter } = valueOf({
      rows: [
        { name: 'a', n: 1 },
        { name: 'b', n: 1 },
      ],
    });
    const execute = () => void (held.value = { rows: held.value.rows.map((row) => ({ ...row, n: 2 })) });
    const session = await turnOf(adapter, { execute }, { key: 'name' });
    held.value = { rows: held.value.rows.toReversed() };
    await session.undo();
    expect(held.value).toEqual({
      rows: [
        { name: 'b', n: 1 },
        { name: 'a', n: 1 },
      ],
    });
    await session.dispose();
  });

  it.each<[string, unknown]>([
    ['an element without a key', { x: 1 }],
    ['two elements with one key', { id: 'a', n: 7 }],
  ])('treats a list with %s as one value', async (_name, other) => {
    const rows = [{ id: 'a', n: 1 }, { id: 'b', n: 1 }, other];
    const { held, adapter } = valueOf({ rows });
    const execute = () => void (held.value = { rows: rows.with(1, { id: 'b', n: 9 }) });
    const session = await turnOf(adapter, { execute });
    expect(JSON.stringify(session.save())).toContain('"paths":["rows"]');
    expect((await session.undo()).done).toHaveLength(1);
    expect(held.value).toEqual({ rows });
    await session.dispose();
  });

  it('reports a change in a list that has lost its keys meanwhile', async () => {
    const { held, adapter } = valueOf<{ rows: unknown[] }>({ rows: [{ id: 'a', n: 1 }] });
    const execute = () => void (held.value = { rows: [{ id: 'a', n: 9 }] });
    const session = await turnOf(adapter, { execute });
    held.value = { rows: [{ id: 'a', n: 9 }, 'a text'] };
    const { done, failed } = await session.undo({ force: true });
    expect([done, failed]).toEqual([
      [],
      [expect.objectContaining({ reason: expect.stringContaining('rows/a/n was changed since') as string })],
    ]);
    expect(held.value.rows[0]).toEqual({ id: 'a', n: 9 });
    await session.dispose();
  });

  it('undoes and redoes a change of a state that is a single string', async () => {
    const { held, adapter } = valueOf('before');
    const session = await turnOf(adapter, { execute: () => void (held.value = 'after') });
    await session.undo();
    expect(held.value).toBe('before');
    await session.redo();
    expect(held.value).toBe('after');
    held.value = 'by the user';
    const { failed } = await session.undo();
    expect(failed[0]?.reason).toBe('The whole value was changed since, and stays as it is.');
    expect(held.value).toBe('by the user');
    await session.dispose();
  });

  it('restores a value that the app does not share with the log', async () => {
    const { held, adapter } = valueOf<{ note?: { text: string } }>({ note: { text: 'A' } });
    const session = await turnOf(adapter, { execute: () => void (held.value = {}) });
    await session.undo();
    held.value.note!.text = 'changed in place';
    held.value = { note: { text: 'A' } };
    await session.redo();
    await session.undo();
    expect(held.value).toEqual({ note: { text: 'A' } });
    await session.dispose();
  });

  it('has nothing left to undo if the user removed the object around its change', async () => {
    const { held, adapter } = valueOf<{ note?: { text: string } }>({ note: { text: 'A' } });
    const session = await turnOf(adapter, { execute: () => void (held.value = { note: { text: 'B' } }) });
    held.value = {};
    const { done, failed } = await session.undo();
    expect([done.length, failed]).toEqual([1, []]);
    expect(held.value).toEqual({});
    await expect(session.redo()).resolves.toMatchObject({
      failed: [{ reason: 'note/text was removed since.' }],
    });
    await session.dispose();
  });

  it("keeps edits of the user, unless the tool's own undo does not declare that", () => {
    const { wrap } = undoable(valueOf({ count: 0 }).adapter, { development: false });
    const keepsEdits = (undo: Tool['undo']) =>
      wrap({ name: 'act', description: 'Acts.', parameters: schema, execute: () => {}, undo }).undo
        ?.keepsEdits;
    expect(keepsEdits(undefined)).toBe(true);
    expect(keepsEdits({ revert: () => {}, keepsEdits: true })).toBe(true);
    expect(keepsEdits({ revert: () => {} })).toBe(false);
  });

  it('runs in parallel with calls on other resources, whose changes do not count as its own', async () => {
    interface Counts {
      readonly cards: readonly { readonly id: string; readonly count: number }[];
    }
    const held = { value: { cards: ['a', 'b', 'c'].map((id) => ({ id, count: 0 })) } as Counts };
    const count = (one: string) => {
      const cards = held.value.cards.map(({ id, count }) => ({ id, count: id === one ? count + 1 : count }));
      held.value = { cards };
    };
    const adapter = immerValue(
      () => held.value,
      (next: Counts) => void (held.value = next),
    );
    const board = undoable(adapter, { development: false });
    const gates = new Map<string, () => void>();
    const act = defineTool({
      name: 'act',
      description: 'Counts a card.',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      resources: ({ id }) => [id],
      async execute({ id }, context) {
        await new Promise<void>((resolve) => gates.set(id, resolve));
        context.change(() => count(id));
      },
    });
    const calls = ['a', 'b'].map((id) => ({ tool: 'board.act', args: { id } }));
    const session = createAgentSession({
      provider: scriptedProvider([callTools(...calls), say('Done.')]),
      domains: [{ id: 'board', tools: [board.wrap(act)], revision: board.revision }],
      ports: { scheduler: immediate() },
    });
    const turn = session.send('Go');
    await settle();
    expect([...gates.keys()]).toEqual(['a', 'b']);
    for (const id of ['b', 'a']) {
      gates.get(id)!();
      await settle();
      count('c');
    }
    await turn;
    const counts = () => held.value.cards.map((card) => card.count);
    expect(counts()).toEqual([1, 1, 2]);
    expect((await session.undo()).done.map(({ description }) => description)).toEqual([
      'Changed cards/b/count',
      'Changed cards/a/count',
    ]);
    expect(counts()).toEqual([0, 0, 2]);
    await session.redo();
    expect(counts()).toEqual([1, 1, 2]);
    await session.dispose();
  });

  it("cannot be redone if the tool's own undo has no `reapply`", async () => {
    const { held, adapter } = valueOf({ count: 0 });
    const session = await turnOf(adapter, {
      undo: { revert: () => {} },
      execute: () => void (held.value = { count: 1 }),
    });
    await session.undo();
    expect([held.value, session.canRedo.value]).toEqual([{ count: 0 }, false]);
    await session.dispose();
  });

  it('a state that JSON cannot hold touches the whole domain', async () => {
    const { held, adapter } = valueOf<unknown>({ rows: [] });
    const session = await turnOf(adapter, { execute: () => void (held.value = new Map()) });
    expect(JSON.stringify(session.save())).toContain('"paths":[""]');
    await session.dispose();
  });

  it.each<[string, () => unknown]>([
    ['a list with a hole', () => Object.assign([1], { length: 2 })],
    ['an object that contains itself', loop],
    ['an object with a field named __proto__', () => JSON.parse('{"__proto__":1}') as unknown],
    ['an object that is nested too deeply', () => nested(1_000)],
  ])('reports %s as irreversible, by its path', async (_name, make) => {
    const { held, adapter } = valueOf<unknown>({ title: 'A', other: [] });
    const session = await turnOf(adapter, {
      execute: () => void (held.value = { title: 'B', other: [make()] }),
    });
    expect(session.undoEntries.value[0]?.effects).toMatchObject([
      { description: 'Changed title; Changed other', irreversible: true },
    ]);
    await session.dispose();
  });

  it('reports the replacement of a circular object as irreversible', async () => {
    const { held, adapter } = valueOf<unknown>({ other: loop() });
    const session = await turnOf(adapter, { execute: () => void (held.value = { other: loop() }) });
    expect(session.undoEntries.value).toMatchObject([{ irreversible: true }]);
    await session.dispose();
  });

  it('reports changes that cannot be compared or recorded; the result of the call stays', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const store = defineStore('board', { state: () => ({ cards: [] as unknown[] }) })(createPinia());
    const session = await turnOf(
      piniaStore(store),
      { execute: () => (store.cards.push(loop()), 'Added.') },
      { roots: ['cards'], development: true },
    );
    expect(session.undoEntries.value[0]?.effects).toMatchObject([
      { description: 'Changed The whole value', irreversible: true },
    ]);
    expect(JSON.stringify(session.conversation.value)).toContain('Added.');
    expect(warn.mock.calls.map(([message]) => String(message))).toEqual([
      expect.stringMatching(/^@banister\/stores: act: The whole value cannot be taken back: RangeError: /),
    ]);
    report.mockRestore();
    warn.mockRestore();
    await session.dispose();
  });

  it('does not act on a store that cannot be read', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    const execute = vi.fn();
    const store = defineStore('board', { state: () => ({ cards: [loop()] }) })(createPinia());
    const session = await turnOf(piniaStore(store), { execute }, { roots: ['cards'] });
    expect(execute).not.toHaveBeenCalled();
    expect(session.undoEntries.value).toEqual([]);
    report.mockRestore();
    await session.dispose();
  });

  it('can be undone, described by its paths, if `describe` throws', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf({ title: 'A' });
    const describe = () => {
      throw new Error('No words.');
    };
    const options = { describe, development: true };
    const session = await turnOf(adapter, { execute: () => void (held.value = { title: 'B' }) }, options);
    expect((await session.undo()).done).toMatchObject([{ description: 'Changed title' }]);
    expect(held.value).toEqual({ title: 'A' });
    expect(warn).toHaveBeenCalledWith('@banister/stores: act: describe: Error: No words.');
    warn.mockRestore();
    await session.dispose();
  });

  it('can be wrapped by only one store', () => {
    const [one, other] = [valueOf({}), valueOf({})].map(({ adapter }) => undoable(adapter));
    const tool: Tool = { name: 'act', description: 'Acts.', parameters: schema, execute: () => {} };
    expect(() => one!.wrap(other!.wrap(tool))).toThrow('act is wrapped already');
  });

  it('can undo -0 although the log has it as 0', async () => {
    const { held, adapter } = valueOf({ angle: 1 });
    const session = await turnOf(adapter, { execute: () => void (held.value = { angle: -0 }) });
    held.value = { angle: 0 };
    await session.undo();
    expect(held.value).toEqual({ angle: 1 });
    await session.dispose();
  });

  it('reports a field with the name __proto__ as irreversible, and reaches no prototype by it', async () => {
    const { held, adapter } = valueOf<Record<string, unknown>>({ notes: {}, filter: '' });
    const notes = JSON.parse('{"__proto__":{"polluted":1}}') as object;
    const session = await turnOf(adapter, { execute: () => void (held.value = { notes, filter: '' }) });
    expect(session.undoEntries.value).toMatchObject([{ irreversible: true }]);
    expect(session.undoEntries.value[0]?.effects[0]?.description).toBe('Changed notes/__proto__');
    expect(held.value).toEqual({ notes, filter: '' });
    expect(Object.getPrototypeOf(held.value['notes'])).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    await session.dispose();
  });
});

describe('audit-AD-5 the words of a wrapped tool', () => {
  it('the default description of a change is the title of its tool', async () => {
    const described = async (options: UndoableOptions) => {
      const { held, adapter } = valueOf({ count: 0 });
      const session = await turnOf(
        adapter,
        { title: 'Count', execute: () => void (held.value = { count: 1 }) },
        options,
      );
      const report = await session.undo();
      await session.dispose();
      return report.done.map(({ description }) => description);
    };
    expect(await described({})).toEqual(['Count']);
    expect(await described({ describe: () => ({ description: 'Counted' }) })).toEqual(['Counted']);
  });

  it('for an effect that stays have a code and the paths', async () => {
    const { held, adapter } = valueOf({ count: 0 });
    const session = await turnOf(adapter, { execute: () => void (held.value = { count: 1 }) });
    held.value = { count: 2 };
    const { failed } = await session.undo();
    expect(failed.map(({ because }) => because)).toEqual([{ code: 'changed', paths: ['count'] }]);
    await session.dispose();
  });

  it('for an element that was removed meanwhile have a code and the paths', async () => {
    const { held, adapter } = valueOf<{ rows: { id: string }[] }>({ rows: [] });
    const session = await turnOf(adapter, { execute: () => void (held.value = { rows: [{ id: 'a' }] }) });
    held.value = { rows: [] };
    await session.undo();
    const { failed } = await session.redo();
    expect(failed.map(({ because }) => because)).toEqual([{ code: 'not-redoable', paths: ['rows/a'] }]);
    await session.dispose();
  });
});

describe('in development', () => {
  it('audit-AD-4 warns once about a call that changed only fields that are not a root', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf({ cards: [] as { id: string }[], filter: 0 });
    const board = undoable(adapter, { roots: ['cards'], development: true });
    const execute = () => void (held.value = { ...held.value, filter: held.value.filter + 1 });
    const act = board.wrap<Tool>({ name: 'act', description: 'Acts.', parameters: schema, execute });
    const context = {} as ToolContext;
    await act.execute({}, context);
    await act.execute({}, context);
    expect(warn.mock.calls).toEqual([
      ['@banister/stores: act changed filter, and none of the roots: its calls cannot be undone.'],
    ]);
    warn.mockRestore();
  });

  it('warns about a change after an await, and about an asynchronous function in `context.change`', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf({ count: 0 });
    const execute: Tool['execute'] = async (_args, context) => {
      await context.change(async () => {
        await Promise.resolve();
        held.value = { count: 1 };
      });
    };
    const session = await turnOf(adapter, { execute }, { development: true });
    await settle();
    expect(warn.mock.calls.map(([message]) => String(message))).toEqual([
      expect.stringContaining('gave context.change waits'),
      expect.stringContaining('count changed while act ran'),
    ]);
    warn.mockRestore();
    await session.dispose();
  });

  it('warns about a value that JSON cannot hold, and about an object that was changed in place', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf<{ due: unknown; card: { title: string } }>({
      due: null,
      card: { title: 'A' },
    });
    const execute = () => {
      held.value.card.title = 'B';
      held.value = { ...held.value, due: new Date(0) };
    };
    const session = await turnOf(adapter, { execute }, { development: true });
    expect(warn.mock.calls.map(([message]) => String(message))).toEqual([
      '@banister/stores: act: due cannot be taken back: JSON cannot hold its value.',
      '@banister/stores: act: card cannot be taken back: it was changed in place.',
    ]);
    expect(session.undoEntries.value).toMatchObject([{ irreversible: true }]);
    warn.mockRestore();
    await session.dispose();
  });

  it('warns once, at the first call, about a root that is not a field of the state', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf<{ cards: string[] }>({ cards: [] });
    const execute = () => void (held.value = { cards: ['a'] });
    // As in JavaScript, because the types refuse such a name.
    const roots = ['cards', 'crads'] as 'cards'[];
    const board = undoable(adapter, { roots, development: true });
    const act = board.wrap({ name: 'act', description: 'Acts.', parameters: schema, execute });
    const session = createAgentSession({
      provider: scriptedProvider([
        callTools({ tool: 'board.act' }),
        callTools({ tool: 'board.act' }),
        say('Done.'),
      ]),
      domains: [{ id: 'board', tools: [act] }],
    });
    expect(warn).not.toHaveBeenCalled();
    await session.send('Go');
    expect(warn.mock.calls).toEqual([['@banister/stores: roots: crads is no field of the state.']]);
    warn.mockRestore();
    await session.dispose();
  });

  it('means that NODE_ENV is not `production`, unless the app says otherwise', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const run = async (development: boolean | undefined) => {
      const { held, adapter } = valueOf<{ due: unknown }>({ due: null });
      const execute = () => void (held.value = { due: new Date(0) });
      await (await turnOf(adapter, { execute }, { development })).dispose();
      return warn.mock.calls.splice(0).length;
    };
    expect([await run(true), await run(false), await run(undefined)]).toEqual([1, 0, 1]);
    vi.stubEnv('NODE_ENV', 'production');
    expect(await run(undefined)).toBe(0);
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
});

describe('the roots', () => {
  it('are names of fields of the state, by the types of each adapter', () => {
    const { adapter } = valueOf<{ cards: string[]; filter?: string }>({ cards: [] });
    undoable(adapter, { roots: ['cards', 'filter'] });
    // @ts-expect-error No field of the state.
    undoable(adapter, { roots: ['crads'] });
    // @ts-expect-error No field of the state.
    undoable(runesState({ cards: [] }), { roots: ['crads'] });
    // @ts-expect-error No field of the state.
    undoable(signalStore({ cards: signal([]) }), { roots: ['crads'] });
    // @ts-expect-error No field of the state.
    undoable(svelteStore(writable({ cards: [] })), { roots: ['crads'] });
    // @ts-expect-error No field of the state.
    undoable(zustandStore(createStore(() => ({ cards: [] }))), { roots: ['crads'] });
    const store = defineStore('board', { state: () => ({ cards: [] as string[] }) })(createPinia());
    undoable(piniaStore(store), { roots: ['cards'] });
    // @ts-expect-error No field of the state.
    undoable(piniaStore(store), { roots: ['crads'] });
    const redux = configureStore({
      reducer: { cards: (cards: readonly string[] = []) => cards },
      enhancers: (standard) => standard().concat(undoableEnhancer),
    });
    undoable(reduxStore(redux), { roots: ['cards'] });
    // @ts-expect-error No field of the state.
    undoable(reduxStore(redux), { roots: ['crads'] });
  });

  it('are any strings if the state has no type, or is a record', () => {
    undoable(valueOf<unknown>({}).adapter, { roots: ['cards'] });
    undoable(valueOf<Record<string, string>>({}).adapter, { roots: ['cards'] });
    const all: StoreAdapter[] = [valueOf({ cards: [] }).adapter];
    undoable(all[0]!, { roots: ['cards'] });
  });

  it('of a union are the fields that all its members have', () => {
    undoable(valueOf<{ cards: string[] } | { empty: true }>({ empty: true }).adapter, { roots: ['cards'] });
  });
});

describe('a store', () => {
  it('a store that changes its objects in place needs roots', () => {
    expect(() => undoable(runesState({ cards: [] }))).toThrow(/needs roots/);
  });

  it('a store of Redux needs the enhancer', () => {
    const store = configureStore({ reducer: (state: number = 0) => state });
    expect(() => reduxStore(store)).toThrow(/undoableEnhancer/);
  });

  it('of Redux can still undo when its reducer is replaced', async () => {
    const reducer = (state: { count: number } = { count: 0 }, { type }: { type: string }) =>
      type === 'count' ? { count: state.count + 1 } : state;
    const store = configureStore({ reducer, enhancers: (standard) => standard().concat(undoableEnhancer) });
    const session = await turnOf(reduxStore(store), {
      execute: () => void store.dispatch({ type: 'count' }),
    });
    store.replaceReducer(reducer);
    await session.undo();
    expect(store.getState()).toEqual({ count: 0 });
    await session.dispose();
  });

  it('of Pinia with a setup function, refs and reactive objects can be undone', async () => {
    const use = defineStore('notes', () => {
      const notes = ref([
        { id: 'a', text: ref('A'), tags: ['x'] },
        reactive({ id: 'b', text: 'B', tags: [] as string[] }),
      ]);
      return { notes, other: ref(1) };
    });
    const store = use(createPinia());
    const execute = () => {
      store.notes[0]!.text = 'A2';
      store.notes[0]!.tags.push('y');
      store.notes[1]!.text = 'B2';
    };
    const session = await turnOf(piniaStore(store), { execute }, { roots: ['notes'] });
    expect(session.undoEntries.value).toMatchObject([{ irreversible: false }]);
    await session.undo();
    expect(JSON.parse(JSON.stringify(store.notes))).toEqual([
      { id: 'a', text: 'A', tags: ['x'] },
      { id: 'b', text: 'B', tags: [] },
    ]);
    await session.redo();
    expect(JSON.parse(JSON.stringify(store.notes))).toEqual([
      { id: 'a', text: 'A2', tags: ['x', 'y'] },
      { id: 'b', text: 'B2', tags: [] },
    ]);
    store.$dispose();
    await session.dispose();
  });

  it('an element of a list that is in the state twice is restored once', async () => {
    const useBoard = defineStore('board', {
      state: () => {
        const card = { id: 'a', notes: [{ id: 1 }, { id: 2 }, { id: 3 }] };
        return { cards: [card], selected: card };
      },
    });
    const store = useBoard(createPinia());
    const ids = () => store.cards[0]!.notes.map(({ id }) => id);
    const execute = () => {
      const [, second, third] = store.selected.notes;
      store.selected.notes = [third!, second!, { id: 4 }];
    };
    const session = await turnOf(piniaStore(store), { execute }, { roots: ['cards', 'selected'] });
    expect(ids()).toEqual([3, 2, 4]);
    expect((await session.undo()).failed).toEqual([]);
    expect(ids()).toEqual([1, 2, 3]);
    expect((await session.redo()).failed).toEqual([]);
    expect(ids()).toEqual([3, 2, 4]);
    await session.dispose();
  });

  it('with computed fields restores the fields from which they are computed', async () => {
    const useBoard = defineStore('board', {
      state: () => ({
        card: {
          hours: 1,
          get days() {
            return this.hours / 8;
          },
        },
      }),
    });
    const store = useBoard(createPinia());
    const session = await turnOf(
      piniaStore(store),
      { execute: () => void (store.card.hours = 16) },
      { roots: ['card'] },
    );
    expect((await session.undo()).failed).toEqual([]);
    expect(store.card).toEqual({ hours: 1, days: 1 / 8 });
    expect((await session.redo()).failed).toEqual([]);
    expect(store.card).toEqual({ hours: 16, days: 2 });
    await session.dispose();
  });

  it('that is changed in place restores added and removed fields', async () => {
    const state: { card: Record<string, unknown> } = { card: { title: 'A', due: undefined, done: false } };
    const execute = () => {
      delete state.card['done'];
      state.card['note'] = 'new';
    };
    const session = await turnOf(runesState(state), { execute }, { roots: ['card'] });
    await session.undo();
    expect(state.card).toEqual({ title: 'A', due: undefined, done: false });
    await session.dispose();
  });

  it('objects that are changed in place are restored in place', async () => {
    const card = { id: 'a', title: 'A' };
    const state = { cards: [card] };
    const session = await turnOf(
      runesState(state),
      { execute: () => void (state.cards[0]!.title = 'B') },
      { roots: ['cards'] },
    );
    await session.undo();
    expect(state.cards[0]).toBe(card);
    expect(card.title).toBe('A');
    await session.dispose();
  });
});
