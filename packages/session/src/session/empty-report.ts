import { nothingUndone } from '../conversation/turn-record.js';
import type { Phase } from '../state/session-state.js';
import type { CancelReport } from './agent-session.js';

/**
 * Returns the report of a cancel that met no call.
 *
 * @param cancelled whether the cancel ended something
 */
export function emptyReport(landed: Phase, cancelled = false): CancelReport {
  return { landed, cancelled, completed: [], skipped: [], undo: nothingUndone };
}
