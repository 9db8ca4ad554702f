import { refusal } from '@banister/provider/internal/errors/checked';
import type { EffectData, EffectPaths, ToolUndo } from './tool.js';

/** Returns true for an effect that is recorded as data. */
export function hasData<Data>(entry: ToolUndo | EffectData<Data> | undefined): entry is EffectData<Data> {
  return typeof entry === 'object' && entry !== null && 'data' in entry;
}

/** Checks the argument of `context.undo`. Throws `invalid-configuration` inside the executor that called it. */
export function checkUndo(entry: unknown): void {
  const { description, revert, reapply } = (entry ?? {}) as Partial<ToolUndo>;
  const withFunctions = revert !== undefined || reapply !== undefined;
  const problem =
    typeof description !== 'string'
      ? 'a text as its description'
      : hasData(entry as EffectData)
        ? withFunctions && 'either data or functions, not both'
        : typeof revert !== 'function'
          ? 'a function revert, or data'
          : reapply !== undefined && typeof reapply !== 'function'
            ? 'a function as its reapply, or none'
            : false;
  if (problem !== false) throw refusal(`context.undo needs ${problem}.`);
  checkPaths(entry as EffectPaths, 'context.undo');
}

/** Checks the paths of an effect. Throws `invalid-configuration`, as `checkUndo` does. */
export function checkPaths({ paths }: { readonly paths?: unknown }, subject: string): void {
  const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string');
  if (paths !== undefined && !isList)
    throw refusal(`${subject} needs a list of texts as its paths, or none.`);
}
