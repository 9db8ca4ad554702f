import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { apiNames, isApiName, type ApiName } from './apis.js';
import { asEvents } from './as-events.js';
import { parseChunking, type Chunking } from './chunking.js';
import type { Script } from './serve-once.js';

/** The error of invalid input. */
export class UsageError extends Error {}

/** The command that the command line asks for. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'index'; readonly file: string; readonly chunking: Chunking }
  | { readonly kind: 'one'; readonly api: ApiName; readonly script: Script };

/** Reads the command line, and the body that it names. Throws a {@link UsageError} whose message names the fault. */
export function parseCommand(args: readonly string[]): Command {
  const values = parse(args);
  if (values.help || args.length === 0) return { kind: 'help' };
  const chunking = parseChunking(values.chunk ?? 'whole');
  if (chunking === null) {
    throw new UsageError(`--chunk is "whole", a number of bytes, or "random:SEED"; got "${values.chunk}".`);
  }
  if (values.index !== undefined) {
    const given = Object.keys(values).filter((name) => name !== 'index' && name !== 'chunk');
    if (given.length > 0) throw new UsageError(`--index cannot be combined with --${given[0]}.`);
    return { kind: 'index', file: values.index, chunking };
  }
  const { api, body, format = 'sse' } = values;
  if (api === undefined || body === undefined) throw new UsageError('It needs --api and --body, or --index.');
  if (!isApiName(api)) throw new UsageError(`--api is one of ${apiNames.join(', ')}; got "${api}".`);
  if (format !== 'sse' && format !== 'jsonl') {
    throw new UsageError(`--format is "sse" or "jsonl"; got "${format}".`);
  }
  const status = numberIn(values.status, 'status', 200, 200, 599);
  const cut = numberIn(values.cut, 'cut', Infinity, 0, Infinity);
  const bytes = readBytes(body);
  return {
    kind: 'one',
    api,
    script: {
      body: format === 'sse' ? bytes : wrapped(bytes, body),
      status,
      contentType: values['content-type'] ?? (status < 400 ? 'text/event-stream' : 'application/json'),
      chunking,
      cut,
      reset: values.reset ?? false,
    },
  };
}

/** Reads a file. Its path is relative to the user's folder, although npm runs scripts in the folder of the repository. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(path.resolve(process.env['INIT_CWD'] ?? '', file));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        api: { type: 'string' },
        body: { type: 'string' },
        format: { type: 'string' },
        chunk: { type: 'string' },
        cut: { type: 'string' },
        reset: { type: 'boolean' },
        status: { type: 'string' },
        'content-type': { type: 'string' },
        index: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function numberIn(
  text: string | undefined,
  name: string,
  preset: number,
  least: number,
  most: number,
): number {
  if (text === undefined) return preset;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`--${name} must be a whole number ${range}; got "${text}".`);
}

function wrapped(bytes: Buffer, file: string): Buffer {
  try {
    return asEvents(bytes);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
