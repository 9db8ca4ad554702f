import { AgentSessionError } from '@banister/session';

/**
 * Returns a value as JSON text. Logs keep text, so that a reader shares no object with a writer.
 *
 * @param what the name of the value in the error: `record`
 * @throws AgentSessionError `storage` when the value is not JSON
 */
export function jsonText(value: unknown, what: string): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text === undefined)
    throw new AgentSessionError('storage', `The ${what} cannot be stored: it is not JSON.`, {
      retry: 'never',
      cause,
    });
  return text;
}
