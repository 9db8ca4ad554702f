import { errorIn, suspectedError } from './in-band-error.js';
import { fieldsOf, jsonIn } from './json-fields.js';

/** One event of a server. */
export interface ServerEvent {
  /** The value of the line `event:`; empty without such a line. */
  readonly name: string;
  readonly data: string;
}

/** An event whose data is not JSON. */
export class MalformedEvent extends SyntaxError {
  /** @param data the data of the event */
  constructor(
    readonly data: string,
    cause: unknown,
  ) {
    super('An event is not JSON.', { cause });
  }
}

/**
 * Returns the events in a text of complete events, according to the standard for event streams: an event
 * without data is skipped. Some servers state an error in a field `error`, or as bare JSON on one or several
 * lines.
 *
 * @example
 * eventsIn('event: ping\ndata: {}\n\n'); // [{ name: 'ping', data: '{}' }]
 */
export function eventsIn(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  let name = '';
  let data: string | null = null;
  let bare = '';
  for (const line of linesIn(text)) {
    if (line === '') {
      if (bare !== '' && holdsError(bare)) events.push({ name: '', data: bare });
      if (data) events.push({ name, data });
      name = bare = '';
      data = null;
    } else if (line.startsWith('data')) {
      const value = valueBehind('data', line);
      if (value !== null) data = data === null ? value : `${data}\n${value}`;
    } else if (line.startsWith('event')) name = valueBehind('event', line) ?? name;
    else if (line.startsWith('error')) {
      data = valueBehind('error', line) ?? data;
      name = 'error';
    } else if (bare !== '' || /^\s*[[{]/.test(line)) bare += `${line}\n`;
  }
  return events;
}

function holdsError(bare: string): boolean {
  const value = jsonIn(bare);
  return (errorIn(value) ?? suspectedError(fieldsOf(value))) !== undefined;
}

/** The names or the data of events that only keep a connection alive. */
const ping = /^(?:ping|heartbeat|keep-?alive)$/i;

/**
 * Returns the parsed data of an event; undefined for a ping. For an event named `error`, the returned value
 * has the error in its field `error`, and the data need not be JSON. Throws `MalformedEvent`.
 */
export function parseEvent({ name, data }: ServerEvent): unknown {
  if (ping.test(name)) return undefined;
  if (name === 'error') {
    const value = jsonIn(data);
    return { type: 'error', error: errorIn(value) ?? value ?? data };
  }
  try {
    return JSON.parse(data);
  } catch (thrown) {
    if (ping.test(data)) return undefined;
    throw new MalformedEvent(data, thrown);
  }
}

/** Nearly every stream ends its lines with LF alone, and a search for LF is much faster. */
function linesIn(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|[\r\n]/) : text.split('\n');
}

/** Returns null for a line of another field whose name only begins with this name. */
function valueBehind(field: string, line: string): string | null {
  const colon = field.length;
  if (line.length === colon) return '';
  if (line.charAt(colon) !== ':') return null;
  return line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1);
}
