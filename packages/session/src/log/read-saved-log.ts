import { readConversation } from '../conversation/open-conversation.js';
import { readLogWith, type ReadLog } from './read-log.js';
import type { LoadedLog } from './session-log.js';

/**
 * Reads a log as a session does when it opens: the snapshot, and all records up to the first record that cannot be read, because a newer
 * release wrote it or because it is damaged. Never throws. Freezes the log, because the state shares its objects.
 *
 * @example
 * const { state, problem } = readLog(await log.load('chat-42'));
 */
export function readLog(log: Pick<LoadedLog, 'snapshot' | 'records' | 'damage'>): ReadLog {
  return readLogWith(log, readConversation);
}
