import type { RoundRecord, ToolCallView, TurnRecord } from './turn-record.js';

/** Returns a turn with each of its calls mapped. Rounds in which no call changed keep their identity. */
export function mapCalls<T extends Pick<TurnRecord, 'rounds'>>(
  turn: T,
  map: (call: ToolCallView) => ToolCallView,
): T {
  const rounds = turn.rounds.map((round): RoundRecord => {
    const parts = round.parts.map((part) => (part.type === 'tool-call' ? map(part) : part));
    return parts.every((part, index) => part === round.parts[index]) ? round : { ...round, parts };
  });
  return { ...turn, rounds };
}
