import { AgentSessionError } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';

// Reads JSON of unknown origin, piece by piece. Each function throws `invalid-configuration` and names the place.

/**
 * The most values of one part of a message, or of one head of a message or turn. More than a call can hold, whose texts
 * and results are bounded when they arrive. The number of parts has no bound: what was saved can be opened.
 */
const MAX_VALUES = 3_000_000;

/** A copy of one piece. */
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

/** An object that has these fields, each a text. */
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

export function oneOf(value: unknown, allowed: readonly string[], at: string): void {
  if (!allowed.includes(textOf(value, at))) wrong(at, `it is ${JSON.stringify(value)}`);
}

export function wrong(at: string, reason: string): never {
  throw new AgentSessionError('invalid-configuration', `This is no saved conversation: ${at}: ${reason}.`, {
    details: { at },
  });
}
