// @ts-check
// `npm run release` checks what would be published; `-- --version 0.2.0` gives all packages and the changes a version;
// `-- --publish` publishes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstall } from './ensure-install.mjs';
import { packages } from './packages.mjs';
import { releasedChangelog } from './release/changelog.mjs';
import { publishArguments } from './release/publish-arguments.mjs';
import { releaseProblems } from './release/release-problems.mjs';
import { withVersion } from './release/release-order.mjs';
import { packageManifests, rootManifest } from './release/stage-packages.mjs';
import { root, runNpm, runProcess } from './run-process.mjs';

const tarballs = path.join(root, '.cache', 'release');

/** @param {string} file */
const read = (file) => readFileSync(path.join(root, file), 'utf8');
/** @param {string} file @param {string} text */
const write = (file, text) => writeFileSync(path.join(root, file), text);
/** @param {...string} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

try {
  const { values } = parseArgs({ options: { version: { type: 'string' }, publish: { type: 'boolean' } } });
  await ensureInstall();
  if (values.version !== undefined) setVersion(values.version);
  else process.exitCode = await release(values.publish ?? false);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {string} version */
function setVersion(version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`A version is like 0.2.0; got ${version}.`);
  write(
    'CHANGELOG.md',
    releasedChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)),
  );
  const lock = JSON.parse(read('package-lock.json'));
  for (const name of packages) {
    const file = `packages/${name}/package.json`;
    write(file, `${JSON.stringify(withVersion(JSON.parse(read(file)), version), null, 2)}\n`);
    lock.packages[`packages/${name}`] = withVersion(lock.packages[`packages/${name}`], version);
  }
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`All packages have the version ${version}. Commit that, and tag it v${version}.`);
}

/** @param {boolean} isForReal */
async function release(isForReal) {
  const { wrong, open } = releaseProblems({
    manifests: packageManifests(),
    repository: rootManifest()['repository'],
    changelog: read('CHANGELOG.md'),
    changedFiles: git('status', '--porcelain'),
  });
  for (const line of wrong) console.error(`✗ ${line}`);
  for (const line of open) console.error(`· ${line}`);
  if (wrong.length > 0 || (isForReal && open.length > 0)) return 1;
  const checked = await runProcess(process.execPath, ['scripts/test-packed.mjs', '--tarballs', tarballs]);
  if (checked !== 0 || !isForReal) return checked;
  for (const { name, version } of packageManifests()) {
    const file = path.join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    console.log(`── publish ${name} ${version}`);
    // Packages that are already published stay. The others can be published after the cause is fixed.
    const isThere =
      (await runNpm(['view', `${name}@${version}`, 'version', '--silent'], { print: () => {} })) === 0;
    if (!isThere && (await runNpm(publishArguments(file, version))) !== 0)
      throw new Error(`${name} was not published; those above were.`);
  }
  console.log(`Published. Tag the commit: git tag v${packageManifests()[0]?.version}`);
  return 0;
}
