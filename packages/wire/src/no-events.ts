import { AgentSessionError } from '@banister/provider';
import { errorIn, suspectedError } from './in-band-error.js';
import { fieldsOf } from './json-fields.js';
import type { EventWatch } from './watch-events.js';

/**
 * The error for an answer that has a success status but not a single event. If the body is an error of the
 * API, it becomes the field `error` of the returned error, as in an error of the official client.
 */
export function noEvents(watch: EventWatch | undefined): Error {
  const { contentType = '', beginning = '' } = watch ?? {};
  const error = errorIn(watch?.plain) ?? suspectedError(fieldsOf(watch?.plain));
  if (error !== undefined) {
    return Object.assign(new Error('an error with the status of a success'), { error });
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
    // A web page means that the address is wrong. Any other body may be a temporary fault.
    { details, ...(contentType.startsWith('text/html') ? { retry: 'after-action' } : {}) },
  );
}
