// @ts-check
import { changesOf } from './changelog.mjs';
import { siblingsOf } from './release-order.mjs';
import { repositoryAddress } from './repository-address.mjs';

/**
 * @typedef {object} Release
 * @property {readonly import('./published-manifest.mjs').Manifest[]} manifests of the packages
 * @property {unknown} repository of the root manifest
 * @property {string} changelog
 * @property {string} changedFiles as git lists them
 */

/** The fields that a package needs in the registry, the addresses excepted. */
const fields = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'author',
  'engines',
  'files',
  'exports',
  'publishConfig',
];

/**
 * Returns the faults of the packages, and what must still be done before they can be published.
 *
 * @param {Release} release
 * @returns {{ wrong: string[], open: string[] }}
 */
export function releaseProblems({ manifests, repository, changelog, changedFiles }) {
  const version = manifests[0]?.version ?? '';
  const wrong = manifests.flatMap((manifest) => manifestProblems(manifest, version));
  if (!changesOf(changelog, version)) wrong.push(`CHANGELOG.md has no entry for ${version}.`);
  const open = [];
  if (changesOf(changelog, 'Unreleased'))
    open.push('CHANGELOG.md has unreleased changes. Give them a version: npm run release -- --version x.y.z');
  if (repositoryAddress(repository) === null)
    open.push('The address of the repository is not known. Set it: npm pkg set repository=https://…');
  if (changedFiles.trim() !== '') open.push(`There are changes without a commit:\n${changedFiles.trimEnd()}`);
  return { wrong, open };
}

/**
 * @param {import('./published-manifest.mjs').Manifest} manifest
 * @param {string} version of all packages
 */
function manifestProblems(manifest, version) {
  const problems = fields.filter((field) => !manifest[field]).map((field) => `has no "${field}"`);
  if (manifest.version !== version)
    problems.push(`has the version ${manifest.version}, another one ${version}`);
  if (manifest['private']) problems.push('is private');
  if (manifest['publishConfig']?.access !== 'public') problems.push('is not public in "publishConfig"');
  for (const [name, range] of siblingsOf(manifest))
    if (range !== `^${version}`) problems.push(`needs ${name} ${range} instead of ^${version}`);
  return problems.map((problem) => `${manifest.name} ${problem}.`);
}
