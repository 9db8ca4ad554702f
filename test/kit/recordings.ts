import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  hasRecordings,
  indexFile,
  recordingsFolder,
  recordingsRemark,
} from '../../scripts/recordings-folder.mjs';

/** The facts of a recorded answer. Which fields there are depends on the API. */
export interface Facts {
  readonly framed: boolean;
  readonly bytes: number;
  readonly textLength: number;
  readonly textSha256: string;
  readonly reasoningSha256?: string;
  readonly signatureSha256?: string;
  readonly refusalLength?: number;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args?: unknown;
    /** In place of `args`, for calls that take any text. */
    readonly input?: string;
    readonly rawArgsLength: number;
  }[];
  readonly serverToolCalls?: readonly { readonly id: string; readonly name: string }[];
  readonly serverBlocks?: Readonly<Record<string, number>>;
  readonly citations?: number;
  readonly stopReason: string | null;
  readonly usage: Readonly<Record<string, number | null>> | null;
  readonly doneMarker?: boolean;
  readonly errors?: readonly { readonly message: string }[];
  readonly deviations: Readonly<Record<string, number>>;
}

/** A recorded answer, as its file holds it. */
export interface RecordedStream {
  readonly name: string;
  /** The API that it is of: `openai-chat`, `openai-responses`, `anthropic-messages`. */
  readonly wire: string;
  readonly facts: Facts;
  /** The body as it was sent; one JSON text per line if the facts say that it is not framed. */
  readonly bytes: Buffer;
  /** The body of the request that got this answer; null if it was not recorded. */
  readonly request: unknown;
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

/**
 * Why there are only hand-written recordings and none of real servers; empty if there are real recordings.
 */
export const missing = hasRecordings ? '' : recordingsRemark;

/** Every cut and many corruptions, in minutes, in place of a sample. */
export const exhaustive = process.env['BANISTER_EXHAUSTIVE'] === '1';

const index = JSON.parse(readFileSync(indexFile, 'utf8')) as Index;

/** The recorded answers of these APIs. */
export function recordedStreams(...wires: readonly string[]): readonly RecordedStream[] {
  return index.streams
    .filter(({ wire }) => wires.includes(wire))
    .map(({ name, wire, file, requestFile, facts }) => ({
      name,
      wire,
      facts,
      bytes: readFileSync(path.join(recordingsFolder, file)),
      request: requestFile === undefined ? null : readJson(requestFile),
    }));
}

/** All recorded refusals. */
export const recordedRefusals: readonly RecordedRefusal[] = index.httpErrors.map(({ name, file }) => ({
  name,
  ...(readJson(file) as Omit<RecordedRefusal, 'name'>),
}));

/** The JSON texts of a body that lost its frame, as an event stream. */
export function framed(lines: Buffer, toEvent: (line: string) => string): string {
  return lines
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(toEvent)
    .join('');
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(recordingsFolder, file), 'utf8'));
}
