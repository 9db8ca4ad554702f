import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is known about a recorded answer. */
export interface Facts {
  readonly framed: boolean;
  readonly textSha256: string;
  readonly reasoningSha256?: string;
  readonly signatureSha256?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: unknown;
    readonly rawArgsLength: number;
  }[];
  readonly serverToolCalls?: readonly { readonly id: string; readonly name: string }[];
  readonly serverBlocks?: Readonly<Record<string, number>>;
  readonly citations?: number;
  readonly stopReason: string | null;
  readonly usage: Readonly<Record<string, number | null>> | null;
  readonly deviations: Readonly<Record<string, number>>;
}

/** A recorded answer of the Messages API. */
export interface Recording {
  readonly name: string;
  readonly facts: Facts;
  /** The body as an event stream. */
  readonly body: Buffer;
  /** The body of the request that got this answer. */
  readonly request: RecordedRequest | null;
}

/** A request as somebody sent it. */
export interface RecordedRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A recorded refusal. */
export interface RecordedRefusal {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Index {
  readonly streams: readonly {
    readonly name: string;
    readonly wire: string;
    readonly file: string;
    readonly requestFile?: string;
    readonly facts: Facts;
  }[];
  readonly httpErrors: readonly { readonly name: string; readonly file: string }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Recordings are no part of the repository: `HANDRAIL_RECORDINGS` names their folder. */
const folder = path.resolve(root, process.env['HANDRAIL_RECORDINGS'] ?? '../shared/fixtures/streams');
const indexFile = path.join(folder, 'INDEX.json');

/** Why there are no recordings; empty when there are. */
export const missing = existsSync(indexFile)
  ? ''
  : `no recordings in ${folder}; set HANDRAIL_RECORDINGS to a folder with an INDEX.json`;

/** Every cut and many corruptions, in minutes, in place of a sample. */
export const exhaustive = process.env['HANDRAIL_EXHAUSTIVE'] === '1';

if (missing !== '') console.warn(`Skipped: ${missing}`);

const index: Index =
  missing === '' ? (JSON.parse(readFileSync(indexFile, 'utf8')) as Index) : { streams: [], httpErrors: [] };

export const recordings: readonly Recording[] = index.streams
  .filter((stream) => stream.wire === 'anthropic-messages')
  .map(({ name, file, requestFile, facts }) => {
    const bytes = readFileSync(path.join(folder, file));
    const request =
      requestFile === undefined
        ? null
        : (JSON.parse(readFileSync(path.join(folder, requestFile), 'utf8')) as RecordedRequest);
    return { name, facts, body: facts.framed ? bytes : asEvents(bytes), request };
  });

export const refusals: readonly RecordedRefusal[] = index.httpErrors
  .filter(({ name }) => name.startsWith('anthropic'))
  .map(({ name, file }) => ({
    name,
    ...(JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Omit<RecordedRefusal, 'name'>),
  }));

/** One JSON text a line, as an event stream. */
function asEvents(lines: Buffer): Buffer {
  const events = lines
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`);
  return Buffer.from(events.join(''));
}
