import type { RoundRecord, ToolCallView, TurnRecord } from './turn-record.js';

/** Returns a turn with each of its calls mapped, after the calls of its child turns. Turns and rounds in which no call changed keep their identity. */
export function mapCalls<T extends Pick<TurnRecord, 'rounds'>>(
  turn: T,
  map: (call: ToolCallView) => ToolCallView,
): T {
  const rounds = mapped(turn.rounds, (round): RoundRecord => {
    const parts = mapped(round.parts, (part) =>
      part.type === 'tool-call' ? map(withChildren(part, map)) : part,
    );
    return parts === round.parts ? round : { ...round, parts };
  });
  return rounds === turn.rounds ? turn : { ...turn, rounds };
}

function withChildren(call: ToolCallView, map: (call: ToolCallView) => ToolCallView): ToolCallView {
  if (call.children === undefined) return call;
  const children = mapped(call.children, (child) => mapCalls(child, map));
  return children === call.children ? call : { ...call, children };
}

/** Returns the list with each item mapped; the same list if no item changed. */
function mapped<T>(list: readonly T[], map: (item: T) => T): readonly T[] {
  const items = list.map(map);
  return items.every((item, index) => item === list[index]) ? list : items;
}
