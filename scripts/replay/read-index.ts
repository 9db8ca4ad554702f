import path from 'node:path';
import { asEvents } from './as-events.js';
import type { Facts } from './compare-facts.js';
import { readBytes, UsageError } from './replay-options.js';

/** A recording in an index. */
export interface IndexEntry {
  readonly name: string;
  /** One of the APIs. */
  readonly wire: string;
  /** Beside the index. */
  readonly file: string;
  readonly facts: Facts;
}

/** The recordings that an index lists. Throws a {@link UsageError} whose message names the fault. */
export function readIndex(file: string): readonly IndexEntry[] {
  const streams = parsed(readBytes(file), file)?.streams;
  if (!Array.isArray(streams)) throw new UsageError(`${file} has no list "streams".`);
  return streams.map((entry: unknown, position) => {
    const { name, wire, file: body, facts } = (entry ?? {}) as Partial<IndexEntry>;
    if (
      ![name, wire, body].every((field) => typeof field === 'string') ||
      typeof facts?.textSha256 !== 'string'
    ) {
      throw new UsageError(`${file}: streams[${position}] needs name, wire, file and facts.`);
    }
    return entry as IndexEntry;
  });
}

/** The body of a recording as an event stream. */
export function readBody(indexFile: string, { file, facts }: IndexEntry): Buffer {
  const bytes = readBytes(path.join(path.dirname(indexFile), file));
  return facts.framed ? bytes : asEvents(bytes);
}

function parsed(bytes: Buffer, file: string): { readonly streams?: unknown } | null {
  try {
    return JSON.parse(bytes.toString()) as { readonly streams?: unknown } | null;
  } catch {
    throw new UsageError(`${file} is no JSON.`);
  }
}
