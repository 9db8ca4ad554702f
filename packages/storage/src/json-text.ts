import { AgentSessionError } from '@banister/session';

/**
 * Returns a value as a JSON string. Logs keep strings, so that a reader and a writer never share an object.
 *
 * @param what the name of the value in the error: `record`
 * @throws AgentSessionError `storage` if the value is not JSON
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
