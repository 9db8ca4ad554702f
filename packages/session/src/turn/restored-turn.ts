import { domainOf } from '../conversation/tool-id.js';
import type { TurnUndo } from '../conversation/turn-undo.js';
import { callsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallRecord } from '../undo/live-call.js';
import { codeOfData } from '../undo/step-code.js';

/** Returns the calls of a turn of an earlier session, with the code that this session has for their effects. */
export function restoredCalls(turn: TurnUndo, tools: ToolRegistry): readonly CallRecord[] {
  return turn.calls.map(({ callId, tool, irreversible, steps }): CallRecord => {
    const undo = tools.kept.get(tool)?.tool.undo;
    const domain = domainOf(tool);
    return {
      item: {
        toolCallId: callId,
        toolName: tool,
        description: steps.map(({ description }) => description).join('; '),
      },
      domain,
      change: { from: turn.before[domain], to: turn.after[domain] },
      irreversible,
      steps: steps.map(({ data, state, moves = 0 }) => ({
        code:
          undo === undefined || data === undefined || state === 'lost'
            ? null
            : codeOfData(undo, callId, data),
        isInEffect: state !== 'reverted',
        moves,
        isLogged: true,
      })),
    };
  });
}

/**
 * Returns the effects of a turn without the calls whose effect was taken back before the commit: a redo does not make it again.
 *
 * @param effects those of the commit
 */
export function committedCalls(turn: TurnUndo, effects: TurnRecord['effects'] = []): TurnUndo {
  const committed = new Set(effects.map(({ toolCallId }) => toolCallId));
  const calls = turn.calls.filter(
    ({ callId, steps }) => committed.has(callId) || steps.some(({ state }) => state !== 'reverted'),
  );
  return { ...turn, calls };
}

/** Returns the calls of a saved turn whose effects are unknown: they were running at its end, and their tools never answered. */
export function unknownCalls(turn: TurnRecord | undefined): readonly UndoItem[] {
  const late = new Set(
    turn?.rounds.flatMap(callsOf).flatMap((call) => (call.late === undefined ? [] : [call.id])),
  );
  return (turn?.unknown ?? []).filter((item) => !late.has(item.toolCallId));
}
