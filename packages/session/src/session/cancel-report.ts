import { hasBegun } from '../conversation/has-begun.js';
import {
  allCallsOf,
  nothingUndone,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
} from '../conversation/turn-record.js';
import type { Phase } from '../state/session-state.js';
import type { CancelReport } from './agent-session.js';

/**
 * Returns the report of a cancel.
 *
 * @param record the record of the turn that was running; null when none was
 */
export function cancelReport(landed: Phase, record: TurnRecord | null): CancelReport {
  const undo = record?.outcome?.report ?? { ...nothingUndone, unknown: record?.unknown ?? [] };
  const calls = allCallsOf(record);
  const described = new Map(
    [...Object.values(undo).flat(), ...(record?.effects ?? [])].map((item) => [
      item.toolCallId,
      item.description,
    ]),
  );
  const itemOf = ({ id, tool }: ToolCallView): UndoItem => ({
    toolCallId: id,
    toolName: tool,
    description: described.get(id) ?? tool,
  });
  return {
    landed,
    cancelled: record?.status === 'cancelled',
    undo,
    completed: calls
      .filter((call) => call.result?.outcome === 'success' || call.result?.outcome === 'stop')
      .map(itemOf),
    skipped: calls.filter((call) => !hasBegun(call)).map(itemOf),
  };
}
