import { checksum } from './checksum.js';
import { jsonText } from './json-text.js';

/** A record or a snapshot, as it is stored. */
export interface Row {
  readonly revision: number;
  /** The JSON text. */
  readonly text: string;
  /** The checksum of the text. */
  readonly sum: number;
  /** The text in fewer bytes, where the database keeps it so. */
  readonly packed?: Uint8Array;
}

/**
 * @param what the name of the value in an error: `record`
 * @throws AgentSessionError `storage` when the value is not JSON
 */
export function rowOf(revision: number, value: unknown, what: string): Row {
  const text = jsonText(value, what);
  return { revision, text, sum: checksum(text) };
}

/** Returns the value of a row, a new one at each call. Throws when the row is not as it was written. */
export function valueOf({ text, sum }: Row): unknown {
  if (checksum(text) !== sum) throw new Error('its checksum is another one');
  return JSON.parse(text);
}
