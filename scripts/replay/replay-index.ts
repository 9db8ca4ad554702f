import path from 'node:path';
import { isApiName } from './apis.js';
import { asEvents } from './as-events.js';
import type { Chunking } from './chunking.js';
import { compareFacts, type Facts } from './compare-facts.js';
import { replay } from './replay.js';
import { readBytes, UsageError } from './replay-options.js';

/** A recording in an index. */
interface Entry {
  readonly name: string;
  /** One of the APIs. */
  readonly wire: string;
  /** Beside the index. */
  readonly file: string;
  readonly facts: Facts;
}

/** Replays every recording of an index. Prints a line for each, then how many match. Resolves to the number that differ. */
export async function replayIndex(
  file: string,
  chunking: Chunking,
  print: (line: string) => void,
): Promise<number> {
  let differing = 0;
  const entries = readIndex(file);
  for (const entry of entries) {
    const differences = await replayEntry(entry, path.dirname(file), chunking);
    if (differences.length > 0) differing++;
    print(
      differences.length === 0 ? `match  ${entry.name}` : `DIFFER ${entry.name}: ${differences.join('; ')}`,
    );
  }
  print(`${entries.length - differing} match, ${differing} differ`);
  return differing;
}

async function replayEntry(
  { wire, file, facts }: Entry,
  folder: string,
  chunking: Chunking,
): Promise<readonly string[]> {
  if (!isApiName(wire)) return [`its API "${wire}" is not known here`];
  try {
    const bytes = readBytes(path.join(folder, file));
    const replayed = await replay(wire, {
      body: facts.framed ? bytes : asEvents(bytes),
      status: 200,
      contentType: 'text/event-stream',
      chunking,
      cut: Infinity,
      reset: false,
    });
    return compareFacts(replayed, facts);
  } catch (error) {
    // One recording that cannot be read, or that this tool stumbles over, says nothing about the others.
    return [error instanceof Error ? error.message : String(error)];
  }
}

function readIndex(file: string): readonly Entry[] {
  const streams = parsed(readBytes(file), file)?.streams;
  if (!Array.isArray(streams)) throw new UsageError(`${file} has no list "streams".`);
  return streams.map((entry: unknown, position) => {
    const { name, wire, file: body, facts } = (entry ?? {}) as Partial<Entry>;
    if (
      ![name, wire, body].every((field) => typeof field === 'string') ||
      typeof facts?.textSha256 !== 'string'
    ) {
      throw new UsageError(`${file}: streams[${position}] needs name, wire, file and facts.`);
    }
    return entry as Entry;
  });
}

function parsed(bytes: Buffer, file: string): { readonly streams?: unknown } | null {
  try {
    return JSON.parse(bytes.toString()) as { readonly streams?: unknown } | null;
  } catch {
    throw new UsageError(`${file} is no JSON.`);
  }
}
