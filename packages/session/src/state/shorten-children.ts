import { mapCalls } from '../conversation/map-calls.js';
import type {
  ChildTurn,
  RoundRecord,
  ToolCallView,
  TurnPart,
  TurnRecord,
} from '../conversation/turn-record.js';

/**
 * Returns a turn that has ended, with the record of each of its child turns shortened towards a size, at every depth. It leaves out, until
 * the record fits: first the results of calls, then thinking, then the text of the rounds between the first and the last. The input, the calls
 * with their arguments and child turns, the effects, the last text, the usage and the outcome stay, so that a record may stay larger. The record of a
 * child turn with a thread stays whole. Child turns that fit keep their identity. Pure.
 *
 * @param maxBytes the size of a record as JSON, with its child turns
 */
export function shortenChildren<T extends Pick<TurnRecord, 'rounds'>>(turn: T, maxBytes: number): T {
  return mapCalls(turn, (call) => {
    const { children } = call;
    if (children === undefined) return call;
    const short = children.map((child) => shortened(child, maxBytes));
    return short.every((child, index) => child === children[index]) ? call : { ...call, children: short };
  });
}

function shortened(child: ChildTurn, maxBytes: number): ChildTurn {
  if (child.shortened || child.thread !== undefined) return child;
  let excess = bytesOf(child) - maxBytes;
  if (excess <= 0) return child;
  const whole = excess;
  excess += bytesOf({ shortened: true });
  let { rounds } = child;
  const lastText = rounds.findLastIndex(({ parts }) => parts.some(({ type }) => type === 'text'));
  for (const step of [withoutResult, withoutThinking, withoutText]) {
    rounds = rounds.map((round, index): RoundRecord => {
      const isMiddle = index > 0 && index < child.rounds.length - 1 && index !== lastText;
      if (excess <= 0 || (step === withoutText && !isMiddle)) return round;
      const parts = round.parts.flatMap((part) => {
        const kept = excess > 0 ? step(part) : part;
        if (kept !== part) excess -= bytesOf(part) - (kept === null ? 0 : bytesOf(kept));
        return kept ?? [];
      });
      return { ...round, parts };
    });
  }
  return excess < whole ? { ...child, rounds, shortened: true } : child;
}

/** Returns a call without the content of its result, and any other part as it is. */
function withoutResult(part: TurnPart): TurnPart | null {
  if (part.type !== 'tool-call') return part;
  const { progress: _progress, result, ...call } = part;
  return 'progress' in part || result !== undefined ? { ...call, ...emptied(result) } : part;
}

function emptied(result: ToolCallView['result']): Pick<ToolCallView, 'result'> {
  return result === undefined ? {} : { result: { outcome: result.outcome, content: [] } };
}

/** Returns null for thinking, and for a part that only its provider can read. */
function withoutThinking(part: TurnPart): TurnPart | null {
  return part.type === 'thinking' || part.type === 'opaque' ? null : part;
}

/** Returns null for all other parts than a call. */
function withoutText(part: TurnPart): TurnPart | null {
  return part.type === 'tool-call' ? part : null;
}

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
