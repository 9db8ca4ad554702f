import { fieldsOf, textIn } from '@handrail/wire';

/** An event that begins with another line than its name; cheap, and true for comments and for CR LF as well. */
const mayBeNameless = /(?:^|[\r\n]{2})(?!event:)[^\r\n]/;

/**
 * Gives events their names. The official client passes over an event without an `event` line, although its data says
 * what it is; proxies lose these lines. Returns null when every event has its name.
 *
 * @param text whole events
 */
export function nameEvents(text: string): string | null {
  if (!mayBeNameless.test(text)) return null;
  const lines = text.split(/\r\n|[\r\n]/);
  return isNamed(lines) ? null : named(lines);
}

function isNamed(lines: readonly string[]): boolean {
  let name = false;
  for (const line of lines) {
    if (line === '') name = false;
    else if (line.startsWith('event:')) name = true;
    else if (line.startsWith('data:') && !name) return false;
  }
  return true;
}

function named(lines: readonly string[]): string {
  let text = '';
  let name = '';
  let data: string[] = [];
  for (const line of lines) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line === '') {
      if (data.length > 0) text += withName(name, data);
      name = '';
      data = [];
    }
  }
  return text;
}

function withName(name: string, data: readonly string[]): string {
  const body = data.join('\n').trim();
  // The end mark of another API, which some proxies add to every stream.
  if (name === '' && (body === '' || body === '[DONE]')) return '';
  return `event: ${name || nameOf(body)}\n${data.map((line) => `data: ${line}\n`).join('')}\n`;
}

function nameOf(body: string): string {
  try {
    const { type, error } = fieldsOf(JSON.parse(body));
    return textIn(type).replace(/[\r\n]/g, '') || (error ? 'error' : 'message');
  } catch {
    return 'message'; // so that the client stumbles over it, and we can say why
  }
}
