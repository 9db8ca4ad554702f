import type { RoundRecord, ToolCallView, TurnRecord } from '@banister/session';

export type ChildTurn = NonNullable<ToolCallView['children']>[number];

const line = { spent: 1, left: null };
const budget = { rounds: line, toolCalls: line, timeMs: line, tokens: line, cost: line };

/** A call that has its result. */
export function calledWith(id: string, more: Partial<ToolCallView> = {}): ToolCallView {
  const result = { outcome: 'success', content: [{ type: 'text', text: `Result of ${id}` }] } as const;
  const args = { argumentsText: '{"title":"A"}', arguments: { title: 'A' } };
  return { type: 'tool-call', id, tool: 'board.add', index: 0, state: 'settled', ...args, result, ...more };
}

export const said = (text: string): RoundRecord => ({ parts: [{ type: 'text', text }] });

/** A child turn that has completed. */
export function childTurn(
  id: string,
  rounds: readonly RoundRecord[],
  more: Partial<ChildTurn> = {},
): ChildTurn {
  return {
    id,
    parentId: null,
    input: { id: `input-${id}`, role: 'user', parts: [{ type: 'text', text: `Task of ${id}` }] },
    rounds,
    status: 'completed',
    outcome: { status: 'completed', usage: null, rounds: rounds.length },
    messageIds: [],
    effects: [],
    agent: 'notes',
    key: id,
    phase: 'idle',
    usage: null,
    budget,
    ...more,
  };
}

/** The turn with these child turns of its first call. */
export function withChildren<T extends Pick<TurnRecord, 'rounds'>>(
  turn: T,
  children: readonly ChildTurn[],
): T {
  if (children.length === 0) return turn;
  let isFirst = true;
  const rounds = turn.rounds.map(({ parts }) => ({
    parts: parts.map((part) => {
      if (part.type !== 'tool-call' || !isFirst) return part;
      isFirst = false;
      return { ...part, children };
    }),
  }));
  return { ...turn, rounds };
}
