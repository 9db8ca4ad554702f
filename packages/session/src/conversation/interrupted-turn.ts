import type { UsageReport } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { ConversationParts } from './conversation-parts.js';
import { isSetAside, nothingUndone, type TurnRecord, type UndoReport } from './turn-record.js';

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
  const error = new AgentSessionError('interrupted', 'The page was left while this turn was running.', {
    details: { reason: 'page-left' },
  }).toJSON();
  const cut: TurnRecord = {
    ...liveTurn,
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
