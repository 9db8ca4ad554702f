// `undoable`: which functions of a store are called, and when.
import type { EffectData, RevertContext, Tool, ToolContext } from '@banister/session';
import { undoable } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import { piniaStore } from '@banister/stores/pinia';
import { PATCHED, reduxStore, undoableEnhancer } from '@banister/stores/redux';
import { configureStore } from '@reduxjs/toolkit';
import { createPinia, defineStore } from 'pinia';
import { describe, expect, it, vi } from 'vitest';
import { effectScope } from 'vue';
import { schema, turnOf, valueOf } from './turn-of.js';

/** A value that is replaced. Its adapter reports changes. */
function toldValueOf<T>(value: T) {
  const held = { value };
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const changed of listeners) changed();
  };
  const set = (next: T) => {
    held.value = next;
    tell();
  };
  const subscribe = (changed: () => void) => {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  };
  return { set, tell, listeners, adapter: immerValue(() => held.value, set, subscribe) };
}

const rowsOf = (ids: string) => [...ids].map((id) => ({ id }));

describe('a watched store', () => {
  it('notifies the remaining subscribers after one has left, and is unsubscribed with the last', () => {
    const { set, listeners, adapter } = toldValueOf(0);
    const board = undoable(adapter, { development: false });
    const [one, other] = [vi.fn(), vi.fn()];
    const [stopOne, stopOther] = [board.subscribe(one), board.subscribe(other)];
    stopOne();
    stopOne();
    set(1);
    expect([one.mock.calls.length, other.mock.calls.length, listeners.size]).toEqual([0, 1, 1]);
    stopOther();
    expect(listeners.size).toBe(0);
    board.subscribe(one);
    set(2);
    expect(one).toHaveBeenCalledTimes(1);
  });

  it('is unsubscribed once, no matter how often its last subscriber leaves', () => {
    const leave = vi.fn();
    const adapter = immerValue(
      () => 0,
      () => {},
      () => leave,
    );
    const stop = undoable(adapter, { development: false }).subscribe(() => {});
    stop();
    stop();
    expect(leave).toHaveBeenCalledTimes(1);
  });

  it('that reports one change twice has one change', () => {
    const { set, tell, adapter } = toldValueOf(0);
    const changed = vi.fn();
    undoable(adapter, { development: false }).subscribe(changed);
    set(1);
    tell();
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it('of Pinia is still watched after the subscribing component is gone', () => {
    const store = defineStore('board', { state: () => ({ cards: [] as string[] }) })(createPinia());
    const board = undoable(piniaStore(store), { roots: ['cards'], development: false });
    const changed = vi.fn();
    const component = effectScope();
    component.run(() => board.subscribe(changed));
    component.stop();
    store.cards.push('a');
    expect(changed).toHaveBeenCalledTimes(1);
    store.$dispose();
  });

  it('is read for an undo equally often with and without a subscriber, and not more often after a call that has waited', async () => {
    const readsOfUndo = async (wait: () => void | Promise<void>, isSubscribed = false) => {
      const { held, adapter } = valueOf(0);
      const read = vi.spyOn(adapter, 'read');
      const board = undoable(adapter, { development: false });
      const execute = () => {
        held.value++;
        return wait();
      };
      const act = board.wrap<Tool>({ name: 'act', description: 'Acts.', parameters: schema, execute });
      let data: unknown;
      const context = { undo: (effect: EffectData) => void (data = effect.data) };
      await act.execute({}, context as unknown as ToolContext);
      if (isSubscribed) board.subscribe(() => {});
      read.mockClear();
      await act.undo!.revert(data, { replaceData: () => {} } as unknown as RevertContext);
      expect(held.value).toBe(0);
      return read.mock.calls.length;
    };
    const reads = await readsOfUndo(() => {});
    expect(await readsOfUndo(() => {}, true)).toBe(reads);
    expect(await readsOfUndo(() => Promise.resolve())).toBe(reads);
  });
});

describe('a call', () => {
  it('records a change that `context.change` makes before the first await once', async () => {
    const { held, adapter } = valueOf(0);
    const describe = vi.fn(() => ({}));
    const execute: Tool['execute'] = (_args, context) => void context.change(() => held.value++);
    const session = await turnOf(adapter, { execute }, { describe });
    expect(describe).toHaveBeenCalledTimes(1);
    await session.undo();
    expect(held.value).toBe(0);
    await session.dispose();
  });

  it('that waits loses no change because of a subscription', async () => {
    const { held, adapter } = valueOf({ title: 'A' });
    const board = undoable(adapter, { development: false });
    const unattributed = vi.fn();
    let end!: () => void;
    const execute: Tool['execute'] = () => new Promise<void>((resolve) => (end = resolve));
    const tool: Tool = board.wrap({ name: 'act', description: 'Acts.', parameters: schema, execute });
    const call = tool.execute({}, { unattributed } as Partial<ToolContext> as ToolContext);
    held.value = { title: 'B' };
    board.subscribe(() => {});
    end();
    await call;
    expect(unattributed).toHaveBeenCalledWith(['title']);
  });

  it('that waited without other changes gives no warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf(0);
    const execute: Tool['execute'] = async (_args, context) => {
      await Promise.resolve();
      context.change(() => held.value++);
    };
    const session = await turnOf(adapter, { execute }, { development: true });
    expect(held.value).toBe(1);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
    await session.dispose();
  });

  it('gives no warning if there is no `process`, as in a browser', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { held, adapter } = valueOf<unknown>(null);
    vi.stubGlobal('process', undefined);
    const board = undoable(adapter);
    vi.unstubAllGlobals();
    const irreversible = vi.fn();
    const execute = () => void (held.value = new Date(0));
    const tool = board.wrap<Tool>({ name: 'act', description: 'Acts.', parameters: schema, execute });
    await tool.execute({}, { irreversible } as unknown as Parameters<Tool['execute']>[1]);
    expect(irreversible).toHaveBeenCalledTimes(1);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('an undo', () => {
  it('restores elements in their order if all their neighbours are gone', async () => {
    const { held, adapter } = valueOf({ rows: rowsOf('abcd') });
    const session = await turnOf(adapter, { execute: () => void (held.value = { rows: [] }) });
    held.value = { rows: rowsOf('xy') };
    await session.undo();
    expect(held.value).toEqual({ rows: rowsOf('abcdxy') });
    await session.dispose();
  });

  it('reports an element whose list has lost its keys meanwhile, and does not change the list', async () => {
    const { held, adapter } = valueOf<{ rows: unknown[] }>({ rows: rowsOf('a') });
    const session = await turnOf(adapter, { execute: () => void (held.value = { rows: rowsOf('ab') }) });
    held.value = { rows: ['a text'] };
    const { failed } = await session.undo();
    expect(failed).toMatchObject([{ reason: 'rows/b was changed since, and stays as it is.' }]);
    expect(held.value).toEqual({ rows: ['a text'] });
    await session.dispose();
  });

  it('and a redo put elements into lists inside elements that they move', async () => {
    const before = ['a', 'b', 'c'].map((id) => ({ id, rows: rowsOf('x') }));
    const after = ['c', 'b', 'a'].map((id) => ({ id, rows: rowsOf('xy') }));
    const { held, adapter } = valueOf({ rows: before });
    const session = await turnOf(adapter, { execute: () => void (held.value = { rows: after }) });
    await session.undo();
    expect(held.value).toEqual({ rows: before });
    await session.redo();
    expect(held.value).toEqual({ rows: after });
    await session.dispose();
  });

  it('of Redux does not change parts of a state that its action does not fit, for example when devtools replay the action', () => {
    const store = configureStore({
      reducer: (state: object = { note: 'text', n: 1 }) => state,
      enhancers: (standard) => standard().concat(undoableEnhancer),
    });
    const place = { at: 0, after: null, before: null };
    const moves = [
      { path: ['n'], before: 1, after: 2 },
      { path: ['note', 'text'], before: 'A', after: 'B' },
      { path: ['cards', 'a'], before: { id: 'a' }, from: place },
      { path: ['cards', 'b'], after: { id: 'b' }, to: place },
    ];
    store.dispatch({ type: PATCHED, payload: { moves, key: 'id' } });
    expect(reduxStore(store).read()).toEqual({ note: 'text', n: 2 });
  });
});
