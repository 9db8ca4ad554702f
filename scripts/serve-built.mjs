// @ts-check
// Serves the demo for its browser tests: bundled, so that a page loads quickly, and with the development builds of the frameworks, which
// mount twice in strict mode and report errors on the console. `npm start` serves the unbundled sources instead.
// With `--as-built` it serves the existing bundle.
import path from 'node:path';
import { gatewayPlugin } from './demo-gateway.mjs';
import { root } from './run-process.mjs';

process.env['NODE_ENV'] = 'development';
const { build, preview } = await import('vite');

const demo = path.join(root, 'apps', 'chat');
const outDir = path.join(root, '.cache', 'demo');
if (!process.argv.includes('--as-built'))
  await build({
    root: demo,
    mode: 'development',
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, minify: false },
  });
const gateway = await gatewayPlugin();
const server = await preview({
  root: demo,
  logLevel: 'error',
  plugins: gateway ? [gateway] : [],
  build: { outDir },
  preview: { host: '127.0.0.1', port: Number(process.env['PORT']), strictPort: true },
});
process.removeAllListeners('SIGTERM');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => void server.close().finally(() => process.exit(0)));
}
