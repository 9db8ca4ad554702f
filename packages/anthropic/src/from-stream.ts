import { AgentSessionError, type ProviderEvent } from '@handrail/session/provider';
import type { MessageAnswer } from './ask-messages.js';
import { fieldsOf } from './json-fields.js';
import type { EventWatch } from './watch-events.js';

/** How often a paused answer is continued. Each time the server has worked through its own limit of steps. */
const MOST_CONTINUATIONS = 5;

/**
 * The events of one answer, which may be several messages: the server pauses long work of its own tools, and goes on when
 * it gets the message back. Ends in `finish` only on evidence that the answer is whole; a stream that merely stops yields
 * none, since the official client ends its loop the same way whether the server was done, the connection was cut, or the
 * signal fired.
 */
export async function* fromStream(
  ask: () => Promise<MessageAnswer>,
): AsyncGenerator<ProviderEvent, void, undefined> {
  let answer = await ask();
  for (let continued = 0; ; continued++) {
    const { events, reader, watch, signal, toError } = answer;
    try {
      for await (const event of events) {
        for (const one of reader.read(event)) yield one;
        // The watch lets nothing pass after the end, and the connection can be used again. Without one, leave.
        if (reader.hasStopped && watch === undefined) break;
      }
      signal.throwIfAborted();
      if (!reader.hasRead) throw noEvents(watch);
    } catch (thrown) {
      // A connection that breaks after the last word took nothing away.
      if (!reader.hasStopped || signal.aborted) throw toError(thrown, malformedLine(watch));
    }
    if (!reader.isPaused || continued === MOST_CONTINUATIONS) {
      for (const one of reader.end()) yield one;
      return;
    }
    answer = await answer.continue();
  }
}

/** The line that the official client stumbled over; empty when it did not. */
function malformedLine(watch: EventWatch | undefined): string {
  return watch?.latestData().find((line) => parsed(line) === undefined) ?? '';
}

/** undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A success without a single event: something else than the API answered, or nothing at all. */
function noEvents(watch: EventWatch | undefined): Error {
  const { contentType = '', beginning = '' } = watch ?? {};
  const body = parsed(beginning);
  if (fieldsOf(body)['error']) {
    return Object.assign(new Error('an error with the status of a success'), { error: body });
  }
  const details = { contentType, beginning };
  const kind = contentType === '' ? 'no content type' : contentType;
  if (beginning.trim() === '' || contentType.startsWith('text/event-stream')) {
    const what = beginning.trim() === '' ? 'an empty answer' : `no event, only "${beginning.trim()}"`;
    return new AgentSessionError('interrupted', `The server sent ${what} (${kind}).`, { details });
  }
  return new AgentSessionError(
    'server',
    `The server sent ${kind} instead of a stream of events. Is the base URL right? It begins: ${beginning.trim()}`,
    // A page means that the address is wrong; anything else may have been an accident.
    { details, ...(contentType.startsWith('text/html') ? { retry: 'after-action' } : {}) },
  );
}
