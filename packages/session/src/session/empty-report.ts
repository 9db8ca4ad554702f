import { nothingUndone, type TurnRecord } from '../conversation/turn-record.js';
import type { Phase } from '../state/session-state.js';
import type { CancelReport } from './agent-session.js';

/**
 * Returns the report of a cancel of a turn without calls.
 *
 * @param record the record of the turn that was running; null when none was
 */
export function emptyReport(landed: Phase, record: TurnRecord | null): CancelReport {
  return {
    landed,
    cancelled: record?.status === 'cancelled',
    completed: [],
    skipped: [],
    undo: record?.outcome?.report ?? { ...nothingUndone, unknown: record?.unknown ?? [] },
  };
}
