// The chunk of what only a session with a log or a journal needs: its opening, and its writer.
export { JournalWriter } from './journal-writer.js';
export { openSession } from './open-session.js';
export { resumeCode } from './resume-code.js';
