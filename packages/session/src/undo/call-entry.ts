import { defined } from '@banister/provider/internal/json/defined';
import type { UndoItem } from '../conversation/turn-record.js';
import type { Revision } from '../tools/tool.js';
import type { CallChanges } from './call-changes.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';
import { succeeded, type EffectStep } from './effect-step.js';
import type { UndoEntry } from './undo-provider.js';

/**
 * Returns the entry of a call for the undo history.
 *
 * @param steps the effects that can be taken back, in order of recording
 * @param changes records the changes of the steps; from it a step gets the revision that the earlier steps have made
 */
export function entryOf(
  item: UndoItem,
  steps: readonly EffectStep[],
  irreversible: boolean,
  changes: CallChanges,
): UndoEntry {
  const redoable = steps.length > 0 && steps.every((step) => step.isRedoable);
  return defined({
    ...item,
    revert:
      steps.length > 0 ? (expected: Revision) => revertAll(steps, changes.followFrom(expected)) : undefined,
    reapply: redoable ? (expected: Revision) => reapplyAll(steps, changes.followFrom(expected)) : undefined,
    irreversible: irreversible || undefined,
  });
}

/** Reverts all steps, newest first. If a step fails, the others still run. Returns or throws the first failure. */
async function revertAll(
  steps: readonly EffectStep[],
  expected: () => Revision,
): Promise<void | ToolOutcome> {
  let failure: (() => void | ToolOutcome) | null = null;
  for (const step of steps.toReversed()) {
    try {
      const outcome = await step.run('revert', expected());
      if (!succeeded(outcome)) failure ??= () => outcome;
    } catch (error) {
      failure ??= () => {
        throw error;
      };
    }
  }
  return failure?.();
}

/**
 * Makes the effects of all steps again, oldest first. If a step fails, the earlier steps are reverted: a call is in effect as a whole, or
 * not at all.
 */
async function reapplyAll(
  steps: readonly EffectStep[],
  expected: () => Revision,
): Promise<void | ToolOutcome> {
  for (const [index, step] of steps.entries()) {
    let failure: (() => void | ToolOutcome) | null = null;
    try {
      const outcome = await step.run('reapply', expected());
      if (!succeeded(outcome)) failure = () => outcome;
    } catch (error) {
      failure = () => {
        throw error;
      };
    }
    if (failure === null) continue;
    await revertAll(steps.slice(0, index), expected);
    return failure();
  }
  return undefined;
}
