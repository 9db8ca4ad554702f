import { AgentSessionError } from '@banister/provider';
import { fieldsOf, textIn } from './json-fields.js';

/** How many levels of causes and fields are searched. */
const DEEPEST = 8;

/**
 * Returns the thrown value if printing it would print no key. Else returns an error with the same name, code
 * and causes, in whose texts the key is redacted.
 */
export function withoutKeys(thrown: unknown, redact: (text: string) => string): unknown {
  const isClean = textsIn(thrown).every((text) => redact(text) === text);
  return isClean ? thrown : cleanCopy(thrown, redact, 0);
}

/** Returns the same `AgentSessionError` without keys in its message, details and causes. */
export function errorWithoutKeys(
  error: AgentSessionError,
  redact: (text: string) => string,
): AgentSessionError {
  if (withoutKeys(error, redact) === error) return error;
  const details = JSON.parse(redact(JSON.stringify(error.details))) as AgentSessionError['details'];
  return new AgentSessionError(error.code, redact(error.message), {
    details,
    retry: error.retry,
    cause: withoutKeys(error.cause, redact),
  });
}

function cleanCopy(thrown: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof thrown === 'string') return redact(thrown);
  if (!(thrown instanceof Error) || depth === DEEPEST) return undefined;
  const { name, message, cause } = thrown;
  const copy = new Error(redact(message));
  copy.name = name;
  copy.stack = redact(thrown.stack ?? '');
  const code = textIn(fieldsOf(thrown)['code']);
  if (code !== '') Object.assign(copy, { code });
  if (cause !== undefined) copy.cause = cleanCopy(cause, redact, depth + 1);
  return copy;
}

/** Returns every text that printing a value can show. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const look = (one: unknown, depth: number): void => {
    if (typeof one === 'string') return void texts.push(one);
    if (typeof one !== 'object' || one === null || depth > DEEPEST || seen.has(one)) return;
    seen.add(one);
    if (one instanceof Headers) return void texts.push(...[...one].map(([name, text]) => `${name}: ${text}`));
    if (ArrayBuffer.isView(one)) return;
    // The message of an error is not enumerable. Getters are not called, because they may have effects.
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(one))) look(value, depth + 1);
  };
  look(value, 0);
  return texts;
}
