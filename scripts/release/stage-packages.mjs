// @ts-check
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packages } from '../packages.mjs';
import { folderOf } from '../product.mjs';
import { root } from '../run-process.mjs';
import { publishedManifest, publishedReadme } from './published-manifest.mjs';
import { releaseOrder } from './release-order.mjs';
import { repositoryAddress } from './repository-address.mjs';

/** @param {string} file @returns {import('./published-manifest.mjs').Manifest} */
const readManifest = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** The manifest of the root. */
export const rootManifest = () => readManifest('package.json');

/** The manifests of all packages, each after those that it needs. */
export const packageManifests = () =>
  releaseOrder(packages.map((name) => readManifest(`packages/${name}/package.json`)));

/**
 * Copies the built packages as they are published: with the licence, the changelog, and the addresses of the repository. The packages in the
 * repository do not contain these addresses, so that they are in a single place.
 *
 * @param {string} target a folder
 * @returns {string[]} the folders of the packages, in the order in which they are published
 */
export function stagePackages(target) {
  const address = repositoryAddress(rootManifest()['repository']);
  return packageManifests().map((manifest) => {
    const directory = `packages/${folderOf(manifest.name)}`;
    const from = path.join(root, directory);
    const folder = path.join(target, path.basename(directory));
    const place = { address, directory, version: manifest.version };
    mkdirSync(folder, { recursive: true });
    for (const part of ['dist', 'LICENSE', ...(manifest['bin'] ? ['bin'] : [])])
      cpSync(path.join(from, part), path.join(folder, part), { recursive: true });
    cpSync(path.join(root, 'CHANGELOG.md'), path.join(folder, 'CHANGELOG.md'));
    const readme = publishedReadme(readFileSync(path.join(from, 'README.md'), 'utf8'), place);
    writeFileSync(path.join(folder, 'README.md'), readme);
    const text = JSON.stringify(publishedManifest(manifest, place), null, 2);
    writeFileSync(path.join(folder, 'package.json'), `${text}\n`);
    return folder;
  });
}
