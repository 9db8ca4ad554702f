// The entry of the chunk that only a session with a log or a journal needs: the code that opens the log, and its writer.
export { interruptPutDown } from './interrupt-put-down.js';
export { JournalWriter } from '../log/journal-writer.js';
export { openSession } from './open-session.js';
export { resumeCode } from './resume-code.js';
