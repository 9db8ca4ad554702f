import { Draft } from './draft.js';
import { Lists } from './lists.js';
import { isOfList, pathText, reversed, type Patch, type Place } from './patch.js';
import { isEqual, isPlain, keyOf } from './values.js';

/** A patch that cannot be applied, with the reason in words for the user. */
export interface Kept {
  readonly patch: Patch;
  readonly reason: string;
  /** True if the change is not in the state and never was in this page. */
  readonly isAbsent?: boolean;
}

/** Sorts patches by whether they can be applied to the current state. */
export interface Plan {
  /** The patches that can be undone or redone. */
  readonly ready: readonly Patch[];
  /** The patches to apply: those of `ready`, reversed for `revert`. */
  readonly moves: readonly Patch[];
  /** Patches that would overwrite an edit; for `reapply` also patches whose field or element no longer exists. */
  readonly kept: readonly Kept[];
  /** For `revert`: patches whose field or element no longer exists. */
  readonly gone: readonly Patch[];
}

/**
 * Compares patches with a state, and returns the patches that can be undone or redone. A patch would overwrite an edit if its field or
 * element is not as the patch left it.
 *
 * @param direction `revert`: from `after` to `before`
 */
export function plan(
  state: unknown,
  patches: readonly Patch[],
  direction: 'revert' | 'reapply',
  key: string,
): Plan {
  const lists = new Lists(key);
  const ready: Patch[] = [];
  const kept: Kept[] = [];
  const gone: Patch[] = [];
  for (const patch of patches) {
    const move = direction === 'revert' ? reversed(patch) : patch;
    const found = stateOf(state, move, lists);
    if (found === 'ready') ready.push(patch);
    else if (found === 'gone' && direction === 'revert') gone.push(patch);
    else if (found !== 'moved') kept.push({ patch, reason: reasonOf(patch, found) });
  }
  return { ready, moves: direction === 'revert' ? ready.map(reversed) : ready, kept, gone };
}

/** `moved`: the state already is as the patch would make it. */
type PatchState = 'ready' | 'moved' | 'gone' | 'edited';

function stateOf(state: unknown, patch: Patch, lists: Lists): PatchState {
  const { path } = patch;
  const parent = path.length === 0 ? null : lists.at(state, path.slice(0, -1));
  if (parent === undefined) return 'gone';
  if (isOfList(patch)) return stateInList(parent, patch, lists);
  const now = path.length === 0 ? state : lists.child(parent, path.at(-1)!);
  if (path.length > 0 && !isPlain(parent)) return 'edited';
  if (isEqual(now, patch.before)) return 'ready';
  return isEqual(now, patch.after) ? 'moved' : 'edited';
}

function stateInList(list: unknown, { path, before, after, from, to }: Patch, lists: Lists): PatchState {
  if (!Array.isArray(list)) return 'edited';
  const positions = lists.positions(list);
  if (positions === null) return 'edited';
  const at = positions.get(path.at(-1)!);
  if (from === undefined) {
    if (at === undefined) return 'ready';
    return isEqual(list[at], after) ? 'moved' : 'edited';
  }
  if (at === undefined) return 'gone';
  if (to === undefined) return isEqual(list[at], before) ? 'ready' : 'edited';
  const neighbour = (index: number) => keyOf(list[index], lists.key) ?? null;
  const isBetween = (place: Place) => neighbour(at - 1) === place.after || neighbour(at + 1) === place.before;
  if (isBetween(from)) return 'ready';
  return isBetween(to) ? 'moved' : 'edited';
}

/** Returns the refusal of a change that is not in the state of this page. */
export function absent(patch: Patch): Kept {
  return { patch, reason: `${nameOf(patch)} is not in the state of this page.`, isAbsent: true };
}

/** The title, name or label of an element, if it has one; else the path. */
function nameOf({ path, before, after }: Patch): string {
  const element = after ?? before;
  const names = isPlain(element) ? [element['title'], element['name'], element['label']] : [];
  const name = names.find((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? `“${name}”` : pathText(path);
}

function reasonOf({ path, from, to }: Patch, found: PatchState): string {
  const name = pathText(path);
  if (found === 'gone') return `${name} is no longer there.`;
  return `${name} was ${from && to ? 'moved' : 'changed'} since, and stays as it is.`;
}

/**
 * Applies the patches that `plan` returned to the state that `plan` compared.
 *
 * @param inPlace whether to change the objects of the state; otherwise the objects on the path to a change are copied
 */
export function apply(state: unknown, moves: readonly Patch[], key: string, inPlace = false): unknown {
  const draft = new Draft(state, new Lists(key), inPlace);
  for (const move of moves) if (!isOfList(move)) draft.set(move.path, move.after);
  draft.takeOut(moves.filter((move) => move.from));
  // Outer lists first: an element must be in place before elements are put into a list inside it.
  const placed = moves
    .filter((move) => move.to)
    .sort((a, b) => a.path.length - b.path.length || a.to!.at - b.to!.at);
  for (const move of placed) draft.putIn(move, move.to!);
  return draft.root;
}
