import { callsOf, type StayingEffect, type TurnRecord, type UndoItem } from './turn-record.js';

/**
 * Returns the effects of a turn that are in place, or may be: those that it committed, or could not take back, and the calls whose
 * end is unknown.
 */
export function stayingEffects(turn: TurnRecord): readonly StayingEffect[] {
  let items = known.get(turn);
  if (items === undefined) known.set(turn, (items = stayingOf(turn)));
  return items;
}

/** The result for each record, since each move of the head needs it for every turn. Records do not change. */
const known = new WeakMap<TurnRecord, readonly StayingEffect[]>();

function stayingOf(turn: TurnRecord): readonly StayingEffect[] {
  const { id: turnId, outcome, effects, unknown } = turn;
  if (effects.length === 0 && unknown === undefined && outcome?.report === undefined) return [];
  const calls = new Map(turn.rounds.flatMap(callsOf).map((call) => [call.id, call]));
  const report = outcome?.report;
  const isOpen = ({ toolCallId }: UndoItem) => {
    const effect = calls.get(toolCallId)?.late?.effect;
    return effect !== 'reverted' && effect !== 'none';
  };
  const items: readonly UndoItem[] = [
    ...(report === undefined
      ? effects.filter(({ toolCallId }) => calls.get(toolCallId)?.reverted !== true)
      : [...report.failed, ...report.irreversible, ...(report.lost ?? [])]),
    ...(report?.unknown ?? unknown ?? []).filter(isOpen),
  ];
  return items.map(({ toolCallId, toolName, description }) => ({
    turnId,
    toolCallId,
    toolName,
    description,
  }));
}
