/** The part of the app's state that an effect touches. */
export interface EffectPlace {
  /** The id of the domain. */
  readonly domain: string;
  /** Names of the touched parts of the domain. Absent if they are unknown; then the effect may have touched the whole domain. */
  readonly paths?: readonly string[] | undefined;
}

/** The parts of the app's state that effects touch, as paths that begin with the domain. */
export interface Touched {
  readonly paths: ReadonlySet<string>;
  /** These paths, and all paths above them. */
  readonly above: ReadonlySet<string>;
}

/**
 * Returns true if two effects touch the same part of the app's state. They do if they are in the same domain, and a path of one effect is
 * equal to a path of the other, or is above or below it. An effect without paths, or with an empty list, touches the whole domain.
 *
 * @example
 * overlaps({ domain: 'board', paths: ['cards/42'] }, { domain: 'board', paths: ['cards/42/title'] }); // true
 */
export function overlaps(a: EffectPlace, b: EffectPlace): boolean {
  return meet(touchedBy([a]), touchedBy([b]));
}

/** Returns the parts of the app's state that effects touch, for comparing them with the parts of other effects. */
export function touchedBy(places: readonly EffectPlace[]): Touched {
  const paths = new Set<string>();
  const above = new Set<string>();
  for (const { domain, paths: named = [] } of places) {
    for (const path of named.length === 0 ? [''] : named) {
      // Empty segments are ignored: `/cards/` is `cards`. The id of a domain has no slash.
      const whole = [domain, ...path.split('/').filter(Boolean)].join('/');
      paths.add(whole);
      for (const one of pathsAbove(whole)) above.add(one);
    }
  }
  return { paths, above };
}

/** Returns a path of {@link Touched}, and all paths above it. */
export function pathsAbove(path: string): readonly string[] {
  const above = [path];
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    above.push(path.slice(0, end));
  return above;
}

/** Returns true if effects touch the same part of the app's state as others. */
export function meet(a: Touched, b: Touched): boolean {
  for (const path of a.paths) if (b.above.has(path)) return true;
  for (const path of b.paths) if (a.above.has(path)) return true;
  return false;
}
