/**
 * Returns a function that finds the indexes of the items that fulfil a condition. It is meant for few hits in long lists. Items that a list
 * shares with the previous list are only compared by identity, so that a long list that only grows is read once.
 *
 * @param fulfils called once for each item; an item must not change
 */
export function rememberedPlaces<T extends object>(
  fulfils: (item: T) => boolean,
): (items: readonly T[]) => readonly number[] {
  /** The indexes for the last list with this first item. */
  const known = new WeakMap<T, { readonly items: readonly T[]; readonly places: readonly number[] }>();
  return (items) => {
    const [first] = items;
    if (first === undefined) return [];
    const last = known.get(first);
    if (last?.items === items) return last.places;
    let index = 0;
    if (last !== undefined) while (index < last.items.length && last.items[index] === items[index]) index++;
    const places = last?.places.filter((one) => one < index) ?? [];
    for (; index < items.length; index++) if (fulfils(items[index]!)) places.push(index);
    known.set(first, { items, places });
    return places;
  };
}
