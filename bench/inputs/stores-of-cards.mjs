import { signal } from '@preact/signals-core';
import { configureStore } from '@reduxjs/toolkit';
import { produce } from 'immer';
import { createPinia, defineStore } from 'pinia';
import { writable } from 'svelte/store';
import { createStore } from 'zustand/vanilla';
import { immerValue } from '../../.cache/bench/node_modules/@banister/stores/dist/immer.js';
import { piniaStore } from '../../.cache/bench/node_modules/@banister/stores/dist/pinia.js';
import { reduxStore, undoableEnhancer } from '../../.cache/bench/node_modules/@banister/stores/dist/redux.js';
import { runesState } from '../../.cache/bench/node_modules/@banister/stores/dist/runes.client.js';
import { signalStore } from '../../.cache/bench/node_modules/@banister/stores/dist/signals.js';
import { stateOf } from '../../.cache/bench/node_modules/@banister/stores/dist/state-of.client.js';
import { svelteStore } from '../../.cache/bench/node_modules/@banister/stores/dist/svelte.js';
import { zustandStore } from '../../.cache/bench/node_modules/@banister/stores/dist/zustand.js';

/** Returns a copy of the list in which a card has another title, as apps make it. */
function renamed(cards, index, title) {
  const next = cards.slice();
  next[index] = { ...next[index], title };
  return next;
}

/** Stores that hold cards, by kind: each with its adapter, and a function that changes the title of a card. */
export const storesOfCards = {
  zustand(cards) {
    const store = createStore(() => ({ cards, filter: '' }));
    const rename = (index, title) =>
      store.setState((state) => ({ cards: renamed(state.cards, index, title) }));
    return { adapter: zustandStore(store), rename };
  },
  redux(cards) {
    const reducer = (state = { cards, filter: '' }, { type, index, title }) =>
      type === 'renamed' ? { ...state, cards: renamed(state.cards, index, title) } : state;
    const enhancers = (standard) => standard().concat(undoableEnhancer);
    const store = configureStore({ reducer, enhancers });
    const rename = (index, title) => void store.dispatch({ type: 'renamed', index, title });
    return { adapter: reduxStore(store), rename };
  },
  signals(list) {
    const cards = signal(list);
    const rename = (index, title) => void (cards.value = renamed(cards.value, index, title));
    return { adapter: signalStore({ cards }), rename };
  },
  svelte(cards) {
    const store = writable({ cards, filter: '' });
    const rename = (index, title) =>
      store.update((state) => ({ ...state, cards: renamed(state.cards, index, title) }));
    return { adapter: svelteStore(store), rename };
  },
  immer(cards) {
    let board = { cards, filter: '' };
    const set = (next) => void (board = next);
    const rename = (index, title) => set(produce(board, (draft) => void (draft.cards[index].title = title)));
    return { adapter: immerValue(() => board, set), rename };
  },
  pinia(cards) {
    const store = defineStore('board', { state: () => ({ cards }) })(createPinia());
    const rename = (index, title) => void (store.cards[index].title = title);
    return { adapter: piniaStore(store), rename, roots: ['cards'] };
  },
  runes(cards) {
    const state = stateOf({ cards });
    const rename = (index, title) => void (state.cards[index].title = title);
    return { adapter: runesState(state), rename, roots: ['cards'] };
  },
};
