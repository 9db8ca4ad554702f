import { callsOf, type ToolCallView, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { Phase } from '../state/session-state.js';
import type { CancelReport } from './agent-session.js';

/** What a cancel came to, read off the record of the turn that it met; null when nothing was running. */
export function cancelReport(landed: Phase, record: TurnRecord | null): CancelReport {
  const undo = record?.outcome?.report ?? { done: [], failed: [], irreversible: [] };
  const calls = record?.rounds.flatMap(callsOf) ?? [];
  const described = new Map(
    [...undo.done, ...undo.failed, ...undo.irreversible, ...(record?.effects ?? [])].map((item) => [
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
    completed: calls
      .filter((call) => call.result?.outcome === 'success' || call.result?.outcome === 'stop')
      .map(itemOf),
    skipped: calls.filter(neverRan).map(itemOf),
    undo,
  };
}

/** A call that was being written, waited, or was rejected when the turn ended. */
function neverRan(call: ToolCallView): boolean {
  return call.state === 'assembling' || call.state === 'waiting' || call.result?.outcome === 'rejected';
}
