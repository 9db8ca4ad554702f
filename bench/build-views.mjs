// @ts-check
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, defaultClientConditions } from 'vite';
import { sourceCondition } from '../scripts/product.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the views of `views/` with their frameworks, as a page would get them, into `.cache/bench/views`. */
export async function buildViews() {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    plugins: [svelte({ compilerOptions: { runes: true } })],
    resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    build: {
      outDir: path.join(root, '.cache/bench/views'),
      target: 'es2022',
      minify: false,
      lib: {
        formats: ['es'],
        entry: {
          react: path.join(root, 'bench/views/react.tsx'),
          vue: path.join(root, 'bench/views/vue.ts'),
          svelte: path.join(root, 'bench/views/svelte.svelte.ts'),
        },
      },
      // The page has them in chunks of its own, and never loads them here.
      rollupOptions: { external: ['ajv', '@cfworker/json-schema', '@eslint-community/regexpp'] },
    },
  });
}
