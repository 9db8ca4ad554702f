import { parseEvent, type EventWatch } from '@handrail/wire';
import type { EventStream } from './model-api.js';

/**
 * The chunks of an answer, those that came together at a time. They are read here, where that is possible: the official client
 * takes longer for a chunk than all the rest of its way.
 */
export async function* readChunks(
  stream: EventStream,
  watch: EventWatch | undefined,
): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!watch?.events) {
    for await (const chunk of stream) yield [chunk];
    return;
  }
  for await (const events of watch.events) {
    const chunks: unknown[] = [];
    try {
      for (const event of events) {
        if (event.data.startsWith('[DONE]')) break;
        chunks.push(parseEvent(event));
      }
    } finally {
      yield chunks; // what came before a malformed event counts
    }
  }
}
