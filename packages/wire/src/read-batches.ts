import type { ServerEvent } from './server-events.js';
import type { EventWatch } from './watch-events.js';

/** An answer that has begun. */
export interface OpenAnswer {
  /** The events, as the official client yields them. */
  readonly stream: AsyncIterable<unknown>;
  /** The watched bytes; undefined if the client did not use the wire's `fetch`. */
  readonly watch: EventWatch | undefined;
}

/**
 * Reads an answer. Events that arrived together are one batch. If possible the events are parsed here,
 * because an official client is several times slower; else the client's own stream is read. If an error
 * follows, the results before it are yielded first.
 *
 * @param parse returns one event as the client would yield it; undefined leaves the event out
 * @param read returns the results of one parsed event
 */
export function readBatches<Result>(
  { stream, watch }: OpenAnswer,
  parse: (event: ServerEvent) => unknown,
  read: (event: unknown) => readonly Result[],
): AsyncIterable<readonly Result[]> {
  if (!watch?.events) return convertBatches(singly(stream), read);
  return convertBatches(watch.events, (event) => {
    const parsed = parse(event);
    return parsed === undefined ? [] : read(parsed);
  });
}

async function* convertBatches<From, To>(
  batches: AsyncIterable<readonly From[]>,
  convert: (one: From) => readonly To[],
): AsyncGenerator<readonly To[], void, undefined> {
  for await (const batch of batches) {
    const results: To[] = [];
    try {
      for (const one of batch) results.push(...convert(one));
    } finally {
      yield results;
    }
  }
}

async function* singly<T>(stream: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  for await (const one of stream) yield [one];
}
