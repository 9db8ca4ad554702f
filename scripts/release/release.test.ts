import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, sourceCondition } from '../product.mjs';
import { root } from '../run-process.mjs';
import { changesOf, releasedChangelog } from './changelog.mjs';
import { publishedManifest, publishedReadme } from './published-manifest.mjs';
import { publishArguments } from './publish-arguments.mjs';
import { releaseOrder, siblingsOf, withVersion } from './release-order.mjs';
import { releaseProblems } from './release-problems.mjs';
import { repositoryAddress } from './repository-address.mjs';
import { packageManifests, rootManifest } from './stage-packages.mjs';

const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
const manifests = packageManifests();
const address = 'https://forge.example/banister/banister';

test('every package has what the registry needs, one version, and a changelog entry', () => {
  const { wrong } = releaseProblems({ manifests, repository: '', changelog, changedFiles: '' });
  expect(wrong).toEqual([]);
});

test('every package has its licence, and a README with the line that installs it', () => {
  const licence = readFileSync(path.join(root, 'LICENSE'), 'utf8');
  for (const { name } of manifests) {
    const folder = path.join(root, 'packages', folderOf(name));
    expect(readFileSync(path.join(folder, 'LICENSE'), 'utf8')).toBe(licence);
    expect(readFileSync(path.join(folder, 'README.md'), 'utf8')).toMatch(
      new RegExp(`^npm install .*${name}`, 'm'),
    );
  }
});

test('a package without a field, with another version or range, or that is private is refused by name', () => {
  const [first, ...others] = manifests.map((manifest) => ({ ...manifest }));
  const other = others.at(-1)!;
  Object.assign(other, { private: true, version: '9.9.9', keywords: undefined, publishConfig: {} });
  other['peerDependencies'] = { '@banister/session': '^9.9.9' };
  const { wrong } = releaseProblems({
    manifests: [first!, ...others],
    repository: '',
    changelog,
    changedFiles: '',
  });
  const { version } = first!;
  expect(wrong).toEqual([
    `${other.name} has no "keywords".`,
    `${other.name} has the version 9.9.9, another one ${version}.`,
    `${other.name} is private.`,
    `${other.name} is not public in "publishConfig".`,
    `${other.name} needs @banister/session ^9.9.9 instead of ^${version}.`,
  ]);
});

test('without the address, with changes that have no version or no commit, a release is open', () => {
  const known = {
    manifests,
    changelog: changelog.replace(/## \[Unreleased\][\s\S]*?(?=## \[)/, ''),
    changedFiles: '',
  };
  expect(releaseProblems({ ...known, repository: address })).toEqual({ wrong: [], open: [] });
  const { open } = releaseProblems({
    manifests,
    repository: '',
    changelog: `## [Unreleased]\n\n- x\n\n${known.changelog}`,
    changedFiles: ' M a',
  });
  expect(open.map((line) => line.split('.')[0])).toEqual([
    'CHANGELOG',
    'The address of the repository is not known',
    'There are changes without a commit:\n M a',
  ]);
});

test('the repository states its own address in one place, or none', () => {
  expect(Object.keys(rootManifest())).toContain('repository');
  for (const manifest of manifests) expect(manifest).not.toHaveProperty('repository');
  expect(() => repositoryAddress(rootManifest()['repository'])).not.toThrow();
});

test('an address may be written as npm writes it; another value is refused', () => {
  for (const written of [address, `git+${address}.git`, `${address}/`])
    expect(repositoryAddress(written)).toBe(address);
  expect(repositoryAddress('')).toBeNull();
  expect(() => repositoryAddress('banister')).toThrow('is the https address of the repository');
});

test('a published manifest names no sources, and has the addresses of repository, home page and bugs if the address is known', () => {
  const sources = { [sourceCondition]: './src/index.ts', default: './dist/index.js' };
  const manifest = {
    name: '@banister/vue',
    version: '1.2.3',
    exports: { '.': sources, './package.json': './package.json' },
  };
  const published = {
    ...manifest,
    exports: { '.': { default: './dist/index.js' }, './package.json': './package.json' },
  };
  expect(publishedManifest(manifest, { address, directory: 'packages/vue' })).toEqual({
    ...published,
    repository: { type: 'git', url: `git+${address}.git`, directory: 'packages/vue' },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  });
  expect(publishedManifest(manifest, { address: null, directory: 'packages/vue' })).toEqual(published);
});

test('links of a published README lead to the tag of its version; without an address their text stays', () => {
  const readme =
    'See [`undo`](../../docs/undo.md#redo), [vue](../vue), [here](#here) and [npm](https://npm.example).';
  const place = { directory: 'packages/session', version: '1.2.3' };
  expect(publishedReadme(readme, { ...place, address })).toBe(
    `See [\`undo\`](${address}/blob/v1.2.3/docs/undo.md#redo), [vue](${address}/blob/v1.2.3/packages/vue), [here](#here) and [npm](https://npm.example).`,
  );
  expect(publishedReadme(readme, { ...place, address: null })).toBe(
    'See `undo`, vue, [here](#here) and [npm](https://npm.example).',
  );
});

test('a version before a release is published with the tag next, every other one as the latest', () => {
  expect(publishArguments('a.tgz', '0.2.0-rc.1')).toEqual(['publish', 'a.tgz', '--tag', 'next']);
  expect(publishArguments('a.tgz', '0.2.0')).toEqual(['publish', 'a.tgz']);
});

test('a package is published after those that it needs', () => {
  const published = new Set<string>();
  for (const manifest of manifests) {
    for (const [name] of siblingsOf(manifest)) expect(published).toContain(name);
    published.add(manifest.name);
  }
  const circle = ['a', 'b'].map((name, at) => ({
    name: `@banister/${name}`,
    version: '1.0.0',
    dependencies: { [`@banister/${'ba'[at]}`]: '^1.0.0' },
  }));
  expect(() => releaseOrder(circle)).toThrow('need each other: @banister/a, @banister/b');
});

test('a new version is that of every package and of every range between them, and of the changes', () => {
  const moved = manifests.map((manifest) => withVersion(manifest, '7.8.9'));
  const released = releasedChangelog(
    '# C\n\n## [Unreleased]\n\n- new\n\n## [0.1.0] - 2026-01-01\n\n- old\n',
    '7.8.9',
    '2026-12-01',
  );
  expect(changesOf(released, '7.8.9')).toBe('- new');
  expect(changesOf(released, 'Unreleased')).toBe('');
  expect(changesOf(released, '0.1.0')).toBe('- old');
  expect(
    releaseProblems({ manifests: moved, repository: address, changelog: released, changedFiles: '' }),
  ).toEqual({
    wrong: [],
    open: [],
  });
  expect(moved.find(({ name }) => name === '@banister/openai')?.['dependencies'].openai).toContain('^7');
  expect(() => releasedChangelog(released, '7.8.9', '2026-12-02')).toThrow('has an entry for 7.8.9 already');
  expect(() => releasedChangelog(released, '7.9.0', '2026-12-02')).toThrow('no unreleased changes');
});
