// The public entry for Node. The code of sessions, of logs and of interrupted work is read with it: a server has no first page that should be small,
// and a session is open at once there, which a page waits for.
import * as interruption from './session/end-interruption.js';
import * as log from './session/log-chunk.js';
import { logCode } from './session/log-code.js';
import { resumeCode } from './session/resume-code.js';
import * as session from './session/session-chunk.js';
import { sessionCode } from './session/session-code.js';

sessionCode.loaded = session;
logCode.loaded = log;
resumeCode.loaded = interruption;

export * from './index.js';
