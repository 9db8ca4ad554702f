// The public entry for Node. The code of sessions and of logs is read with it: a server has no first page that should be small, and a session is open at
// once there, which a page waits for.
import * as log from './session/log-chunk.js';
import { logCode } from './session/log-code.js';
import * as session from './session/session-chunk.js';
import { sessionCode } from './session/session-code.js';

sessionCode.loaded = session;
logCode.loaded = log;

export * from './index.js';
