// @ts-check
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './run-process.mjs';

// Recorded answers of real servers are not in the repository: `BANISTER_RECORDINGS` names their folder. If they are missing, as in a
// fresh clone, tests replay the few answers of test/fixtures/streams, which were written by hand.

const recorded = path.resolve(root, process.env['BANISTER_RECORDINGS'] ?? '../shared/fixtures/streams');

/** Whether the recordings of real servers are here. */
export const hasRecordings = existsSync(path.join(recorded, 'INDEX.json'));

/** The folder of the recordings, or of the answers that are written by hand. */
export const recordingsFolder = hasRecordings ? recorded : path.join(root, 'test', 'fixtures', 'streams');

/** Lists what the folder holds. */
export const indexFile = path.join(recordingsFolder, 'INDEX.json');

/** One line about which recordings a run replays. */
export const recordingsRemark = hasRecordings
  ? `Recordings: those of ${recorded}.`
  : `Recordings: none in ${recorded}, so only the few of test/fixtures/streams ran. ` +
    'BANISTER_RECORDINGS names another folder with an INDEX.json.';
