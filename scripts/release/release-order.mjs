// @ts-check
import { scope } from '../product.mjs';

/** @typedef {import('./published-manifest.mjs').Manifest} Manifest */

const kinds = /** @type {const} */ (['dependencies', 'peerDependencies']);

/**
 * Returns the packages in order: each comes after the packages of this project that it needs.
 *
 * @param {readonly Manifest[]} manifests
 * @returns {Manifest[]}
 */
export function releaseOrder(manifests) {
  /** @type {Manifest[]} */
  const ordered = [];
  let waiting = [...manifests].sort((a, b) => a.name.localeCompare(b.name));
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter((manifest) => siblingsOf(manifest).every(([name]) => !names.has(name)));
    if (ready.length === 0) throw new Error(`These packages need each other: ${[...names].join(', ')}.`);
    ordered.push(...ready);
    waiting = waiting.filter((manifest) => !ready.includes(manifest));
  }
  return ordered;
}

/**
 * The packages of the project that a package needs, each with its range.
 *
 * @param {Manifest} manifest
 * @returns {[name: string, range: string][]}
 */
export function siblingsOf(manifest) {
  return kinds.flatMap((kind) =>
    Object.entries(/** @type {Record<string, string>} */ (manifest[kind] ?? {})).filter(([name]) =>
      name.startsWith(`${scope}/`),
    ),
  );
}

/**
 * Returns the manifest, or an entry of a lock file, with a new version for every package of the project.
 *
 * @template {Record<string, any>} Entry
 * @param {Entry} entry
 * @param {string} version
 * @returns {Entry}
 */
export function withVersion(entry, version) {
  /** @type {Record<string, any>} */
  const changed = { ...entry, version };
  for (const kind of kinds) {
    if (!entry[kind]) continue;
    changed[kind] = Object.fromEntries(
      Object.entries(entry[kind]).map(([name, range]) => [
        name,
        name.startsWith(`${scope}/`) ? `^${version}` : range,
      ]),
    );
  }
  return /** @type {Entry} */ (changed);
}
