import { checksum } from './checksum.js';
import { jsonText } from './json-text.js';

/** A record or a snapshot, as it is stored. */
export interface Row {
  readonly revision: number;
  /** The JSON text. */
  readonly text: string;
  /** The checksum of the text. */
  readonly sum: number;
  /** The compressed text, if the database stores it compressed. */
  readonly packed?: Uint8Array;
}

/**
 * @param what the name of the value in an error: `record`
 * @throws AgentSessionError `storage` if the value is not JSON
 */
export function rowOf(revision: number, value: unknown, what: string): Row {
  const text = jsonText(value, what);
  return { revision, text, sum: checksum(text) };
}

/** Parses the value of a row. Throws if the row is damaged. */
export function valueOf({ text, sum }: Row): unknown {
  if (checksum(text) !== sum) throw new Error('its checksum is another one');
  return JSON.parse(text);
}
