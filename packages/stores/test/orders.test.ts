// Effects can be undone in any order, because a call that ends late changes the order.
import { createAgentSession, defineDomain, defineTool, immediate, type Tool } from '@banister/session';
import { callTools, scriptedProvider, settle, type StoreBoard } from '@banister/testing';
import { undoable } from '@banister/stores';
import { zustandStore } from '@banister/stores/zustand';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { propertyRun } from '../../../test/kit/property-run.js';
import { carryOut, changeOf, type Change } from './board-changes.js';
import { boards, type BoardFixture } from './boards.js';
import { schema, turnOf, valueOf } from './turn-of.js';

/** An effect that a wrapped tool has recorded. */
interface Recorded {
  data: unknown;
  revert(): boolean;
}

/** Runs a change in a call of a wrapped tool. Returns the recorded effect; null if the call recorded no effect. */
function recorded({ undoable: board }: BoardFixture, change: () => void, callId = 'call'): Recorded | null {
  const tool = board.wrap<Tool>({ name: 'act', description: 'Acts.', parameters: schema, execute: change });
  const effects: Recorded[] = [];
  const undo = ({ data }: { data: unknown }) => {
    const effect: Recorded = {
      data: asJson(data),
      revert: () => {
        const replaceData = (next: unknown) => void (effect.data = asJson(next));
        return tool.undo!.revert(effect.data, { replaceData, callId } as never) === undefined;
      },
    };
    effects.push(effect);
  };
  void tool.execute({}, { callId, undo, irreversible: () => {}, unattributed: () => {} } as never);
  return effects[0] ?? null;
}

const asJson = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
const seed = fc.record({ kind: fc.nat(12), card: fc.nat(3), place: fc.nat(3) });
const contentOf = ({ cards, filter }: StoreBoard) => [
  filter,
  Object.fromEntries(cards.map((card) => [card.id, card])),
];

/**
 * Returns lists of up to `length` titles from a small pool. Each title differs from the title before; the
 * first title is ''.
 */
function titlesOf(length: number, before = ''): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  const longer = ['', '0', '1']
    .filter((title) => title !== before)
    .flatMap((title) => titlesOf(length - 1, title).map((rest) => [title, ...rest]));
  return [[], ...longer];
}

/** Returns all orders of the numbers below `count`. */
function ordersOf(count: number): readonly number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
  );
}

describe('audit-A4 effects that are undone in any order', () => {
  it.each(Object.keys(boards))('restore %s, or say which effects stay', async (name) => {
    const cases = fc.array(fc.tuple(seed, fc.nat(100)), { minLength: 2, maxLength: 4 });
    const property = fc.asyncProperty(cases, fc.boolean(), async (all, repeats) => {
      const fixture = boards[name]!();
      for (const id of ['a', 'b', 'c'])
        fixture.update(({ cards }) => void cards.push({ id, title: id, tags: [] }));
      const before = contentOf(fixture.read());
      const effects = all.map(([one], index) => {
        // Values repeat, so a later effect may look like an earlier effect that was undone.
        const change = changeOf(one, fixture.read(), repeats ? `${index % 2}` : `${index}`);
        return change && recorded(fixture, () => fixture.update((board) => carryOut(board, change)));
      });
      const order = all.map(([, place], index) => ({ place, index })).sort((a, b) => a.place - b.place);
      const left = order.flatMap(({ index }) => (effects[index]?.revert() === false ? [index] : []));
      // The rollback of the turn tries the remaining effects, newest first.
      const stays = left.sort((a, b) => b - a).filter((index) => !effects[index]!.revert());
      if (stays.length === 0) expect(contentOf(fixture.read())).toEqual(before);
      await fixture.dispose?.();
    });
    await fc.assert(property, propertyRun(`orders of ${name}`, 2_000));
  });

  it.each(Object.keys(boards))(
    'leave nothing in %s of a card that calls added, moved and removed',
    (name) => {
      const fixture = boards[name]!();
      fixture.update(({ cards }) => void cards.push({ id: 'a', title: 'a', tags: [] }));
      const before = fixture.read();
      const changes: readonly Change[] = [
        { type: 'add', id: 'b', after: 'end' },
        { type: 'title', id: 'b', value: 'B' },
        { type: 'move', id: 'b', after: null },
        { type: 'remove', id: 'b' },
      ];
      const effects = changes.map((change) =>
        recorded(fixture, () => fixture.update((board) => carryOut(board, change))),
      );
      expect(effects.map((effect) => effect?.revert())).toEqual([true, true, true, true]);
      expect(fixture.read()).toEqual(before);
      void fixture.dispose?.();
    },
  );

  it('if an undo brings back the change of an earlier call, the change is reported, and undone at the next attempt', () => {
    const fixture = boards['zustandStore']!();
    const before = fixture.read();
    const changes: readonly Change[] = [
      { type: 'add', id: 'a', after: 'end' },
      { type: 'title', id: 'a', value: 'A' },
      { type: 'remove', id: 'a' },
    ];
    const [add, title, remove] = changes.map((change) =>
      recorded(fixture, () => fixture.update((board) => carryOut(board, change))),
    );
    expect(add?.revert()).toBe(true);
    // The card is back, but its title is not the title that its first call gave it.
    expect(remove?.revert()).toBe(false);
    expect(title?.revert()).toBe(true);
    expect(remove?.revert()).toBe(true);
    expect(fixture.read()).toEqual(before);
  });

  it('leave no title that calls changed back and forth before they removed the card, or say so, in any order', () => {
    const silent: unknown[] = [];
    for (const titles of titlesOf(3))
      for (const order of ordersOf(titles.length + 1)) {
        const fixture = boards['zustandStore']!();
        fixture.update(({ cards }) => void cards.push({ id: 'a', title: '', tags: [] }));
        const before = fixture.read();
        const changes: readonly Change[] = [
          ...titles.map((value) => ({ type: 'title', id: 'a', value }) as const),
          { type: 'remove', id: 'a' },
        ];
        const effects = changes.map((change, index) =>
          recorded(fixture, () => fixture.update((board) => carryOut(board, change)), `call-${index}`),
        );
        let left = order.filter((index) => !effects[index]!.revert());
        // The rollback of the turn tries the remaining effects, newest first.
        for (let tries = 0; tries < 3; tries++)
          left = left.sort((a, b) => b - a).filter((index) => !effects[index]!.revert());
        if (left.length === 0 && fixture.read().cards[0]?.title !== before.cards[0]!.title)
          silent.push({ titles, order, cards: fixture.read().cards });
      }
    expect(silent).toEqual([]);
  });

  it('do not bring back a card that the user removed after its undo had failed', () => {
    const fixture = boards['zustandStore']!();
    const { cards } = fixture.read();
    expect(cards).toEqual([]);
    fixture.update((board) => void board.cards.push({ id: 'a', title: '', tags: [] }));
    const [title, remove] = (
      [
        { type: 'title', id: 'a', value: '1' },
        { type: 'remove', id: 'a' },
      ] as const
    ).map((change, index) => {
      // The user edits the card between the calls.
      if (index === 1) fixture.update((board) => void (board.cards[0]!.title = 'Mine'));
      return recorded(fixture, () => fixture.update((board) => carryOut(board, change)), `call-${index}`);
    });
    fixture.update((board) => void board.cards.push({ id: 'a', title: 'Another', tags: [] }));
    expect([remove?.revert(), title?.revert()]).toEqual([false, false]);
    fixture.update((board) => void board.cards.pop());
    expect(title?.revert()).toBe(true);
    // The card is back, and the user's edit still covers the change of the first call.
    expect(remove?.revert()).toBe(false);
    expect(fixture.read().cards).toMatchObject([{ id: 'a', title: 'Mine' }]);
    fixture.update((board) => void board.cards.pop());
    expect(remove?.revert()).toBe(true);
    expect(fixture.read().cards).toEqual([]);
  });

  it('restore a value that three calls changed back and forth', () => {
    const fixture = boards['zustandStore']!();
    fixture.update(({ cards }) => void cards.push({ id: 'a', title: '', tags: [] }));
    const before = fixture.read();
    const changes: readonly Change[] = [
      { type: 'title', id: 'a', value: '0' },
      { type: 'title', id: 'a', value: '1' },
      { type: 'title', id: 'a', value: '0' },
      { type: 'remove', id: 'a' },
    ];
    const effects = changes.map((change) =>
      recorded(fixture, () => fixture.update((board) => carryOut(board, change))),
    );
    expect(effects.map((effect) => effect?.revert())).toEqual([true, true, true, true]);
    expect(fixture.read()).toEqual(before);
  });

  it('a late call that was undone does not come back when a later call is rolled back', async () => {
    const store = createStore(() => ({ cards: [{ id: 'a', title: 'Mine' }] }));
    const board = undoable(zustandStore(store), { roots: ['cards'], development: false });
    const ends: (() => void)[] = [];
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      parameters: schema,
      abortable: true,
      timeoutMs: 5,
      async execute() {
        store.setState({ cards: [{ id: 'a', title: 'By the agent' }] });
        await new Promise<void>((resolve) => void ends.push(resolve));
      },
    } as Tool);
    const remove = defineTool({
      name: 'remove',
      description: 'Removes.',
      parameters: schema,
      execute: () => store.setState({ cards: [] }),
    });
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      parameters: schema,
      async execute() {
        for (const end of ends) end();
        await settle(20);
        throw new Error('The end.');
      },
    });
    const session = createAgentSession({
      provider: scriptedProvider([callTools({ tool: 'b.write' }, { tool: 'b.remove' }, { tool: 'b.wait' })]),
      domains: [defineDomain({ id: 'b', tools: [board.wrap(write), board.wrap(remove), wait] })],
      ports: { scheduler: immediate() },
      limits: { maxRetries: 0, maxRounds: 1 },
    });
    await session.send('Go').catch(() => {});
    expect(session.turns.value[0]?.status).toBe('failed');
    expect(store.getState().cards).toEqual([{ id: 'a', title: 'Mine' }]);
    await session.dispose();
  });
});

describe('audit-X10 the data of an effect that a call did not record', () => {
  const patch = { path: ['cards', 'a', 'title'], before: 'Other', after: 'a' };
  const place = { at: 0, after: null, before: null };
  it.each([
    ['of another field than the roots', { patches: [{ path: ['admin', 'role'], before: 'root' }] }],
    ['beside one that is right', { patches: [patch, { path: ['admin'], before: { role: 'root' } }] }],
    ['of the whole state', { patches: [{ path: [], before: {}, after: null }] }],
    ['by __proto__', { patches: [{ path: ['cards', 'a', '__proto__', 'role'], before: 'root' }] }],
    ['by constructor', { patches: [{ path: ['cards', 'constructor', 'prototype'], before: 1 }] }],
    ['with a path that is no list', { patches: [{ path: 'cards', before: [] }] }],
    ['with a segment that is an object', { patches: [{ path: ['cards', {}], before: 1 }] }],
    ['with a value that JSON cannot hold', { patches: [{ ...patch, before: new Date(0) }] }],
    [
      'with a place that is none',
      { patches: [{ path: ['cards', 'x'], before: { id: 'x' }, from: { ...place, at: 'first' } }] },
    ],
    ['without patches', {}],
    ['with patches left of another field', { patches: [patch], left: [{ path: ['admin'], before: 1 }] }],
    ['without the mark of the store', { banisterStore: 2, patches: [patch] }],
  ])('%s is refused, and changes nothing', (_name, data) => {
    for (const make of Object.values(boards)) {
      const fixture = make();
      fixture.update(({ cards }) => void cards.push({ id: 'a', title: 'a', tags: [] }));
      const before = fixture.read();
      const { undo } = fixture.undoable.wrap<Tool>({
        name: 'act',
        description: 'Acts.',
        parameters: schema,
        execute: () => {},
      });
      const context = { replaceData: () => {} } as never;
      for (const direction of ['revert', 'reapply'] as const)
        expect(undo![direction]!({ banisterStore: 1, ...data }, context)).toMatchObject({
          outcome: 'failed',
        });
      expect(fixture.read()).toEqual(before);
      expect(({} as { role?: string }).role).toBeUndefined();
      void fixture.dispose?.();
    }
  });

  it('is not recorded: a change below an unsafe name such as __proto__ is irreversible', async () => {
    const { held, adapter } = valueOf<object>({ words: { constructor: 'a', other: 'a' } });
    const session = await turnOf(adapter, {
      execute: () => void (held.value = { words: { constructor: 'b', other: 'b' } }),
    });
    expect(session.undoEntries.value).toMatchObject([{ irreversible: true }]);
    expect(session.turns.value[0]?.effects[0]?.description).toContain('words/constructor');
    await session.dispose();
  });
});
