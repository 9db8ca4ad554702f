import { mapCalls } from '../conversation/map-calls.js';
import type { TurnRecord, UndoItem } from '../conversation/turn-record.js';

/** Returns the record with `reverted` set on the calls of these effects. Other calls keep their identity. */
export function withReverted(record: TurnRecord, items: readonly UndoItem[], reverted: boolean): TurnRecord {
  const ids = new Set(items.map((item) => item.toolCallId));
  if (ids.size === 0) return record;
  return mapCalls(record, (call) => (ids.has(call.id) ? { ...call, reverted } : call));
}
