import type { StepRef } from '../operations/session-operations.js';
import type { UndoNote } from '../state/undo-note.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { runsClosures, type UndoProvider } from './undo-provider.js';

/**
 * Returns the effects of an earlier session that this one can take back: those with data whose tool has an `undo`, and with a history of
 * the app that restores turns all others too. The fold of `ownerChanged` marks those that are not listed as lost.
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
      const isRevertible = tools.kept.get(tool)?.tool.undo !== undefined;
      return steps
        .filter(({ data, imported }) => !imported && (!isBuiltIn || (isRevertible && data !== undefined)))
        .map(({ step }) => ({ callId, step }));
    }),
  );
}
