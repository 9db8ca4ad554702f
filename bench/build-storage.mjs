// @ts-check
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions } from 'vite';
import { sourceCondition } from '../scripts/product.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the page of the group `storage` into `.cache/bench/storage`. */
export async function buildStorage() {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
    build: {
      outDir: path.join(root, '.cache/bench/storage'),
      target: 'es2022',
      lib: { formats: ['es'], entry: { page: path.join(root, 'bench/storage/page.ts') } },
    },
  });
}
