// @ts-check
import path from 'node:path';
import { ensureInstall } from './ensure-install.mjs';
import { root } from './run-process.mjs';

try {
  await ensureInstall();
  await serve();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function serve() {
  console.error('Starting the demo …');
  // Imported here and not above, because a fresh clone has no Vite before it is installed.
  const { createLogger, createServer } = await import('vite');
  const { gatewayPlugin } = await import('./demo-gateway.mjs');

  const logger = createLogger('info', { prefix: '[demo]' });
  // Standard output contains only the URL, so that a script can read it.
  logger.info = (message) => console.error(message);

  const chosen = process.env['PORT'];
  const gateway = await gatewayPlugin();
  const server = await createServer({
    root: path.join(root, 'apps', 'chat'),
    customLogger: logger,
    plugins: gateway ? [gateway] : [],
    clearScreen: false,
    // If a port is requested, it is used or an error is thrown; if not, another port is used when the default port is taken.
    server: { host: '127.0.0.1', port: chosen ? Number(chosen) : 5173, strictPort: Boolean(chosen) },
  });

  // Vite ends with exit code 143 on SIGTERM. A process that stops when it is asked to has not failed.
  process.removeAllListeners('SIGTERM');
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1); // asked twice: do not wait for open connections
    stopping = true;
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (process.env['npm_lifecycle_event'] === 'start') stopWithParent(stop);

  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('The demo is served, but under no address that this machine can open.');
  console.log(url);
  console.error('Press Ctrl+C to stop.');
}

/**
 * Calls `stop` when npm has ended: on SIGTERM npm ends itself and its shell, but not this process, which would continue to serve.
 *
 * @param {() => void} stop
 */
function stopWithParent(stop) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 250);
  watch.unref();
}
