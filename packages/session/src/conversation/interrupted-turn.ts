import type { ErrorData, UsageReport } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { ConversationParts } from './conversation-parts.js';
import { mapCalls } from './map-calls.js';
import {
  isSetAside,
  nothingUndone,
  type ChildTurn,
  type TurnRecord,
  type UndoReport,
} from './turn-record.js';

/**
 * Returns the parts with the running turn as an interrupted turn, which can be retried: its record has the rounds until now, and the effects
 * that stay in the app. A running `generate` is off the path, like a failed one.
 *
 * @param usage the usage of the running turn until now
 * @param report the report of the running turn as if it ended now
 */
export function withInterruptedTurn(
  parts: ConversationParts,
  usage: UsageReport | null,
  report: UndoReport | null,
): ConversationParts {
  const { liveTurn, turns, headTurnId } = parts;
  if (liveTurn === null) return parts;
  const error = pageLeft();
  const cut: TurnRecord = {
    ...withEndedChildren(liveTurn),
    status: 'failed',
    outcome: {
      status: 'failed',
      usage,
      rounds: liveTurn.rounds.length,
      error,
      report: report ?? nothingUndone,
    },
  };
  return {
    ...parts,
    liveTurn: null,
    turns: [...turns, cut],
    headTurnId: isSetAside(cut) ? cut.parentId : headTurnId,
  };
}

function pageLeft(): ErrorData {
  return new AgentSessionError('interrupted', 'The page was left while this turn was running.', {
    details: { reason: 'page-left' },
  }).toJSON();
}

/** Returns a turn with its running child turns as interrupted turns, at every depth. */
export function withEndedChildren<T extends Pick<TurnRecord, 'rounds'>>(turn: T): T {
  return mapCalls(turn, (call) =>
    call.children?.some(({ status }) => status === 'running')
      ? { ...call, children: call.children.map(ended) }
      : call,
  );
}

function ended(child: ChildTurn): ChildTurn {
  if (child.status !== 'running') return child;
  const { usage, rounds } = child;
  return {
    ...child,
    status: 'failed',
    phase: 'idle',
    outcome: { status: 'failed', usage, rounds: rounds.length, error: pageLeft() },
  };
}
