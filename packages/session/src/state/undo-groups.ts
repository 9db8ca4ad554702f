import { defined } from '@banister/provider/internal/json/defined';
import { textOf } from '@banister/provider/internal/messages/message';
import { childrenOf } from '../conversation/child-turns.js';
import type { ChildTurn, CommittedEffect, TurnRecord } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { isAny, isInPlace, nearestOf, touchSame, type CallsOf } from './in-the-way.js';
import { isReverted } from './open-report.js';
import type { UndoGroup, UndoTurn } from './session-state.js';
import { lostCalls } from './undo-entries.js';

/** Returns the calls whose effects a child turn, and the child turns inside it, committed with their turn. */
export function callIdsInside({ effects }: TurnRecord, child: ChildTurn): ReadonlySet<string> {
  const ids = new Set<string | undefined>([child, ...childrenOf(child)].map(({ id }) => id));
  return new Set(effects.flatMap((effect) => (ids.has(effect.child) ? [effect.toolCallId] : [])));
}

/** Returns the calls of a turn whose committed effects can be taken back, or made again. */
export function movableCalls(
  calls: readonly CallEffects[],
  effects: readonly CommittedEffect[],
): readonly CallEffects[] {
  const lost = lostCalls(calls);
  const movable = new Set(effects.flatMap((effect) => (effect.irreversible ? [] : [effect.toolCallId])));
  return calls.filter(({ callId }) => movable.has(callId) && !lost.has(callId));
}

/** Returns true if an effect of the call is taken back. */
export function isUndone({ steps }: CallEffects): boolean {
  return steps.some(({ state }) => state === 'reverted');
}

/**
 * Returns the agents of a turn in the way of an undo of some of its calls, in the order in which to undo them: child turns, or the turn itself for
 * its own calls. Their later effects in force touch the same parts. For a redo, they are also the agents with earlier effects that are taken
 * back.
 */
export function agentsInTheWay(
  turn: TurnRecord,
  calls: readonly CallEffects[],
  own: ReadonlySet<string>,
  direction: 'undo' | 'redo',
): readonly string[] {
  const isUndo = direction === 'undo';
  const movable = movableCalls(calls, turn.effects);
  const meant = new Set(movable.filter(({ callId }) => own.has(callId)));
  const agentOf = ({ child = turn.id }: CallEffects) => child;
  const isInTheWay = (other: CallEffects, at: number) =>
    movable.some((call, place) => {
      if (!meant.has(call) || !(isUndo ? !isReverted(call) : isUndone(call))) return false;
      const counts = at > place ? !isReverted(other) : !isUndo && isUndone(other);
      return counts && touchSame([call], [other], isUndo ? isInPlace : isAny);
    });
  const found = new Set<string>();
  for (let next: CallEffects | undefined; ;) {
    next = movable.find((call, at) => !meant.has(call) && isInTheWay(call, at));
    if (next === undefined) break;
    const agent = agentOf(next);
    found.add(agent);
    for (const call of movable) if (agentOf(call) === agent) meant.add(call);
  }
  const agents = (isUndo ? movable.toReversed() : movable).map(agentOf);
  return [...new Set(agents.filter((agent) => found.has(agent)))];
}

/** Returns an entry as if it had only the effects of a child turn, which are in this state. */
export function aloneIn({ by: _by, ...entry }: UndoTurn, state: UndoTurn['state']): UndoTurn {
  return { ...entry, state };
}

/** Returns the entry at an index with the groups of its child turns as they are now. */
export function withGroups(
  turn: TurnRecord | undefined,
  entries: readonly UndoTurn[],
  index: number,
  calls: CallsOf,
): UndoTurn {
  const { groups: _before, ...entry } = entries[index]!;
  const all = calls(entry.turnId);
  const groups = (turn === undefined ? [] : childrenOf(turn)).flatMap((child): readonly UndoGroup[] => {
    const ids = callIdsInside(turn!, child);
    if (ids.size === 0) return [];
    const own = all.filter(({ callId }) => ids.has(callId));
    const movable = movableCalls(own, turn!.effects);
    const isWhole = movable.length > 0 && movable.every(isReverted);
    const state = isWhole ? 'undone' : movable.some(isUndone) ? 'partly-undone' : 'done';
    const alone = entries.with(index, aloneIn(entry, isWhole ? 'undone' : 'done'));
    const turns = nearestOf(alone, index, (id) => (id === entry.turnId ? own : calls(id)));
    const inTheWay = [...turns, ...agentsInTheWay(turn!, all, ids, isWhole ? 'redo' : 'undo')];
    return [
      defined({
        child: child.id,
        agent: child.agent,
        label: textOf(child.input).slice(0, 80),
        state,
        undoable: movable.length > 0,
        inTheWay: inTheWay.length > 0 ? inTheWay : undefined,
      }),
    ];
  });
  return groups.length === 0 ? entry : { ...entry, groups };
}

/**
 * Returns the entries with the groups of a turn that was committed, undone or redone, and the groups of the turns that touch the same
 * parts.
 */
export function withGroupsAfter(
  entries: readonly UndoTurn[],
  turnId: string,
  calls: CallsOf,
  find: (turnId: string) => TurnRecord | undefined,
): readonly UndoTurn[] {
  const moved = calls(turnId);
  return entries.map((entry, index) =>
    entry.groups !== undefined && (entry.turnId === turnId || touchSame(calls(entry.turnId), moved, isAny))
      ? withGroups(find(entry.turnId), entries, index, calls)
      : entry,
  );
}
