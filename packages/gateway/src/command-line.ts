import { invalid } from './invalid.js';
import { readModel, type NamedModel } from './named-models.js';

/** The arguments of the command. */
export interface CommandLine {
  readonly port: number;
  /** The host name or address to listen on; undefined without the argument. */
  readonly host: string | undefined;
  readonly open: boolean;
  /** The file with the options of the gateway. */
  readonly config: string | undefined;
  readonly models: readonly NamedModel[];
  readonly cors: readonly string[];
  readonly help: boolean;
}

export const usage = `Usage: banister-gateway (--open | --config <file>) [options]

  --open                     serve every request from this machine, for development
  --config <file>            a module whose default export has the options of gateway()
  --model <alias>=<model>    default=openai:gpt-5-mini, smart=anthropic:claude-sonnet-5; beside those of the config; may be repeated
  --port <number>            default 8787, or PORT
  --host <name>              default 127.0.0.1 with --open, else every address of this machine
  --cors <origin>            a page at another address, https://app.example; may be repeated
  --help

Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY. OPENAI_BASE_URL and ANTHROPIC_BASE_URL name another server for their API.`;

const DEFAULT_PORT = 8787;

/** Reads the arguments of the command. Throws `invalid-configuration` for an unknown argument. */
export function readCommandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const values = new Map<string, string[]>();
  const flags = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const [name = '', inline] = args[at]!.split(/=(.*)/s);
    if (['--open', '--help'].includes(name) && inline === undefined) flags.add(name);
    else if (['--config', '--model', '--port', '--host', '--cors'].includes(name)) {
      const value = inline ?? args[++at];
      if (value === undefined || value === '' || value.startsWith('--'))
        throw invalid(`${name} needs a value.`);
      values.set(name, [...(values.get(name) ?? []), value]);
    } else throw invalid(`There is no argument "${name}".\n\n${usage}`);
  }
  const last = (name: string) => values.get(name)?.at(-1);
  const port = Number(last('--port') ?? (env['PORT'] || DEFAULT_PORT));
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid('--port must be a number from 0 to 65535.');
  return {
    port,
    host: last('--host'),
    open: flags.has('--open'),
    config: last('--config'),
    models: (values.get('--model') ?? []).map((text) => readModel(text, '--model')),
    cors: values.get('--cors') ?? [],
    help: flags.has('--help'),
  };
}
