// @ts-check
import { sourceCondition } from '../product.mjs';

/**
 * @typedef {Record<string, any> & { name: string, version: string }} Manifest
 * @typedef {{ address: string | null, directory: string }} Place `address` of the repository, and the folder of the package in it
 */

/**
 * Returns the manifest of a package as it is published: with the addresses of the repository if they are known, and without the condition
 * for the sources, which are not published.
 *
 * @param {Manifest} manifest
 * @param {Place} place
 * @returns {Manifest}
 */
export function publishedManifest(manifest, { address, directory }) {
  const entries = Object.entries(manifest['exports'] ?? {}).map(([entry, target]) => {
    if (typeof target === 'string') return [entry, target];
    const { [sourceCondition]: _, ...published } = target;
    return [entry, published];
  });
  const published = { ...manifest, exports: Object.fromEntries(entries) };
  if (address === null) return published;
  return {
    ...published,
    repository: { type: 'git', url: `git+${address}.git`, directory },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
}

/**
 * Returns the README of a package as it is published: a link to a file of the repository points there, at the tag of the version. Without
 * an address, only the text of the link is kept.
 *
 * @param {string} text
 * @param {Place & { version: string }} place
 */
export function publishedReadme(text, { address, directory, version }) {
  return text.replace(/\[([^\]]*)\]\((\.\.?\/[^)\s]*)\)/g, (_link, words, target) => {
    if (address === null) return words;
    const { pathname, hash } = new URL(target, `file:///${directory}/`);
    return `[${words}](${address}/blob/v${version}${pathname}${hash})`;
  });
}
