import { configureStore, createSlice, type PayloadAction } from '@reduxjs/toolkit';
import { signal } from '@preact/signals-core';
import type { StoreBoard, StoreFixture } from '@banister/testing';
import { undoable, type StoreAdapter, type UndoableOptions } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import { piniaStore } from '@banister/stores/pinia';
import { reduxStore, undoableEnhancer } from '@banister/stores/redux';
import { runesState } from '@banister/stores/runes';
import { signalStore } from '@banister/stores/signals';
import { svelteStore } from '@banister/stores/svelte';
import { zustandStore } from '@banister/stores/zustand';
import { produce, setAutoFreeze } from 'immer';
import { create } from 'mutative';
import { createPinia, defineStore } from 'pinia';
import { get, writable } from 'svelte/store';
import { createStore } from 'zustand/vanilla';

// The board of the conformance suite in each kind of store. Each store is changed as its apps change it.

// A store that is not frozen shows what is changed in place.
setAutoFreeze(false);

/** A board in a store. The store stays when its page is loaded again. */
export interface BoardFixture extends StoreFixture {
  /** Makes the store undoable as another page does. */
  reopened(): StoreFixture['undoable'];
}

export type MakeBoard = (options?: UndoableOptions) => BoardFixture;
type Recipe = Parameters<StoreFixture['update']>[0];

const empty = (): StoreBoard => ({ cards: [], filter: '' });

function fixture(
  adapter: StoreAdapter,
  options: UndoableOptions | undefined,
  rest: Omit<StoreFixture, 'undoable'>,
): BoardFixture {
  const settings = { roots: ['cards', 'filter'], development: false, ...options };
  const reopened = () => undoable(adapter, settings);
  return { ...rest, undoable: reopened(), reopened };
}

/** Applies a recipe as an app without a library would: changed objects are replaced. */
const changed = (board: StoreBoard, recipe: Recipe): StoreBoard =>
  produce(board, (draft) => void recipe(draft));

export const zustandBoard: MakeBoard = (options) => {
  interface Store extends StoreBoard {
    update(recipe: Recipe): void;
  }
  const store = createStore<Store>((set) => ({
    ...empty(),
    update: (recipe) => set((state) => changed(state, recipe)),
  }));
  const read = () => {
    const { cards, filter } = store.getState();
    return structuredClone({ cards, filter });
  };
  return fixture(zustandStore(store), options, {
    read,
    update: (recipe) => store.getState().update(recipe),
    mutate: (recipe) => {
      recipe(store.getState());
      store.setState({});
    },
  });
};

export const reduxBoard: MakeBoard = (options) => {
  const slice = createSlice({
    name: 'board',
    initialState: empty(),
    reducers: {
      // The reducer of a real app names its changes; here the action carries a function.
      update: (draft, { payload }: PayloadAction<Recipe>) => void payload(draft),
    },
  });
  const store = configureStore({
    reducer: slice.reducer,
    middleware: (standard) => standard({ serializableCheck: false, immutableCheck: false }),
    enhancers: (standard) => standard().concat(undoableEnhancer),
  });
  return fixture(reduxStore(store), options, {
    read: () => structuredClone(store.getState()),
    update: (recipe) => void store.dispatch(slice.actions.update(recipe)),
  });
};

export const signalBoard: MakeBoard = (options) => {
  const [cards, filter] = [signal(empty().cards), signal('')];
  const board = () => ({ cards: cards.value, filter: filter.value });
  return fixture(signalStore({ cards, filter }), options, {
    read: () => structuredClone(board()),
    update: (recipe) => {
      const next = changed(board(), recipe);
      cards.value = next.cards;
      filter.value = next.filter;
    },
    mutate: (recipe) => recipe(board()),
  });
};

export const svelteBoard: MakeBoard = (options) => {
  const store = writable(empty());
  return fixture(svelteStore(store), options, {
    read: () => structuredClone(get(store)),
    update: (recipe) => store.update((board) => changed(board, recipe)),
    mutate: (recipe) =>
      store.update((board) => {
        recipe(board);
        return board;
      }),
  });
};

function valueBoard(change: (board: StoreBoard, recipe: Recipe) => StoreBoard): MakeBoard {
  return (options) => {
    let board = empty();
    const listeners = new Set<() => void>();
    const set = (next: StoreBoard) => {
      board = next;
      for (const changed of listeners) changed();
    };
    const subscribe = (changed: () => void) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    };
    return fixture(
      immerValue(() => board, set, subscribe),
      options,
      { read: () => structuredClone(board), update: (recipe) => set(change(board, recipe)) },
    );
  };
}

export const immerBoard = valueBoard(changed);
export const mutativeBoard = valueBoard((board, recipe) => create(board, (draft) => void recipe(draft)));

export const piniaBoard: MakeBoard = (options) => {
  const store = defineStore('board', { state: empty })(createPinia());
  return fixture(piniaStore(store), options, {
    read: () => JSON.parse(JSON.stringify(store.$state)) as StoreBoard,
    update: (recipe) => recipe(store.$state),
    dispose: () => store.$dispose(),
  });
};

/** Facts that do not hold for stores whose objects are changed in place. */
export const gapsOfMutable = { 'in-place': 'its objects are changed in place, and are copied before' };
export const gapsOfRunes = { ...gapsOfMutable, subscribe: 'it tells of no change' };

/**
 * Returns a board in an object that `$state` made, or in a plain object, which is changed in the same way.
 */
export const objectBoard =
  (make: (board: StoreBoard) => StoreBoard): MakeBoard =>
  (options) => {
    const state = make(empty());
    return fixture(runesState(state), options, {
      read: () => JSON.parse(JSON.stringify(state)) as StoreBoard,
      update: (recipe) => recipe(state),
    });
  };

export const boards: Readonly<Record<string, MakeBoard>> = {
  zustandStore: zustandBoard,
  reduxStore: reduxBoard,
  signalStore: signalBoard,
  svelteStore: svelteBoard,
  'immerValue with Immer': immerBoard,
  'immerValue with Mutative': mutativeBoard,
  piniaStore: piniaBoard,
  'runesState of a plain object': objectBoard((board) => board),
};
