import { AgentSessionError } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';

// Readers of JSON of unknown origin. Each function throws `invalid-configuration` and names the place, the parameter `at`.

/**
 * The most values of one part of a message, or of a message or turn without its parts. A call cannot hold as many: its text and
 * its result are bounded when they arrive. The number of parts has no bound, so that every saved conversation can be opened.
 */
const MAX_VALUES = 3_000_000;

/** Returns a deep copy. */
export function copyOf<T>(value: T, at: string): T {
  try {
    return jsonCopy(value, MAX_VALUES) as T;
  } catch (error) {
    return wrong(at, messageOf(error));
  }
}

export function objectOf(value: unknown, at: string): JsonObject {
  return isJsonObject(value) ? value : wrong(at, 'it is no object');
}

/** Returns the value as an object in which each of these fields is a string. */
export function textsOf(value: unknown, fields: readonly string[], at: string): JsonObject {
  const object = objectOf(value, at);
  for (const field of fields) textOf(object[field], `${at}.${field}`);
  return object;
}

export function listOf(value: unknown, at: string): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : wrong(at, 'it is no list');
}

export function textOf(value: unknown, at: string): string {
  return typeof value === 'string' ? value : wrong(at, 'it is no text');
}

/** Returns the value as the id of a turn or mark, or as null. */
export function idOrNull(value: unknown, at: string): string | null {
  return value === null ? null : textOf(value, at);
}

export function wrong(at: string, reason: string): never {
  throw new AgentSessionError('invalid-configuration', `This is no saved conversation: ${at}: ${reason}.`, {
    details: { at },
  });
}
