import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions, type Rollup } from 'vite';
import { sourceCondition } from '../../../../scripts/product.mjs';
import type { Stop } from './crash-page-api.js';

const folder = path.dirname(fileURLToPath(import.meta.url));

/** A page with its own server. A killed page waits for an answer of this server first. */
export class ServedPage {
  private readonly stops = new Map<string, (account: Stop) => void>();
  private readonly server: Server;

  private constructor(files: ReadonlyMap<string, string>, entry: string) {
    this.server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
      if (pathname === '/stopped') {
        let body = '';
        request.on('data', (data) => (body += data));
        request.on('end', () => {
          const name = searchParams.get('name')!;
          const stop = this.stops.get(name);
          this.stops.delete(name);
          if (stop === undefined) response.end();
          else stop(JSON.parse(body) as Stop);
        });
        return;
      }
      const code = files.get(pathname.slice(1));
      response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript');
      response.end(code ?? `<!doctype html><script type="module" src="/${entry}.js"></script>`);
    });
  }

  /** @param entry the name of its script, in this folder */
  static async start(entry: 'crash-page' | 'hidden-page'): Promise<ServedPage> {
    const built = await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      mode: 'production',
      resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
      build: {
        write: false,
        target: 'es2022',
        minify: false,
        modulePreload: false,
        lib: { formats: ['es'], entry: path.join(folder, `${entry}.ts`), fileName: entry },
      },
    });
    const { output } = (built as readonly Rollup.RollupOutput[])[0]!;
    const files = new Map(
      output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
    );
    const page = new ServedPage(files, entry);
    await new Promise<void>((resolve) => page.server.listen(0, '127.0.0.1', resolve));
    return page;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Resolves when the first page of this name stops. */
  stopped(name: string): Promise<Stop> {
    return new Promise((resolve) => this.stops.set(name, resolve));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
