// @ts-check
import path from 'node:path';
import { sourceCondition } from './product.mjs';
import { root } from './run-process.mjs';

/**
 * Runs the `main` of a module of the sources.
 *
 * @param {string} module its path from the root
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code, with which `main` resolves
 */
export async function runSource(module, args) {
  // Imported here and not above, because a fresh clone has no Vite before it is installed.
  const { createServer, defaultServerConditions } = await import('vite');
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    cacheDir: path.join(root, '.cache', 'replay'),
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    oxc: { target: 'node20' },
    ssr: { resolve: { conditions: [sourceCondition, ...defaultServerConditions] } },
  });
  try {
    const { main } = await server.ssrLoadModule(`/${module}`);
    return await main(args);
  } finally {
    await server.close();
  }
}
