import { existsSync } from 'node:fs';
import path from 'node:path';
import { isApiName, type ApiName } from '../replay/apis.js';
import { readBody, readIndex, type IndexEntry } from '../replay/read-index.js';
import { root } from '../run-process.mjs';

/** A recorded answer, as an event stream. */
export interface Recording {
  readonly name: string;
  readonly api: ApiName;
  readonly body: Buffer;
  readonly entry: IndexEntry;
}

/** Recordings are no part of the repository: `HANDRAIL_RECORDINGS` names their folder. */
const folder = path.resolve(root, process.env['HANDRAIL_RECORDINGS'] ?? '../shared/fixtures/streams');

/** The index of the recordings. */
export const indexFile = path.join(folder, 'INDEX.json');

/** Why there are no recordings; empty when there are. */
export const missing = existsSync(indexFile)
  ? ''
  : `no recordings in ${folder}; set HANDRAIL_RECORDINGS to a folder with an INDEX.json`;

/** All recordings of APIs that are known here. */
export function readRecordings(): readonly Recording[] {
  return readIndex(indexFile).flatMap((entry) => {
    const { name, wire: api } = entry;
    return isApiName(api) ? [{ name, api, body: readBody(indexFile, entry), entry }] : [];
  });
}
