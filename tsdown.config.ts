import { readFileSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';
import { packages } from './scripts/packages.mjs';

interface Manifest {
  exports: Record<string, string | Record<string, string>>;
}

/** What is built follows from what the package says it exports: `dist/provider.js` from `src/provider/index.ts`. */
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

export default defineConfig(
  packages.map((name): UserConfig => ({
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
  })),
);
