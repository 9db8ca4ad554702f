/**
 * Returns a function that returns the indexes of the items that fulfil a condition: few of many. The items that a list has in common with the one
 * before it are compared by identity alone, so that a long list that only grows is read once.
 *
 * @param fulfils is called once for each item, which must not change
 */
export function rememberedPlaces<T extends object>(
  fulfils: (item: T) => boolean,
): (items: readonly T[]) => readonly number[] {
  /** The indexes for the list that was walked through last, by its first item. */
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
