import type { ServerEvent } from './server-events.js';
import type { EventWatch } from './watch-events.js';

/** An answer that has begun. */
export interface OpenAnswer {
  /** The events as the official client yields them. */
  readonly stream: AsyncIterable<unknown>;
  /** The watched bytes; undefined when the client did not use the wire's `fetch`. */
  readonly watch: EventWatch | undefined;
}

/**
 * Reads an answer; events that arrived together are one batch. They are parsed here where that is possible, because an
 * official client takes longer for one event than the rest of its way takes; else the client's own stream is read. Results
 * before an error are yielded before the error is thrown.
 *
 * @param parse one event as the client would yield it; undefined leaves it out
 * @param read the results of one parsed event
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
