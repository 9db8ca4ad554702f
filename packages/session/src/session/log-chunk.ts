// The chunk of what only a session with a log or a journal needs: its opening, its writer, and the end of interrupted work.
export { openReport } from '../state/open-report.js';
export { allUndo } from '../state/undo-notes.js';
export { abandon, cancel, reopenReview, respond, resume } from './end-interruption.js';
export { JournalWriter } from './journal-writer.js';
export { openSession } from './open-session.js';
