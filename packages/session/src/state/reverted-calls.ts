import type { RoundRecord, TurnPart, TurnRecord, UndoItem } from '../conversation/turn-record.js';

/** Returns the record with `reverted` set on the calls of these effects. Other calls keep their identity. */
export function withReverted(record: TurnRecord, items: readonly UndoItem[], reverted: boolean): TurnRecord {
  const ids = new Set(items.map((item) => item.toolCallId));
  if (ids.size === 0) return record;
  return mapCalls(record, (part) =>
    part.type === 'tool-call' && ids.has(part.id) ? { ...part, reverted } : part,
  );
}

/** Returns the record with each part mapped. Rounds in which no part changed keep their identity. */
export function mapCalls(record: TurnRecord, map: (part: TurnPart) => TurnPart): TurnRecord {
  const rounds = record.rounds.map((round): RoundRecord => {
    const parts = round.parts.map(map);
    return parts.every((part, index) => part === round.parts[index]) ? round : { ...round, parts };
  });
  return { ...record, rounds };
}
