import { describe, expect, it, vi } from 'vitest';
import { computed, reactive } from 'vue';
import { proveCopies } from '../test/prove-copies.js';
import { DerivedCopies } from './derived-copies.js';

/** A state of Vue with this field, and the function that copies it. */
function copied<T>(root: T) {
  const state = reactive({ root }) as { root: T };
  const derived = vi.fn();
  const follow = vi.fn();
  const copies = new DerivedCopies({
    derive(read) {
      derived();
      const value = computed(read);
      return () => value.value;
    },
    follow,
  });
  return { state, derived, follow, copy: () => copies.ofField(state, 'root') as T };
}

describe('a derived copy', () => {
  it('equals the state at the time of the copy, and is the same object if nothing has changed', () =>
    proveCopies('a state of Vue', copied, 1_000));

  it('shares unchanged objects with the previous copy, even if they have moved', () => {
    const { state, copy } = copied([{ id: 'a', tags: ['x'], due: { day: 1 } }, { id: 'b' }]);
    const first = copy();
    state.root[0]!.tags!.push('y');
    state.root.unshift({ id: 'c' });
    const second = copy();
    expect(second).toEqual([{ id: 'c' }, { id: 'a', tags: ['x', 'y'], due: { day: 1 } }, { id: 'b' }]);
    expect(second[1]!.due).toBe(first[0]!.due);
    expect(second[2]).toBe(first[1]);
  });

  it('of a long list is made of pieces, and a change of an element renews only one piece', () => {
    const reads = vi.fn();
    const { state, derived, copy } = copied(
      Array.from({ length: 64 }, (_, id) => ({
        id,
        get isRead() {
          reads();
          return true;
        },
      })),
    );
    copy();
    reads.mockClear();
    // Reads of the field, of the list, of its two pieces, and of the elements.
    const made = 1 + 2 + 2 + 64;
    expect(derived).toHaveBeenCalledTimes(made);
    state.root[50]!.id = -1;
    expect(copy()[50]).toEqual({ id: -1, isRead: true });
    expect(reads).toHaveBeenCalledTimes(1);
    state.root.push({ id: 64, isRead: true });
    expect(copy()).toEqual(state.root);
    // One read of the new element, and one of its piece.
    expect(derived.mock.calls.length).toBe(made + 2);
  });

  it('of a list of strings needs no derived value', () => {
    const { derived, copy } = copied({ id: 'a', tags: ['x', 'y'] });
    expect(copy()).toEqual({ id: 'a', tags: ['x', 'y'] });
    // One read of the field, and one of the object.
    expect(derived).toHaveBeenCalledTimes(2);
  });

  it('follows its field, but not the objects in it', () => {
    const { follow, copy } = copied([{ id: 'a' }]);
    const made = copy();
    copy();
    expect(follow.mock.calls).toEqual([[expect.any(Function)]]);
    expect((follow.mock.calls[0]![0] as () => unknown)()).toBe(made);
  });

  it('of a list distinguishes -0 from 0', () => {
    const { state, copy } = copied<unknown[]>([{ id: 'a' }, 0]);
    expect(copy()[1]).toBe(0);
    state.root[1] = -0;
    expect(copy()[1]).toBe(-0);
  });

  it('has a field named __proto__ like any other field', () => {
    const { copy } = copied(JSON.parse('{"__proto__":"Plan"}') as object);
    expect(Object.entries(copy())).toEqual([['__proto__', 'Plan']]);
  });

  it('contains values that are neither plain objects nor lists unchanged', () => {
    const due = new Date(0);
    expect(copied({ due }).copy().due).toEqual(due);
  });
});
