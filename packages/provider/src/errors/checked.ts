import { sentence } from './sentence.js';
import { Mismatch, type Read } from '../json/shape.js';
import { AgentSessionError } from './agent-session-error.js';

/**
 * Checks that a value of the app has this shape, and returns it. Throws `invalid-configuration` with the place of the fault.
 *
 * @param subject what the value is, for the message: `The options of a turn`
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
