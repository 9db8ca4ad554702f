import { allCallsOf, type StayingEffect, type TurnRecord, type UndoItem } from './turn-record.js';
import type { AsideTurn } from './turn-tree.js';

/**
 * Returns the effects of a turn that are in place, or may be: the effects that it committed, or could not take back, and the calls whose
 * end is unknown.
 */
export function stayingEffects(turn: TurnRecord): readonly StayingEffect[] {
  let items = known.get(turn);
  if (items === undefined) known.set(turn, (items = stayingOf(turn)));
  return items;
}

/**
 * Returns the effects of turns off the path that the next turn must list, in order of time. If the path has changed, or an effect was not
 * listed yet, these are all effects that are still in place; otherwise none.
 */
export function effectsToList(
  path: readonly TurnRecord[],
  aside: readonly AsideTurn[],
): readonly StayingEffect[] {
  const effects = aside.flatMap(({ turn }) => stayingEffects(turn));
  if (effects.length === 0) return effects;
  const wasLeft = aside.at(-1)?.place === path.length + aside.length - 1;
  const listed = new Set(path.flatMap(({ stays = [] }) => stays.map(({ toolCallId }) => toolCallId)));
  return wasLeft || effects.some(({ toolCallId }) => !listed.has(toolCallId)) ? effects : [];
}

/** The result for each record, because each move of the head needs it for every turn. Records do not change. */
const known = new WeakMap<TurnRecord, readonly StayingEffect[]>();

function stayingOf(turn: TurnRecord): readonly StayingEffect[] {
  const { id: turnId, outcome, effects, unknown } = turn;
  if (effects.length === 0 && unknown === undefined && outcome?.report === undefined) return [];
  const calls = new Map(allCallsOf(turn).map((call) => [call.id, call]));
  const report = outcome?.report;
  const isOpen = ({ toolCallId }: UndoItem) => {
    const effect = calls.get(toolCallId)?.late?.effect;
    return effect !== 'reverted' && effect !== 'none';
  };
  const left = report === undefined ? [] : [...report.failed, ...report.irreversible, ...(report.lost ?? [])];
  const ids = new Set(left.map(({ toolCallId }) => toolCallId));
  // A turn whose review was ended has both a report and committed effects, and some effects may be in both.
  const committed = effects.filter(({ toolCallId }) => !ids.has(toolCallId));
  const items: readonly UndoItem[] = [
    ...left.filter(({ toolCallId }) => effects.length === 0 || calls.get(toolCallId)?.reverted !== true),
    ...committed.filter(({ toolCallId }) => calls.get(toolCallId)?.reverted !== true),
    ...(report?.unknown ?? unknown ?? []).filter(isOpen),
  ];
  return items.map(({ toolCallId, toolName, description }) => ({
    turnId,
    toolCallId,
    toolName,
    description,
  }));
}
