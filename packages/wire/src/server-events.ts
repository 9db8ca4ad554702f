/** One event of a server. */
export interface ServerEvent {
  /** What stands behind `event:`; empty without such a line. */
  readonly name: string;
  readonly data: string;
}

/** An event that is no JSON. */
export class MalformedEvent extends SyntaxError {
  /** @param data the event */
  constructor(
    readonly data: string,
    cause: unknown,
  ) {
    super('An event is no JSON.', { cause });
  }
}

/**
 * The events in a text of whole ones, as the standard for event streams has it: what has no data is none.
 *
 * @example
 * eventsIn('event: ping\ndata: {}\n\n'); // [{ name: 'ping', data: '{}' }]
 */
export function eventsIn(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  let name = '';
  let data: string | null = null;
  for (const line of linesIn(text)) {
    if (line === '') {
      if (data) events.push({ name, data });
      name = '';
      data = null;
    } else if (line.startsWith('data')) {
      const value = valueBehind('data', line);
      if (value !== null) data = data === null ? value : `${data}\n${value}`;
    } else if (line.startsWith('event')) name = valueBehind('event', line) ?? name;
  }
  return events;
}

/** What the data of an event says. Throws `MalformedEvent`. */
export function parseEvent({ data }: ServerEvent): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    throw new MalformedEvent(data, thrown);
  }
}

/** Nearly every stream ends its lines with LF alone, and that is much the faster search. */
function linesIn(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|[\r\n]/) : text.split('\n');
}

/** null for a line of another field, whose name only begins like this one. */
function valueBehind(field: string, line: string): string | null {
  const colon = field.length;
  if (line.length === colon) return '';
  if (line.charAt(colon) !== ':') return null;
  return line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1);
}
