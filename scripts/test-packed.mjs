// @ts-check
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstall } from './ensure-install.mjs';
import { bundlePage, compressedKb, pages, sourceOf } from './measured-pages.mjs';
import { nodeMajors, nodeProgram } from './nodes.mjs';
import { packages } from './packages.mjs';
import { scope } from './product.mjs';
import { pasteStart } from './release/paste-start.mjs';
import { publishArguments } from './release/publish-arguments.mjs';
import { stagePackages } from './release/stage-packages.mjs';
import { root, runNpm, runProcess, runTool } from './run-process.mjs';

// Tests the packages as users get them: every package is built and packed, the tarballs are installed in an empty project
// outside of this repository, and that project imports, type-checks and bundles them. `--imports` ends after the imports;
// `--tarballs folder` keeps what was packed, for a release.

/** The packages that an application installs in addition to ours. */
const peers = [
  'jose',
  '@preact/signals-core',
  'react',
  'react-dom',
  '@types/react',
  '@types/react-dom',
  'svelte',
  'vue',
];

/** The maximal number of files in the session's tarball. */
const mostFiles = 700;
const mostKb = 800;

/** The oldest TypeScript release that can read the types. */
const oldestTypeScript = 'typescript@5.4.5';

/** @type {{ path: string, limit: string }[]} */
const limits = readJson(path.join(root, '.size-limit.json'));

const { values: given } = parseArgs({
  options: { imports: { type: 'boolean' }, tarballs: { type: 'string' } },
});

/** @type {string[]} */
const failures = [];
const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'banister-packed-')));

try {
  await ensureInstall();
  await check('build', async () => must(await runTool('tsdown', 'tsdown', []), 'the build failed'));
  // Without a build nothing can be packed, and the checks below would report nothing new.
  if (failures.length === 0) await checkPacked();
} catch (error) {
  failures.push(error instanceof Error ? error.message : String(error));
} finally {
  rmSync(project, { recursive: true, force: true });
}

for (const failure of failures) console.error(`✗ ${failure}`);
console.log(
  failures.length === 0 ? '\nThe packed packages work.' : `\n${failures.length} of the checks failed.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

async function checkPacked() {
  const tarballs = given.tarballs ? path.resolve(given.tarballs) : path.join(project, 'tarballs');
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  /** @type {string[]} */
  let files = [];
  await check(`pack ${packages.length} packages`, async () => void (files = await pack(tarballs)));
  // Without tarballs nothing can be installed, and the checks below would report nothing new.
  if (files.length === 0) return;

  await check('the session is small', () => isSmall(files));
  await check('no type names the inside of a dependency', namesNoInside);
  await check('install the tarballs in an empty project', () => install(files));
  const entries = packages.flatMap(entriesOf);
  for (const major of nodeMajors) {
    await check(`import ${entries.length} entries in Node ${major}, and keep a session`, async () => {
      const program = await nodeProgram(major);
      await importAll(entries, program);
      await keepSession(program, major);
    });
  }
  if (given.imports) return;
  await check('Start of the README, pasted into an empty folder', async () =>
    console.log(`  ${(await pasteStart(files)).toFixed(0)} s`),
  );
  for (const resolution of /** @type {const} */ (['nodenext', 'bundler'])) {
    await check(`types under moduleResolution ${resolution}`, () => typeCheck(entries, resolution));
  }
  await check('types for the oldest TypeScript that the README names', async () => {
    await typeCheck(
      entries,
      'nodenext',
      undefined,
      createRequire(path.join(project, 'use.js'))('typescript'),
    );
  });
  await check('types in Node, without those of the DOM', () =>
    typeCheck(entries, 'nodenext', { lib: [], types: ['node'] }),
  );
  await check(
    'audit-P15 esbuild bundles each page that is measured, and the session for Node, without a warning',
    async () => {
      const forPages = pages.map((page) => ({
        code: sourceOf(page),
        platform: 'browser',
        external: page.external,
      }));
      const forNode = { code: "import '@banister/session';", platform: 'node', external: [] };
      for (const one of [...forPages, forNode]) await warnsNot(one);
    },
  );
  await check('no published type has a name that a bundler made', async () => {
    const home = path.join(project, 'node_modules', scope);
    const types = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.d.ts'),
    );
    must(types.length > 100 ? 0 : 1, 'there are no types');
    const made = types.filter((name) => /_d_exports\b/.test(readFileSync(path.join(home, name), 'utf8')));
    must(made.length, made.join(', '));
  });
  for (const page of pages) await check(`bundle the page ${page.name}`, () => measure(page));
  const { version } = readJson(path.join(root, 'packages', 'session', 'package.json'));
  for (const file of files) {
    const name = path.basename(file);
    await check(`publish ${name}, without sending it`, async () => {
      must(
        await runNpm([...publishArguments(file, version), '--dry-run', '--offline', '--silent'], {
          cwd: project,
        }),
        'npm refuses it',
      );
    });
    await check(`publint ${name}`, async () =>
      must(await runTool('publint', 'publint', ['run', file, '--strict'])),
    );
    await check(`attw ${name}`, async () => {
      must(
        await runTool('@arethetypeswrong/cli', 'attw', [
          file,
          '--profile',
          'esm-only',
          '--no-summary',
          '--no-color',
        ]),
      );
    });
  }
}

/**
 * If a check fails, it is noted and the next check runs, so that one run shows everything that must be fixed.
 *
 * @param {string} name
 * @param {() => void | Promise<void>} run
 */
async function check(name, run) {
  console.log(`── ${name}`);
  try {
    await run();
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param {number} code @param {string} [otherwise] */
function must(code, otherwise = 'see above') {
  if (code !== 0) throw new Error(otherwise);
}

/**
 * Packs all packages as they are published.
 *
 * @param {string} tarballs a folder
 * @returns {Promise<string[]>} the files, each after those that it needs
 */
async function pack(tarballs) {
  const folders = stagePackages(path.join(project, 'staged'));
  must(await runNpm(['pack', ...folders, '--silent', '--pack-destination', tarballs]), 'npm pack failed');
  return folders.map((folder) => {
    const { name, version } = readJson(path.join(folder, 'package.json'));
    return path.join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  });
}

/** @param {string[]} tarballs */
async function isSmall(tarballs) {
  const file = tarballs.find((name) => path.basename(name).includes('-session-')) ?? '';
  const kb = statSync(file).size / 1000;
  const folder = path.join(project, 'staged', 'session');
  const count = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;
  console.log(`  ${kb.toFixed(0)} kB of ${mostKb}, ${count} files of ${mostFiles}`);
  if (kb > mostKb || count > mostFiles) throw new Error('the tarball of the session is too large');
}

/** Types that TypeScript infers may name a file that a dependency does not publish as an entry. */
function namesNoInside() {
  const offending = packages.flatMap((name) => {
    const built = path.join(root, 'packages', name, 'dist');
    return readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => path.join(built, file))
      .filter((file) => /['"]rxjs\/(?:internal|dist)/.test(readFileSync(file, 'utf8')));
  });
  if (offending.length > 0) throw new Error(offending.join(', '));
}

/** @param {string[]} tarballs */
async function install(tarballs) {
  const { version } = readJson(path.join(root, 'packages', 'session', 'package.json'));
  writeJson('package.json', { name: 'packed', private: true, type: 'module', version });
  const versions = peers.map(
    (name) => `${name}@${readJson(path.join(root, 'node_modules', name, 'package.json')).version}`,
  );
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  must(
    await runNpm(['install', ...quietly, ...tarballs, ...versions, oldestTypeScript], { cwd: project }),
    'npm install failed',
  );

  for (const name of packages) {
    const installed = path.join(project, 'node_modules', scope, name);
    const tests = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.test(-d)?\./.test(file),
    );
    if (tests.length > 0) throw new Error(`${name} ships its tests: ${tests.join(', ')}`);
    const missing = ['LICENSE', 'CHANGELOG.md', 'README.md', 'dist'].filter(
      (file) => !existsSync(path.join(installed, file)),
    );
    if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(', ')}`);
    const inside = /\]\(\.\.?\/[^)]*\)/.exec(readFileSync(path.join(installed, 'README.md'), 'utf8'));
    if (inside) throw new Error(`the README of ${name} has a link that leads nowhere: ${inside[0]}`);
    // A second copy would have its own signals and errors, and neither copy would recognise the other's.
    const second = path.join(installed, 'node_modules', scope);
    if (existsSync(second))
      throw new Error(`${name} brought a copy of its own of ${readdirSync(second).join(', ')}`);
  }
}

/** @param {string} name @returns {string[]} */
function entriesOf(name) {
  const manifest = readJson(path.join(root, 'packages', name, 'package.json'));
  return (
    Object.keys(manifest.exports)
      // A pattern stands for the files that the session imports.
      .filter((entry) => entry !== './package.json' && !entry.includes('*'))
      .map((entry) => path.posix.join(manifest.name, entry))
  );
}

/** @param {string[]} entries @param {string} program */
async function importAll(entries, program) {
  const lines = entries.map(
    (entry) => `if (Object.keys(await import('${entry}')).length === 0) throw new Error('${entry}');`,
  );
  write('import-all.js', lines.join('\n'));
  must(await runProcess(program, ['import-all.js'], { cwd: project }), 'an entry cannot be imported');
}

/**
 * Keeps a session in a SQLite file and opens it again, on Node's own driver, without a message on the console. Node 20 has no driver, and the
 * optional peer is not installed here.
 *
 * @param {string} program @param {number} major
 */
async function keepSession(program, major) {
  const lines = [
    "import { createAgentSession } from '@banister/session';",
    "import { sqliteLog } from '@banister/storage/sqlite';",
    "import { say, scriptedProvider } from '@banister/testing';",
    `const log = sqliteLog('chats-${major}.db');`,
    'await log.list().catch(({ details }) => (console.log(details.reason), process.exit()));',
    'let turns = 0;',
    "for (const words of ['Hi', 'Again']) {",
    "  const session = createAgentSession({ provider: scriptedProvider([say('Hello.')]), id: 'chat', log });",
    '  await session.send(words);',
    '  turns = session.turns.value.length;',
    '  await session.dispose();',
    '}',
    'log.close();',
    "console.log(turns, 'turns');",
  ];
  const file = path.basename(write('keep-session.mjs', lines.join('\n')));
  /** @type {string[]} */
  const printed = [];
  must(
    await runProcess(program, [file], { cwd: project, print: (text) => void printed.push(text) }),
    printed.join(''),
  );
  const expected = major < 22 ? 'unavailable' : '2 turns';
  if (printed.join('').trim() !== expected)
    throw new Error(`printed ${printed.join('')} instead of ${expected}`);
}

/**
 * @param {string[]} entries
 * @param {'nodenext' | 'bundler'} resolution
 * @param {{ lib: string[], types: string[] }} [platform] the types of the platform. Default: those of the DOM
 * @param {typeof import('typescript')} [compiler] default: that of the project
 */
async function typeCheck(
  entries,
  resolution,
  { lib, types } = { lib: ['lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] },
  compiler,
) {
  const names = entries.map((_, index) => `entry${index}`);
  const imports = entries.map((entry, index) => `import * as ${names[index]} from '${entry}';`);
  const use = write('use.ts', [...imports, `export const entries = [${names.join(', ')}];`].join('\n'));

  const ts = compiler ?? (await import('typescript')).default;
  const nodenext = resolution === 'nodenext';
  const program = ts.createProgram([use], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', ...lib],
    module: nodenext ? ts.ModuleKind.NodeNext : ts.ModuleKind.ESNext,
    moduleResolution: nodenext ? ts.ModuleResolutionKind.NodeNext : ts.ModuleResolutionKind.Bundler,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types,
  });
  // Declarations are checked as well, because a type that is missing there becomes `any` in an application. Declarations of other packages
  // are not checked.
  const ours = ts.getPreEmitDiagnostics(program).filter(({ file }) => {
    return !file || !/\/node_modules\/(?!@banister\/)/.test(file.fileName.replaceAll('\\', '/'));
  });
  if (ours.length === 0) return;
  /** @type {import('typescript').FormatDiagnosticsHost} */
  const host = {
    getCurrentDirectory: () => project,
    getCanonicalFileName: (file) => file,
    getNewLine: () => '\n',
  };
  console.error(ts.formatDiagnostics(ours, host));
  throw new Error('the types do not hold');
}

/** @param {{ code: string, platform: string, external?: string[] | undefined }} bundled */
async function warnsNot({ code, platform, external = [] }) {
  const { build } = await import('esbuild');
  const { warnings } = await build({
    stdin: { contents: code, resolveDir: project },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: /** @type {import('esbuild').Platform} */ (platform),
    external,
    outdir: path.join(project, 'bundled'),
    write: false,
    logLevel: 'silent',
  });
  const [first] = warnings;
  if (first) throw new Error(`${warnings.length} warnings: ${first.text}`);
}

/** @param {import('./measured-pages.mjs').Page} page */
async function measure(page) {
  const entry = write('page.js', sourceOf(page));
  const { initial, later } = await bundlePage(project, entry, page.external);
  console.log(`  initial ${compressedKb(initial).toFixed(1)} kB compressed; ${later} later chunks`);
  const { limit } = limits.find(({ path: file }) => file.includes(`/${page.name}/initial-`)) ?? {};
  if (limit === undefined) throw new Error('.size-limit.json has no limit for it');
  if (compressedKb(initial) > parseFloat(limit)) throw new Error(`${limit} is the limit`);
}

/** @param {string} file @param {string} text */
function write(file, text) {
  const place = path.join(project, file);
  writeFileSync(place, `${text}\n`);
  return place;
}

/** @param {string} file @param {unknown} value */
function writeJson(file, value) {
  return write(file, JSON.stringify(value, null, 2));
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
