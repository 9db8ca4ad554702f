import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { build, defineConfig, type UserConfig } from 'tsdown';
import { packages } from './scripts/packages.mjs';
import { sourceCondition } from './scripts/product.mjs';

interface Manifest {
  exports: Record<string, string | Record<string, string>>;
}

/** The entries that a package exports: `dist/export.js` from `src/export/index.ts`. A pattern of `exports` stands for each source. */
function entriesOf(directory: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as Manifest;
  const entries: Record<string, string> = {};
  for (const conditions of Object.values(manifest.exports)) {
    if (typeof conditions === 'string') continue;
    const source = conditions[sourceCondition];
    const output = conditions['default']?.replace(/^\.\/dist\/(.*)\.js$/, '$1');
    if (!source || !output) continue;
    for (const name of output === '*' ? sourcesOf(directory) : [output])
      entries[name] = source.replace('*', name);
  }
  return entries;
}

/** The sources of a package, without their endings; tests, and the entry for Node, are none of them. */
function sourcesOf(directory: string): string[] {
  return readdirSync(`${directory}/src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'node.ts')
    .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''));
}

function configOf(name: string): UserConfig {
  return {
    name,
    cwd: `packages/${name}`,
    entry: entriesOf(`${import.meta.dirname}/packages/${name}`),
    tsconfig: `${import.meta.dirname}/tsconfig.build.json`,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    // A file for each module: an application's bundler can put modules into chunks of their own, but cannot divide a file.
    unbundle: ['provider', 'schema', 'session', 'wire', 'openai', 'anthropic'].includes(name),
    // A dependency that the package does not declare would be copied into it; this makes that an error.
    deps: { onlyBundle: [] },
    // The files are readable: the sources without their types.
    sourcemap: false,
    clean: true,
    checks: { pluginTimings: false },
    logLevel: 'warn',
  };
}

/** The sources of the provider package for pages, and the same in few files for Node, which loads few files faster. */
const provider: UserConfig = {
  ...configOf('provider'),
  hooks: {
    'build:done': async ({ options }) => {
      await build({
        ...configOf('provider'),
        config: false,
        entry: { index: 'src/index.ts', internal: 'src/node.ts' },
        outDir: `${options.outDir}/node`,
        dts: false,
        unbundle: false,
      });
    },
  },
};

/**
 * The code of the session has the ES modules of RxJS inside: its package gives browsers ES5 with helper functions, and Node
 * its CommonJS build with every operator. Only the modules that the session uses are there. Types name the package.
 */
const session: UserConfig = {
  ...configOf('session'),
  plugins: [withoutUnused(), withoutBareImports()],
  dts: false,
  // tslib holds functions that RxJS uses.
  deps: { alwaysBundle: [/^rxjs(\/|$)/], onlyBundle: ['rxjs', 'tslib'] },
  inputOptions: { resolve: { conditionNames: ['es2015', 'import', 'default'] } },
};

/**
 * Leaves out the parts of RxJS for schedulers, for its settings, and those that read async iterables and streams with the helpers of
 * tslib: the session uses none of them, and a bundler cannot know that. The tests of the packed files run this build.
 */
function withoutUnused() {
  return {
    name: 'without-unused',
    load: (id: string) =>
      id.endsWith('/internal/scheduled/scheduled.js')
        ? "export function scheduled() { throw new TypeError('RxJS has no schedulers here.'); }"
        : null,
    transform(code: string, id: string) {
      if (!id.includes('/rxjs/dist/esm/internal/')) return null;
      // The settings of this copy, which no app can reach, stay as they are.
      const withDefaults = code
        .replace(/config\.useDeprecated\w+/g, 'false')
        .replace(/const \{ (on\w+) \} = config;/g, 'const $1 = null;');
      if (!id.endsWith('/observable/innerFrom.js')) return withDefaults;
      const read = /if \((?:isAsyncIterable|isReadableStreamLike)\(input\)\) \{\s*return \w+\(input\);\s*\}/g;
      if (code.match(read)?.length !== 2) throw new Error('innerFrom of RxJS is another one.');
      return code.replace(read, '');
    },
  };
}

/**
 * Takes the imports out that bind no name: those of modules of which only constants were used, which stand in the code themselves. No module but the
 * entry for Node has effects, as `sideEffects` in the package says, and esbuild warns of such an import at each build of an app.
 */
function withoutBareImports() {
  return {
    name: 'without-bare-imports',
    generateBundle(_options: unknown, bundle: Record<string, { type: string; code?: string }>) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = file.code!.replace(/^import "\.[^"]*";$/gm, '');
    },
  };
}

/** A module of a package gets a folder of its own: npm publishes no folder with the name node_modules. */
function fileOf({ name }: { name: string }): string {
  return `${name.replace(/^.*node_modules\/(?:rxjs\/dist\/esm\/)?/, 'rxjs/')}.js`;
}

/**
 * The types, unless they are not wanted, the session once more for the condition `node` of its exports, in few files, which load faster there, with the code of sessions in its
 * entry, and the stages of middleware and of compaction.
 */
async function buildBeside(target: string, withTypes: boolean): Promise<void> {
  if (withTypes)
    await build({
      ...configOf('session'),
      config: false,
      outDir: target,
      clean: false,
      dts: { emitDtsOnly: true },
      unbundle: false,
    });
  await build({
    ...session,
    config: false,
    entry: { ...(session.entry as Record<string, string>), index: 'src/node.ts' },
    outDir: `${target}/node`,
    unbundle: false,
  });
  // In one file that imports no other, nor the package below: a bundler divides the first chunk of a page by the modules that a late one
  // shares with it.
  for (const stages of ['middleware/hook-stages', 'compaction/compaction-stages'])
    await build({
      ...session,
      config: false,
      entry: { [stages]: `src/${stages}.ts` },
      outDir: target,
      clean: false,
      unbundle: false,
      deps: { alwaysBundle: [/^rxjs(\/|$)/, /^@banister\/provider(\/|$)/], onlyBundle: ['rxjs', 'tslib'] },
      inputOptions: { resolve: { conditionNames: [sourceCondition, 'es2015', 'import', 'default'] } },
    });
  copyFileSync(`${import.meta.dirname}/node_modules/rxjs/LICENSE.txt`, `${target}/LICENSE-rxjs.txt`);
}

export default defineConfig(({ dts }) => [
  {
    ...session,
    outputOptions: { entryFileNames: fileOf },
    hooks: { 'build:done': ({ options }) => buildBeside(options.outDir, dts !== false) },
  },
  provider,
  ...packages.filter((name) => !['session', 'provider'].includes(name)).map(configOf),
]);
