import type { RootsOf, StoreAdapter } from './adapter.js';
import { DerivedCopies } from './derived-copies.js';

/**
 * The adapter of an object that `$state` of Svelte 5 made, whose fields are changed in place: `undoable` needs `roots`.
 *
 * @param state the object, not a field of it that is assigned anew
 * @example
 * const board = $state({ cards: [] });
 * const undoableBoard = undoable(runesState(board), { roots: ['cards'] });
 */
export function runesState<T extends object>(state: T): StoreAdapter<RootsOf<T>> {
  return {
    read: () => state,
    copy: (root) => copies.ofField(state, root),
    write: () => {},
  };
}

// Reading past the proxies of Svelte is not possible, and reading through them takes long.
const copies = new DerivedCopies({
  derive: (read) =>
    // A server has no effects, and a derived value that is made there may keep its first value: each reading copies anew.
    outsideOfOwners(() => {
      const value = $derived.by(() => resultOf(read));
      return () => {
        if (value instanceof Unreadable) throw value.error;
        return value;
      };
    }) ?? read,
  follow: (value) =>
    outsideOfOwners(() => {
      $effect.pre(() => void resultOf(value));
    }),
});

/** A derived value that is made in a component ends with it, and one that is made in another one is not followed by that. */
function outsideOfOwners<T>(make: () => T): T | undefined {
  let made: T | undefined;
  $effect.root(() => void (made = make()));
  return made;
}

/** A field that cannot be read is an error of the call that reads it, and none of the page whose effects are run. */
class Unreadable {
  constructor(readonly error: unknown) {}
}

function resultOf<T>(read: () => T): T | Unreadable {
  try {
    return read();
  } catch (error) {
    return new Unreadable(error);
  }
}
