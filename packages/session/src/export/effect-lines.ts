import {
  allCallsOf,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
  type UndoReport,
} from '../conversation/turn-record.js';
import { inWords } from './markdown-syntax.js';

/**
 * Returns the effects of an ended turn. Each effect is an item of a list that says what became of it.
 *
 * @param lost the effects, of all turns, that the session can no longer take back
 */
export function effectLines(turn: TurnRecord, lost: readonly UndoItem[]): readonly string[] {
  const calls = new Map(allCallsOf(turn).map((call) => [call.id, call]));
  const unknown = turn.outcome?.report?.unknown ?? turn.unknown ?? [];
  return [
    ...committed(turn, calls, lost),
    ...(turn.rejected ?? []).map((item) => line('Rejected', item)),
    ...(turn.outcome?.report === undefined ? [] : rolledBack(turn.outcome.report, named(turn))),
    ...unknown.flatMap((item) => ofUnknown(item, calls.get(item.toolCallId))),
  ];
}

function line(fate: string, { description }: UndoItem, reason = ''): string {
  const words = inWords(reason);
  return `- ${fate}: ${inWords(description)}${words && ` (${words})`}`;
}

const undone = 'Undone';
const inEffect = 'In effect';
const notUndone = 'In effect, could not be undone';
const notUndoable = 'In effect, cannot be undone';

function committed(
  { effects, undo }: TurnRecord,
  calls: ReadonlyMap<string, ToolCallView>,
  lost: readonly UndoItem[],
) {
  return effects.map((effect) => {
    const isSame = ({ toolCallId }: UndoItem) => toolCallId === effect.toolCallId;
    if (calls.get(effect.toolCallId)?.reverted) return line(undone, effect);
    const failed = undo?.report.failed.find(isSame);
    if (failed !== undefined) return line(notUndone, effect, failed.reason);
    return line(effect.irreversible || lost.some(isSame) ? notUndoable : inEffect, effect);
  });
}

/** Returns the ids of the effects that a turn committed, or took back in its review. */
function named({ effects, rejected = [] }: TurnRecord): ReadonlySet<string> {
  return new Set([...effects, ...rejected].map(({ toolCallId }) => toolCallId));
}

function rolledBack({ done, failed, irreversible, lost = [] }: UndoReport, known: ReadonlySet<string>) {
  const others = <Item extends UndoItem>(items: readonly Item[]) =>
    items.filter(({ toolCallId }) => !known.has(toolCallId));
  return [
    ...others(done).map((item) => line(undone, item)),
    ...others(failed).map((item) => line(notUndone, item, item.reason)),
    ...others([...irreversible, ...lost]).map((item) => line(notUndoable, item)),
  ];
}

/** Returns the effect of a call that was still running when its turn ended, and may have ended later. */
function ofUnknown(item: UndoItem, call: ToolCallView | undefined): readonly string[] {
  const { late } = call ?? {};
  const known = { ...item, description: late?.description ?? item.description };
  switch (late?.effect) {
    case 'none':
      return [];
    case 'reverted':
      return [line(undone, known)];
    case 'irreversible':
      return [line(notUndoable, known)];
    case 'revert-failed':
      return [line(notUndone, known)];
    case 'kept':
      return [line(inEffect, known)];
    case undefined:
      return [line('Perhaps in effect, its call had not ended', known)];
  }
}
