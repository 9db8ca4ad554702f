import { defined } from '@banister/provider/internal/json/defined';
import type { EffectStepData } from '../conversation/turn-undo.js';
import type { StepRef } from '../operations/session-operations.js';
import type { UndoNote } from '../state/undo-note.js';
import type { RevertByData } from '../tools/tool.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { runsClosures, type UndoProvider } from './undo-provider.js';

/**
 * Returns the effects of an earlier session that this session can take back. With the built-in history these are the effects with data
 * whose tool has an `undo`. With a history of the app that restores turns these are all other effects too. Effects that come from an
 * imported file are left out. The fold of `ownerChanged` marks effects that are not listed as lost.
 *
 * @param history the app's history; undefined for the built-in history, null for none
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

/** Returns the description of an effect as its tool derives it from the data; null if the tool cannot, because the data is not its own. */
function wordsOf({ data, description }: EffectStepData, undo: RevertByData | undefined): string | null {
  if (undo?.describe === undefined) return description;
  try {
    const words: unknown = undo.describe(data);
    return typeof words === 'string' ? words : null;
  } catch {
    return null;
  }
}
