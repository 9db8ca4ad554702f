// @ts-check
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { sourceCondition } from './product.mjs';
import { root } from './run-process.mjs';

/** The address of the gateway at the server of the page. */
const mount = '/agent';

/**
 * Returns a plugin that serves models on the page's server, with the keys of this environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, or
 * OPENAI_BASE_URL for a server without a key. The keys stay in this process; a `meta` element names the models to the page. Returns null
 * if there is no key, or if the gateway cannot be created, which is then printed.
 *
 * @returns {Promise<import('vite').Plugin | null>}
 */
export async function gatewayPlugin() {
  const { env } = process;
  if (!['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY'].some((name) => env[name])) return null;
  const { createServer, defaultServerConditions } = await import('vite');
  const loader = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    cacheDir: path.join(root, '.cache', 'demo-gateway'),
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    oxc: { target: 'node20' },
    ssr: { resolve: { conditions: [sourceCondition, ...defaultServerConditions] } },
  });
  try {
    const { demoGateway } = await loader.ssrLoadModule('/scripts/demo-gateway/main.ts');
    /** @type {import('./demo-gateway/main.ts').DemoGateway} */
    const made = await demoGateway(env);
    console.error(`Gateway: ${made.models.map(({ alias, name }) => `${alias} = ${name}`).join(', ')}`);
    return plugin(made, loader);
  } catch (error) {
    console.error(`No gateway: ${error instanceof Error ? error.message : error}`);
    await loader.close();
    return null;
  }
}

/**
 * @param {import('./demo-gateway/main.ts').DemoGateway} made
 * @param {import('vite').ViteDevServer} loader loads the code that the first request needs
 * @returns {import('vite').Plugin}
 */
function plugin({ handle, models }, loader) {
  const content = JSON.stringify({ url: mount, models });
  const meta = /** @type {const} */ ({
    tag: 'meta',
    attrs: { name: 'banister-gateway', content },
    injectTo: 'head',
  });
  return {
    name: 'demo-gateway',
    configureServer({ middlewares, httpServer }) {
      httpServer?.once('close', () => void loader.close());
      middlewares.use(mount, (request, response) => void handle(request, response));
    },
    configurePreviewServer({ middlewares, httpServer, config }) {
      httpServer.once('close', () => void loader.close());
      middlewares.use(mount, (request, response) => void handle(request, response));
      // A built page does not know the keys of the server that serves it.
      middlewares.use(async ({ url = '' }, response, next) => {
        if (!/^\/(?:index\.html)?(?:\?|$)/.test(url)) return next();
        const page = await readFile(path.resolve(config.root, config.build.outDir, 'index.html'), 'utf8');
        const escaped = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
        const told = page.replace('</head>', `<meta name="${meta.attrs.name}" content="${escaped}"></head>`);
        response.setHeader('content-type', 'text/html').end(told);
      });
    },
    transformIndexHtml: { order: 'pre', handler: (_, { server }) => (server ? [meta] : []) },
  };
}
