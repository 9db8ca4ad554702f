// `undoable`: copies of a store whose objects are changed in place.
import { piniaStore } from '@banister/stores/pinia';
import { createPinia, defineStore } from 'pinia';
import { describe, expect, it } from 'vitest';
import { markRaw, reactive, ref, toRaw, type Ref } from 'vue';
import { proveCopies } from './prove-copies.js';

/** A store of Pinia with these fields, and the function that copies them. */
function storeOf<T extends object>(fields: () => T) {
  const store = defineStore('board', { state: fields })(createPinia());
  const { copy } = piniaStore(store);
  return { state: store.$state as T, copy: <K extends keyof T>(name: K) => copy!(name as never) as T[K] };
}

describe('a copy of a store of Pinia', () => {
  it('equals the state at the time of the copy, and is the same object if nothing has changed', () =>
    proveCopies(
      'piniaStore',
      (root) => {
        const { state, copy } = storeOf(() => ({ root }));
        return { state, copy: () => copy('root') };
      },
      1_000,
    ));

  it('shares unchanged objects with the previous copy, even if they have moved', () => {
    const { state, copy } = storeOf(() => ({
      cards: [{ id: 'a', tags: ['x'], due: { day: 1 } }, { id: 'b' }],
    }));
    const first = copy('cards');
    state.cards[0]!.tags!.push('y');
    state.cards.unshift({ id: 'c' });
    const second = copy('cards');
    expect(second).toEqual([{ id: 'c' }, { id: 'a', tags: ['x', 'y'], due: { day: 1 } }, { id: 'b' }]);
    expect(second[1]!.due).toBe(first[0]!.due);
    expect(second[2]).toBe(first[1]);
  });

  it('has the value of a ref instead of the ref, and sees its change', () => {
    const title = ref('Plan');
    const { state, copy } = storeOf(() => ({ card: markRaw({ title, tags: [ref('x')] as Ref<string>[] }) }));
    const first = copy('card') as unknown;
    expect(copy('card')).toBe(first);
    title.value = 'Draft';
    const second = copy('card') as unknown;
    state.card.tags[0]!.value = 'y';
    expect([first, second, copy('card')]).toEqual([
      { title: 'Plan', tags: ['x'] },
      { title: 'Draft', tags: ['x'] },
      { title: 'Draft', tags: ['y'] },
    ]);
  });

  it('has a field named __proto__ like any other field', () => {
    const { copy } = storeOf(() => ({ card: JSON.parse('{"__proto__":"Plan"}') as object }));
    expect(Object.entries(copy('card'))).toEqual([['__proto__', 'Plan']]);
  });

  it('distinguishes lists with the same values in different inner lists', () => {
    const inner = ['z'];
    const { state, copy } = storeOf(() => ({ lists: [['x', inner], inner] as unknown[][] }));
    expect(copy('lists')).toEqual([['x', ['z']], ['z']]);
    state.lists[0]!.pop();
    state.lists.push(inner);
    expect(copy('lists')).toEqual([['x'], ['z'], ['z']]);
  });

  it("sees a change that bypasses Vue's proxies", () => {
    const { state, copy } = storeOf(() => ({ cards: [{ id: 'a' }] }));
    const first = copy('cards');
    toRaw(state.cards)[0]!.id = 'b';
    expect([first, copy('cards')]).toEqual([[{ id: 'a' }], [{ id: 'b' }]]);
  });

  it('contains no Vue proxies, not even of objects that were proxies when the store was made', () => {
    const readOf: unknown[] = [];
    const card = {
      get id() {
        readOf.push(this);
        return 'a';
      },
    };
    const { copy } = storeOf(() => ({ cards: [reactive(card)] }));
    expect(copy('cards')).toEqual([{ id: 'a' }]);
    expect(readOf.every((one) => one === card)).toBe(true);
  });

  it('contains values that are neither plain objects nor lists unchanged, and does not see changes inside them', () => {
    const { state, copy } = storeOf(() => ({ card: { due: new Date(0) } }));
    const first = copy('card');
    expect(first.due).toEqual(new Date(0));
    state.card.due.setTime(1);
    expect(copy('card')).toBe(first);
    state.card.due = new Date(1);
    expect(copy('card')).not.toBe(first);
  });

  it('can be made again after a field could not be read', () => {
    let isBroken = false;
    const inner = {
      get day() {
        if (isBroken) throw new Error('Broken.');
        return 1;
      },
    };
    const { state, copy } = storeOf(() => ({ card: { id: 'a', due: inner } }));
    copy('card');
    state.card.id = 'b';
    isBroken = true;
    expect(() => copy('card')).toThrow('Broken.');
    isBroken = false;
    expect(copy('card')).toEqual({ id: 'b', due: { day: 1 } });
  });
});
