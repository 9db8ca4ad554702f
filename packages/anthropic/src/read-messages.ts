import { fieldsOf, jsonIn, parseEvent, type EventWatch, type ServerEvent } from '@handrail/wire';

/**
 * The events of a message, those that came together at a time. They are read here, where that is possible: the official client
 * takes longer for an event than all the rest of its way, and passes over those that lost their name to a proxy.
 */
export async function* readMessages(
  stream: AsyncIterable<unknown>,
  watch: EventWatch | undefined,
): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!watch?.events) {
    for await (const event of stream) yield [event];
    return;
  }
  try {
    for await (const batch of watch.events) {
      const events: unknown[] = [];
      try {
        for (const event of batch) {
          // The end mark of another API, which some proxies add to every stream.
          if (event.name !== 'ping' && event.data !== '[DONE]') events.push(readEvent(event));
        }
      } finally {
        yield events; // what came before a malformed event counts
      }
    }
  } finally {
    // For the client there is nothing left to read; only then it lets go of the signal.
    stream[Symbol.asyncIterator]()
      .next()
      .catch(() => {});
  }
}

/** What an event says. The data of an error need not say that it is one, nor be JSON. */
function readEvent(event: ServerEvent): unknown {
  const { name, data } = event;
  const value = name === 'error' ? jsonIn(data) : parseEvent(event);
  const { type, error } = fieldsOf(value);
  const isUntold = name === 'error' ? type !== 'error' : type === undefined && Boolean(error);
  return isUntold ? { type: 'error', error: error ?? value ?? data } : value;
}
