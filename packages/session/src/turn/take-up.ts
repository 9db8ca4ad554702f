import { messageOf, toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { textOf } from '@banister/provider/internal/messages/message';
import type { Observable } from 'rxjs';
import { allCallsOf } from '../conversation/turn-record.js';
import { fromAsync } from '../operations/from-async.js';
import type { TurnFact } from '../operations/operation.js';
import { undoOf } from '../state/undo-notes.js';
import { concat } from './concat.js';
import { inputFact } from './open-turn.js';
import { restoredCalls } from './restored-turn.js';
import type { Turn } from './turn-context.js';

type TakenUpTurn = Pick<
  Turn,
  'effectsOf' | 'input' | 'current' | 'tools' | 'transaction' | 'wasPutDown' | 'running'
>;

/**
 * Prepares an interrupted turn. Its effects are put into the undo transaction, so that its end takes them back or commits them. Calls that
 * may have acted, but have no effect in the log, are unknown until they run again.
 *
 * @param unknown ids of the calls that may have acted
 */
export function takeUp(turn: TakenUpTurn, unknown: readonly string[]): Observable<TurnFact> {
  return concat(openTransaction(turn, unknown), () => inputFact(turn));
}

function openTransaction(turn: TakenUpTurn, unknown: readonly string[]): Observable<never> {
  const { effectsOf, input, current, tools, transaction, wasPutDown, running } = turn;
  return fromAsync(async () => {
    const { committed, report } = current().fold.turn!;
    // The effects are already final, and a transaction opened now would never be ended.
    if (committed || report !== null || wasPutDown) return;
    const undo = undoOf(current(), effectsOf);
    const recorded = new Set(undo?.calls.map(({ callId }) => callId));
    for (const { id: toolCallId, tool, title = tool } of allCallsOf(current().liveTurn))
      if (unknown.includes(toolCallId) && !recorded.has(toolCallId))
        running.set(toolCallId, { item: { toolCallId, toolName: tool, description: title } });
    try {
      await transaction.takeUp(textOf(input).slice(0, 80), undo ? restoredCalls(undo, tools) : []);
    } catch (error) {
      throw toSessionError(error, 'undo-failed', `The undo history could not be opened: ${messageOf(error)}`);
    }
  });
}
