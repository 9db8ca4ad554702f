// @vitest-environment jsdom
// Undo without writing undo: with real runes, which are signals where there is a document.
import { runesState } from '@banister/stores/runes';
import { storeConformance } from '@banister/testing';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { gapsOfRunes, objectBoard } from './boards.js';
import { proveCopies } from './prove-copies.js';
import { proveSchedules } from './prove-schedules.js';
import { runInComponent, stateOf } from './state-of.svelte.js';

storeConformance('runesState', objectBoard(stateOf), { describe, it }, { skip: gapsOfRunes });

it('edits of the user survive every undo and redo, in an object of runes', () =>
  proveSchedules('runesState', objectBoard(stateOf), 1_000));

/** An object of runes with these fields, and the function that copies them. */
function runesOf<T extends object>(fields: T) {
  const state = stateOf(fields);
  const { copy } = runesState(state);
  return { state, copy: <K extends keyof T>(name: K) => copy!(name as never) as T[K] };
}

describe('a copy of an object of runes', () => {
  it('equals the object at the time of the copy, and is the same copy if nothing has changed', () =>
    proveCopies(
      'runesState',
      (root) => {
        const { state, copy } = runesOf({ root });
        return { state, copy: () => copy('root') };
      },
      1_000,
    ));

  it('shares unchanged objects with the previous copy', () => {
    const { state, copy } = runesOf({ cards: [{ id: 'a', tags: ['x'] }, { id: 'b' }] });
    const first = copy('cards');
    state.cards[1]!.id = 'c';
    const second = copy('cards');
    expect(second).toEqual([{ id: 'a', tags: ['x'] }, { id: 'c' }]);
    expect(second[0]).toBe(first[0]);
  });

  it('is up to date even if the component of the first copy is gone', () => {
    const { state, copy } = runesOf({ cards: [{ id: 'a' }] });
    runInComponent(() => expect(copy('cards')).toEqual([{ id: 'a' }]));
    state.cards[0]!.id = 'b';
    state.cards.push({ id: 'c' });
    expect(copy('cards')).toEqual([{ id: 'b' }, { id: 'c' }]);
  });

  it('throws for an unreadable field when the copy is made, but not when Svelte reports the change', () => {
    const card = {
      tags: ['a'],
      get first() {
        if (this.tags.length === 0) throw new Error('No tag.');
        return this.tags[0];
      },
    };
    const { state, copy } = runesOf({ card });
    copy('card');
    state.card.tags.length = 0;
    expect(flushSync).not.toThrow();
    expect(() => copy('card')).toThrow('No tag.');
    state.card.tags.push('b');
    expect(copy('card')).toEqual({ tags: ['b'], first: 'b' });
  });
});
