import type { EffectStepData } from '../conversation/turn-undo.js';
import { defined } from '../json/defined.js';
import type { StepRef } from '../operations/session-operations.js';
import type { UndoNote } from '../state/undo-note.js';
import type { RevertByData } from '../tools/tool.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { runsClosures, type UndoProvider } from './undo-provider.js';

/**
 * Returns the effects of an earlier session that this one can take back: those with data whose tool has an `undo`, and with a history of
 * the app that restores turns all others too, none that a file claims. The fold of `ownerChanged` marks those that are not listed as lost.
 *
 * @param history the app's history; undefined for the built-in one, null for none
 */
export function bindSteps(
  notes: readonly UndoNote[],
  tools: ToolRegistry,
  history: UndoProvider | null | undefined,
): readonly StepRef[] {
  const isBuiltIn = history === undefined || (history !== null && runsClosures in history);
  if (!isBuiltIn && history?.restore === undefined) return [];
  return notes.flatMap(({ undo }) =>
    undo.calls.flatMap(({ callId, tool, steps }) => {
      const undo = tools.kept.get(tool)?.tool.undo;
      return steps.flatMap((one): readonly StepRef[] => {
        const { step, data, imported } = one;
        if (imported || (isBuiltIn && (undo === undefined || data === undefined))) return [];
        const description = data === undefined ? one.description : wordsOf(one, undo);
        if (description === null) return [];
        return [
          defined({ callId, step, description: description === one.description ? undefined : description }),
        ];
      });
    }),
  );
}

/** Returns the words of an effect as its tool makes them of the data; null where the tool cannot, since the data are not its own. */
function wordsOf({ data, description }: EffectStepData, undo: RevertByData | undefined): string | null {
  if (undo?.describe === undefined) return description;
  try {
    const words: unknown = undo.describe(data);
    return typeof words === 'string' ? words : null;
  } catch {
    return null;
  }
}
