import type { RootsOf, StoreAdapter } from './adapter.js';
import { DerivedCopies } from './derived-copies.js';

/**
 * The adapter of an object that `$state` of Svelte 5 made. Its fields are changed in place, so `undoable` needs `roots`.
 *
 * @param state the object itself, not a field that is assigned again
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

// Svelte gives no access to the objects behind its proxies, and reading through proxies is slow.
const copies = new DerivedCopies({
  derive: (read) =>
    // On a server there are no effects, and a derived value might never update: each reading copies again.
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

/** Runs `make` without an owner: otherwise a derived value ends with its component, and a derived value around it does not follow it. */
function outsideOfOwners<T>(make: () => T): T | undefined {
  let made: T | undefined;
  $effect.root(() => void (made = make()));
  return made;
}

/** Holds an error of `read`. The call that reads the value throws the error; the effects of the page do not. */
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
