import type { Provider } from '@banister/provider';
import { readCommandLine, usage, type CommandLine } from './command-line.js';
import { providersOf, type GatewayOptions } from './gateway-options.js';
import { endsOf } from './gateway-state.js';
import { gateway } from './gateway.js';
import { invalid } from './invalid.js';
import { modelsOf, providerOf, type NamedModel } from './named-models.js';
import { toNodeHandler } from './node.js';

/** The process that the command runs in. */
export interface CommandProcess {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  say(text: string): void;
  /** Loads the module of `--config`. */
  load(file: string): Promise<unknown>;
}

/** A gateway that serves. */
export interface RunningCommand {
  readonly url: string;
  /**
   * Stops accepting requests, lets running answers continue for `graceMs` milliseconds, and then cuts them. Resolves when all answers are
   * booked and reported, at most two seconds later.
   */
  close(graceMs: number): Promise<void>;
}

/** How long booking the cut answers may take, in milliseconds. */
const BOOKING_MS = 2_000;

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/**
 * Runs the command: reads its arguments, creates the gateway and serves it. Resolves with null if it only printed its help. Rejects with
 * `invalid-configuration`, in words for the person at the terminal.
 */
export async function runCommand(command: CommandProcess): Promise<RunningCommand | null> {
  const { args, env, say } = command;
  const line = readCommandLine(args, env);
  if (line.help) {
    say(usage);
    return null;
  }
  const options = await optionsOf(line, command);
  const isOpen = options.open !== undefined;
  const host = line.host ?? (isOpen ? '127.0.0.1' : undefined);
  if (isOpen && !LOOPBACK.includes(host!))
    throw invalid(
      'With --open the gateway serves this machine alone; leave --host out, or give users: --config.',
    );
  const running = await serveCommand(gateway(options), line.port, host);
  say(`Banister gateway: ${running.url}${isOpen ? ' (this machine alone, without users)' : ''}`);
  say(`In the page: relay('${running.url}')`);
  return running;
}

async function optionsOf(
  { open, config, models, cors }: CommandLine,
  { env, load }: CommandProcess,
): Promise<GatewayOptions> {
  if (open === (config !== undefined))
    throw invalid(
      `Say who may use the key: --open for this machine alone, or --config <file> with authorize and a policy.\n\n${usage}`,
    );
  const given: Partial<GatewayOptions> =
    config === undefined ? { open: 'localhost', seal: 'per-process' } : await loadOptions(config, load);
  const own = given.provider;
  const named = models.length === 0 && own !== undefined ? {} : await providersFor(models, env);
  const provider = {
    ...(own === undefined ? {} : Object.fromEntries(providersOf({ provider: own }))),
    ...named,
  };
  return { ...given, provider, cors: [...(given.cors ?? []), ...cors] };
}

async function loadOptions(file: string, load: CommandProcess['load']): Promise<Partial<GatewayOptions>> {
  const { default: options } = (await load(file)) as { readonly default?: Partial<GatewayOptions> };
  if (typeof options !== 'object' || options === null)
    throw invalid(`${file} has no default export with the options of gateway().`);
  return options;
}

async function providersFor(
  named: readonly NamedModel[],
  env: CommandProcess['env'],
): Promise<{ readonly [alias: string]: Provider }> {
  const models = modelsOf(named, env);
  if (models.length === 0)
    throw invalid(
      'There is no key. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a server that needs none.',
    );
  const providers: Record<string, Provider> = {};
  for (const model of models) providers[model.alias] = await providerOf(model, env);
  return providers;
}

/** The parts of `node:http` that the command uses. */
interface NodeHttp {
  createServer(handle: (request: object, response: object) => unknown): NodeServer;
}

interface NodeServer {
  listen(port: number, host: string | undefined): unknown;
  address(): { readonly address: string; readonly port: number };
  once(event: 'listening' | 'error' | 'close', listener: (error: unknown) => void): unknown;
  close(): unknown;
  closeAllConnections(): void;
}

async function serveCommand(
  handle: ReturnType<typeof gateway>,
  port: number,
  host: string | undefined,
): Promise<RunningCommand> {
  // A variable, because the packages are built without the types of Node.
  const name: string = 'node:http';
  const { createServer } = (await import(/* @vite-ignore */ name)) as NodeHttp;
  const server = createServer(toNodeHandler(handle));
  await new Promise<void>((resolve, reject) => {
    server.once('listening', () => resolve());
    server.once('error', (error) => reject(listenError(error, port)));
    server.listen(port, host);
  });
  const bound = server.address();
  return {
    url: `http://${host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    async close(graceMs) {
      const closed = new Promise<unknown>((resolve) => server.once('close', resolve));
      server.close();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      let late: ReturnType<typeof setTimeout> | undefined;
      const tooLate = new Promise<void>((resolve) => (late = setTimeout(resolve, graceMs + BOOKING_MS)));
      await Promise.race([closed.then(() => endsOf(handle)), tooLate]);
      clearTimeout(cut);
      clearTimeout(late);
    },
  };
}

function listenError(error: unknown, port: number): unknown {
  const { code } = error as { readonly code?: unknown };
  if (code === 'EADDRINUSE') return invalid(`The port ${port} is in use; choose another one with --port.`);
  if (code === 'EACCES') return invalid(`The port ${port} needs rights that this process does not have.`);
  return error;
}
