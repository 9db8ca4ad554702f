import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is known about a recorded answer. */
export interface Facts {
  readonly framed: boolean;
  readonly bytes: number;
  readonly textLength: number;
  readonly textSha256: string;
  readonly reasoningSha256?: string;
  readonly refusalLength?: number;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args?: unknown;
    /** In place of `args`, for calls that take any text. */
    readonly input?: string;
  }[];
  readonly stopReason: string | null;
  readonly usage: Readonly<Record<string, number | null>> | null;
  readonly doneMarker?: boolean;
  readonly errors?: readonly { readonly message: string }[];
}

/** A recorded answer of one of OpenAI's APIs, or of a server that imitates it. */
export interface Recording {
  readonly name: string;
  readonly api: 'chat' | 'responses';
  readonly facts: Facts;
  /** The body as an event stream. */
  readonly body: Buffer;
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

const apiByWire: ReadonlyMap<string, Recording['api']> = new Map([
  ['openai-chat', 'chat'],
  ['openai-responses', 'responses'],
]);

const index: Index =
  missing === '' ? (JSON.parse(readFileSync(indexFile, 'utf8')) as Index) : { streams: [], httpErrors: [] };

export const recordings: readonly Recording[] = index.streams.flatMap(({ name, wire, file, facts }) => {
  const api = apiByWire.get(wire);
  if (api === undefined) return [];
  const bytes = readFileSync(path.join(folder, file));
  return { name, api, facts, body: facts.framed ? bytes : asEvents(bytes, api) };
});

export const refusals: readonly RecordedRefusal[] = index.httpErrors.map(({ name, file }) => ({
  name,
  ...(JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Omit<RecordedRefusal, 'name'>),
}));

/** One JSON text a line, as an event stream. */
function asEvents(lines: Buffer, api: Recording['api']): Buffer {
  const events = lines
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `data: ${line}\n\n`);
  return Buffer.from(events.join('') + (api === 'chat' ? 'data: [DONE]\n\n' : ''));
}
