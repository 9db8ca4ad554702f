import { domainOf } from '../conversation/tool-id.js';
import type { EffectStepData, TurnUndo } from '../conversation/turn-undo.js';
import { allCallsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import { itemOf } from '../state/open-report.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallRecord } from '../undo/live-call.js';
import { codeOfData } from '../undo/step-code.js';

/** Returns the calls of a turn of an earlier session, with the code that this session has for taking back their effects. */
export function restoredCalls(turn: TurnUndo, tools: ToolRegistry): readonly CallRecord[] {
  return turn.calls.map((call): CallRecord => {
    const { callId, tool, irreversible, steps } = call;
    const undo = tools.kept.get(tool)?.tool.undo;
    const domain = domainOf(tool);
    // A step that cannot be taken back has no state of its own: it follows the other steps of its call, which show whether the call was
    // taken back.
    const others = steps.filter((step) => !isFixed(step));
    const isCallInEffect = others.length === 0 || others.some(isInEffect);
    return {
      item: itemOf(call),
      domain,
      change: { from: turn.before[domain], to: turn.after[domain] },
      irreversible,
      steps: steps.map((step) => ({
        code:
          undo === undefined || step.data === undefined || step.state === 'lost'
            ? null
            : codeOfData(undo, callId, step.data),
        isInEffect: isFixed(step) ? isCallInEffect : isInEffect(step),
        moves: step.moves ?? 0,
        isLogged: true,
      })),
    };
  });
}

function isInEffect({ state }: EffectStepData): boolean {
  return state !== 'reverted';
}

/** Returns true if an effect cannot be taken back, and never could be. */
function isFixed(step: EffectStepData): boolean {
  return step.irreversible && step.data === undefined && isInEffect(step);
}

/**
 * Returns the effects of a turn without the calls whose effect was taken back before the commit, because a redo does not make such an
 * effect again.
 *
 * @param effects the effects of the commit
 */
export function committedCalls(turn: TurnUndo, effects: TurnRecord['effects'] = []): TurnUndo {
  const committed = new Set(effects.map(({ toolCallId }) => toolCallId));
  const calls = turn.calls.filter(
    ({ callId, steps }) => committed.has(callId) || steps.some(({ state }) => state !== 'reverted'),
  );
  return { ...turn, calls };
}

/** Returns the calls of a saved turn whose effects are unknown: the calls were running at its end, and their tools never answered. */
export function unknownCalls(turn: TurnRecord | undefined): readonly UndoItem[] {
  const late = new Set(allCallsOf(turn).flatMap((call) => (call.late === undefined ? [] : [call.id])));
  return (turn?.unknown ?? []).filter((item) => !late.has(item.toolCallId));
}
