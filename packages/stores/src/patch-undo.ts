import { failed, type RevertByData, type RevertContext, type ToolOutcome } from '@banister/session';
import { pathText, type Patch } from './patch.js';
import { isPatch } from './patch-shape.js';
import type { Plan } from './move.js';
import type { WatchedStore } from './watched-store.js';

/** The data of an effect that a wrapped tool records. */
export interface PatchData {
  /** Distinguishes this data from the tool's own data. The value is the version of the format. */
  readonly banisterStore: 1;
  readonly patches: readonly Patch[];
  /**
   * The patches that are still to be undone, because they would have overwritten an edit when the other patches were undone. The next undo
   * tries only these patches: a change that looks like one of the others is an edit. Default: all patches.
   */
  readonly left?: readonly Patch[] | undefined;
  /** The patches of earlier calls that the undo brought back, and that could not be undone again. The next undo tries them too. */
  readonly others?: readonly Patch[] | undefined;
  /** The path of a field or an element that the user removed before the undo. A redo does not bring it back. */
  readonly gone?: string | undefined;
}

type Result = ReturnType<RevertByData['revert']>;

/** Undoes and redoes the effects of a wrapped tool: effects that the store recorded, and the tool's own effects. */
export class PatchUndo implements RevertByData {
  readonly keepsEdits: boolean;
  readonly reapply: RevertByData['reapply'];

  /** @param own the tool's own `undo`, for its own data */
  constructor(
    private readonly store: WatchedStore,
    private readonly own: RevertByData | undefined,
  ) {
    this.keepsEdits = own === undefined || own.keepsEdits === true;
    if (own === undefined || own.reapply) this.reapply = (data, context) => this.again(data, context);
  }

  revert(data: unknown, context: RevertContext): Result {
    if (!isPatchData(data)) return this.own ? this.own.revert(data, context) : refused();
    if (!this.isAllowed(data)) return refused();
    const found = this.store.revert(context.callId, data.left ?? data.patches, data.others);
    const outcome = outcomeOf([...found.kept, ...found.stays]);
    const left = outcome ? found.kept.map(({ patch }) => patch) : undefined;
    const others = found.stays.length > 0 ? found.stays.map(({ patch }) => patch) : undefined;
    const [lost] = found.gone;
    const next: PatchData = { ...data, left, others, gone: data.gone ?? (lost && pathText(lost.path)) };
    if (JSON.stringify(next) !== JSON.stringify(data)) context.replaceData(next);
    return outcome;
  }

  /** Whether data has the form that a call records, and changes only watched fields. */
  private isAllowed({
    patches,
    left = [],
    others = [],
    gone = '',
  }: Partial<Record<keyof PatchData, unknown>>): boolean {
    const isList = (list: unknown) =>
      Array.isArray(list) && list.every((one) => isPatch(one, this.store.roots));
    return isList(patches) && isList(left) && isList(others) && typeof gone === 'string';
  }

  private again(data: unknown, context: RevertContext): Result {
    if (!isPatchData(data)) return this.own ? this.own.reapply?.(data, context) : refused();
    if (!this.isAllowed(data)) return refused();
    const { patches, gone } = data;
    if (gone !== undefined)
      return failed(`${gone} was removed since.`, { because: { code: 'not-redoable', paths: [gone] } });
    return outcomeOf(this.store.reapply(context.callId, patches).kept);
  }
}

function refused(): ToolOutcome {
  return failed('The record of this change is not one of this store, so nothing was changed.');
}

function isPatchData(data: unknown): data is PatchData {
  return typeof data === 'object' && data !== null && (data as PatchData).banisterStore === 1;
}

/** Returns the outcome for patches that were kept. The reasons are sentences for the user. */
function outcomeOf(kept: Plan['kept']): void | ToolOutcome {
  if (kept.length === 0) return undefined;
  const code = kept.every(({ isAbsent }) => isAbsent) ? 'absent' : 'changed';
  const paths = [...new Set(kept.map(({ patch }) => patch.path.join('/')))];
  return failed(kept.map(({ reason }) => reason).join(' '), { because: { code, paths } });
}
