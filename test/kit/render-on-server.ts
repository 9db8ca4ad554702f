import { createServer, type InlineConfig } from 'vite';
import type { BrowserCommand } from 'vitest/node';

/**
 * A command for tests that run in a browser: calls the default export of a module in Node, where frameworks are compiled
 * for a server, and hands over what it resolves to.
 *
 * @param config plugins and conditions, as the tests have them
 */
export function renderOnServer(config: InlineConfig): BrowserCommand<[file: string, input: unknown]> {
  return async (_context, file, input) => {
    const server = await createServer({
      ...config,
      configFile: false,
      appType: 'custom',
      server: { middlewareMode: true, ws: false, watch: null },
      // Beside the cache of the server that serves the tests, which would start anew for another configuration.
      cacheDir: 'node_modules/.vite/render-on-server',
      optimizeDeps: { noDiscovery: true },
    });
    try {
      const page = (await server.ssrLoadModule(file)) as { default: (input: unknown) => unknown };
      return await page.default(input);
    } finally {
      await server.close();
    }
  };
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** The result of the default export of a module, a path from the root, for an input on a server. */
    renderOnServer<T>(file: string, input: unknown): Promise<T>;
  }
}
