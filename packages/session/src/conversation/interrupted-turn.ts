import type { UsageReport } from '@banister/provider';
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
  const cut: TurnRecord = {
    ...withEndedChildren(liveTurn),
    status: 'failed',
    outcome: pageLeft(liveTurn, usage, report ?? nothingUndone),
  };
  return {
    ...parts,
    liveTurn: null,
    turns: [...turns, cut],
    headTurnId: isSetAside(cut) ? cut.parentId : headTurnId,
  };
}

/** Returns the outcome of a turn that its page left. */
function pageLeft(
  { rounds }: TurnRecord,
  usage: UsageReport | null,
  report: UndoReport,
): NonNullable<TurnRecord['outcome']> {
  const error = new AgentSessionError('interrupted', 'The page was left while this turn was running.', {
    details: { reason: 'page-left' },
  }).toJSON();
  return { status: 'failed', usage, rounds: rounds.length, error, report };
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
  return {
    ...child,
    status: 'failed',
    phase: 'idle',
    // With a report, as a child turn that failed by itself: without one, the turn above would end too when it is resumed.
    outcome: pageLeft(child, child.usage, nothingUndone),
  };
}
