import { sentence } from './sentence.js';
import { Mismatch, type Read } from '../json/shape.js';
import { AgentSessionError } from './agent-session-error.js';

/**
 * Returns a value of the app that has this shape. Throws `invalid-configuration`, naming the place.
 *
 * @param subject the value as a whole, for the message: `The options of a turn`
 */
export function checked<T>(read: Read<T>, value: unknown, subject: string): T {
  try {
    return read(value, '');
  } catch (error) {
    throw error instanceof Mismatch ? refusal(sentence(`${subject}: ${error.message}`), error.cause) : error;
  }
}

export function refusal(message: string, cause?: unknown): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message, { cause });
}
