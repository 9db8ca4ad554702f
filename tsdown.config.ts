import { copyFileSync, readFileSync } from 'node:fs';
import { build, defineConfig, type UserConfig } from 'tsdown';
import { packages } from './scripts/packages.mjs';

interface Manifest {
  exports: Record<string, string | Record<string, string>>;
}

/** The entries that a package exports: `dist/provider.js` from `src/provider/index.ts`. */
function entriesOf(directory: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as Manifest;
  const entries: Record<string, string> = {};
  for (const conditions of Object.values(manifest.exports)) {
    if (typeof conditions === 'string') continue;
    const source = conditions['@handrail/source'];
    const output = conditions['default'];
    if (source && output) entries[output.replace(/^\.\/dist\/(.*)\.js$/, '$1')] = source;
  }
  return entries;
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
    unbundle: ['session', 'wire', 'openai', 'anthropic'].includes(name),
    // A dependency that the package does not declare would be copied into it; this makes that an error.
    deps: { onlyBundle: [] },
    sourcemap: true,
    clean: true,
    checks: { pluginTimings: false },
    logLevel: 'warn',
  };
}

const session = configOf('session');

/**
 * The session once more, for the condition `node` of its exports: all entries in one build, in few files that share their
 * modules, with the ES modules of RxJS inside. The package of RxJS gives Node its CommonJS build with every operator,
 * which takes longer to load than all the rest.
 */
async function buildForNode(target: string): Promise<void> {
  await build({
    ...session,
    config: false,
    outDir: `${target}/node`,
    unbundle: false,
    dts: false,
    // tslib holds two small functions that RxJS uses.
    deps: { alwaysBundle: [/^rxjs(\/|$)/], onlyBundle: ['rxjs', 'tslib'] },
    inputOptions: { resolve: { conditionNames: ['es2015', 'import', 'default'] } },
    outputOptions: { banner: '// Parts of this code are RxJS, see LICENSE-rxjs.txt.' },
  });
  copyFileSync(`${import.meta.dirname}/node_modules/rxjs/LICENSE.txt`, `${target}/node/LICENSE-rxjs.txt`);
}

export default defineConfig([
  { ...session, hooks: { 'build:done': ({ options }) => buildForNode(options.outDir) } },
  ...packages.filter((name) => name !== 'session').map(configOf),
]);
