import { isApiName } from './apis.js';
import type { Chunking } from './chunking.js';
import { compareFacts } from './compare-facts.js';
import { readBody, readIndex, type IndexEntry } from './read-index.js';
import { replay, type Wire } from './replay.js';

/** Replays every recording of an index. Prints a line for each, then how many match. Resolves with the number of those that differ. */
export async function replayIndex(
  file: string,
  chunking: Chunking,
  print: (line: string) => void,
): Promise<number> {
  let differing = 0;
  const entries = readIndex(file);
  for (const entry of entries) {
    const differences = await replayEntry(entry, file, chunking);
    if (differences.length > 0) differing++;
    print(
      differences.length === 0 ? `match  ${entry.name}` : `DIFFER ${entry.name}: ${differences.join('; ')}`,
    );
  }
  print(`${entries.length - differing} match, ${differing} differ`);
  return differing;
}

/** Returns how a replayed recording differs from its facts, in words; empty if it does not differ. */
export async function replayEntry(
  entry: IndexEntry,
  indexFile: string,
  chunking: Chunking,
  wire: Wire = 'socket',
): Promise<readonly string[]> {
  const { wire: api, facts } = entry;
  if (!isApiName(api)) return [`its API "${api}" is not known here`];
  try {
    const replayed = await replay(
      api,
      {
        body: readBody(indexFile, entry),
        status: 200,
        contentType: 'text/event-stream',
        chunking,
        cut: Infinity,
        reset: false,
      },
      wire,
    );
    return compareFacts(replayed, facts);
  } catch (error) {
    // If a recording cannot be read, or breaks this tool, the other recordings are still replayed.
    return [error instanceof Error ? error.message : String(error)];
  }
}
