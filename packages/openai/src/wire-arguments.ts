import { isJsonObject, strictParse } from '@handrail/session/provider';

/**
 * Arguments of a call for a request: byte for byte, so that the server's cache knows them; but nothing that a server
 * would refuse to read.
 */
export function wireArguments(text: string): string {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? text : '{}';
}
