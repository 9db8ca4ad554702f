/**
 * Converts lines of JSON to an event stream. An event is named after its `type`, as in the APIs that name events. Nothing is added at the
 * end: if the lines do not end the answer, it has no end.
 *
 * @throws Error naming the first line that is not a JSON object
 */
export function asEvents(lines: Buffer): Buffer {
  const events = lines
    .toString()
    .split(/\r?\n/)
    .map((line, index) => (line.trim() === '' ? '' : asEvent(line, index + 1)));
  return Buffer.from(events.join(''));
}

function asEvent(line: string, number: number): string {
  const type = typeIn(line, number);
  const name = typeof type === 'string' && /^[\w.]+$/.test(type) ? `event: ${type}\n` : '';
  return `${name}data: ${line}\n\n`;
}

function typeIn(line: string, number: number): unknown {
  try {
    const event = JSON.parse(line) as unknown;
    if (typeof event === 'object' && event !== null) return (event as { type?: unknown }).type;
  } catch {
    // said below
  }
  throw new Error(`line ${number} is no JSON object. Is it --format sse?`);
}
