import { isApiName, type ApiName } from '../replay/apis.js';
import { readBody, readIndex, type IndexEntry } from '../replay/read-index.js';
import { indexFile } from '../recordings-folder.mjs';

/** A recorded answer, as an event stream. */
export interface Recording {
  readonly name: string;
  readonly api: ApiName;
  readonly body: Buffer;
  readonly entry: IndexEntry;
}

/** All recordings of the APIs that {@link isApiName} knows. */
export function readRecordings(): readonly Recording[] {
  return readIndex(indexFile).flatMap((entry) => {
    const { name, wire: api } = entry;
    return isApiName(api) ? [{ name, api, body: readBody(indexFile, entry), entry }] : [];
  });
}
