// @ts-check
import path from 'node:path';
import { ensureInstall } from './ensure-install.mjs';
import { root } from './run-process.mjs';

/** As in vite.config.ts: what runs is the sources, and no build comes first. */
const source = '@handrail/source';

try {
  await ensureInstall();
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function run(args) {
  // Imported here and not above: on a fresh clone there was no Vite before the line that installs it.
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
    ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
  });
  try {
    const { main } = await server.ssrLoadModule('/scripts/replay/main.ts');
    return await main(args);
  } finally {
    await server.close();
  }
}
