import type { Message } from '@banister/provider';
import { contextTokens, pressureOf } from '../conversation/context-tokens.js';
import type { Compaction } from '../conversation/compaction.js';
import { allTurns, CLEARED, isCompactionMark, pathTo, type AsideTurn } from '../conversation/turn-tree.js';
import { stayingEffects } from '../conversation/staying-effects.js';
import { isSetAside, type StayingEffect, type TurnRecord } from '../conversation/turn-record.js';
import type { HeadMoved } from '../operations/session-operations.js';
import { set, type Change, type Path } from './change.js';
import { afterTurn, type FoldState } from './session-state.js';
import { withPathMarks, withUndoEntries } from './undo-entries.js';

/**
 * Returns the changes that make another turn the head. The turns that leave the path are put aside with their messages, and the turns of
 * the new path come back. An unknown turn, as in a log that begins later, changes nothing.
 */
export function moveHead(state: FoldState, to: string | null): readonly Change[] {
  const { turns, conversation, fold } = state;
  const all = allTurns(turns, fold.aside);
  const found = pathTo(to, all, fold.marks);
  if (found === undefined) return [];
  const { turns: path, isCleared, compactions } = found;
  const diverging = turns.findIndex((turn, index) => turn !== path[index]);
  const shared = diverging < 0 ? turns.length : diverging;
  const left = turns.slice(shared);
  const joined = path.slice(shared);
  const { kept, gone } = divided(conversation.messages, left);
  const known = new Map(fold.aside.map((entry) => [entry.turn, entry.messages]));
  const onPath = new Set(path);
  const aside = all.flatMap((turn, place): readonly AsideTurn[] =>
    onPath.has(turn) ? [] : [{ turn, messages: known.get(turn) ?? messagesOf(turn, gone), place }],
  );
  const asideIds = new Set(aside.map(({ turn }) => turn.id));
  const wasCleared = fold.prefix !== null;
  // A cleared path and an uncleared path share no turn, so only the messages before the first turn are left.
  const before = wasCleared === isCleared ? kept : (fold.prefix ?? []);
  const isMoved = left.length > 0 || joined.length > 0 || wasCleared !== isCleared;
  const messages = isMoved
    ? [...before, ...joined.flatMap((turn) => known.get(turn) ?? [])]
    : conversation.messages;
  return [
    set(['headTurnId'], to),
    ...(!isMoved
      ? []
      : [
          set(['turns'], path),
          set(['conversation', 'messages'], messages),
          set(['fold', 'aside'], aside),
          ...(wasCleared === isCleared ? [] : [set(['fold', 'prefix'], isCleared ? kept : null)]),
        ]),
    ...pathCompactions(state, compactions, messages),
    ...withUndoEntries(withPathMarks(state.undoEntries, asideIds)),
    ...Object.entries(afterTurn(path.at(-1))).map(([field, value]) => set([field], value)),
  ];
}

/** Returns the changes of the marks of compactions on the path, and of its size. */
function pathCompactions(
  { compactions: before, conversation, contextPressure, fold }: FoldState,
  compactions: readonly Compaction[],
  messages: readonly Message[],
): readonly Change[] {
  const isSame = compactions.map(({ id }) => id).join() === before.map(({ id }) => id).join();
  if (isSame && messages === conversation.messages) return [];
  const { window } = fold.context;
  // Without a window there is no pressure, so the estimate, which takes time for a long conversation, is skipped.
  const pressure = window && pressureOf(contextTokens(messages, compactions), window);
  return [
    ...(pressure === contextPressure ? [] : [set(['contextPressure'], pressure)]),
    // A count with other marks is not valid for this path.
    ...(isSame ? [] : [set(['compactions'], compactions), set(['fold', 'context', 'after'], null)]),
  ];
}

/** Returns the changes that make a new mark the head, after which the path is empty. */
export function clearPath(state: FoldState, id: string): readonly Change[] {
  const marks = [...state.fold.marks, { id, parentId: state.headTurnId, kind: CLEARED }];
  return [set(['fold', 'marks'], marks), ...moveHead({ ...state, fold: { ...state.fold, marks } }, id)];
}

/** Returns the fact that moves the head to a turn; null for the beginning of the conversation. */
export function moveTo(to: string | null, state: FoldState): HeadMoved {
  return { type: 'headMoved', from: state.headTurnId, to, stays: stayingOffPath(to, state) };
}

/** Returns the effects, in order of time, that are in place, or may be in place, of all turns that are not on the path to a head. */
function stayingOffPath(head: string | null, { turns, fold }: FoldState): readonly StayingEffect[] {
  const all = allTurns(turns, fold.aside);
  const path = new Set(pathTo(head, all, fold.marks)?.turns);
  return all.flatMap((turn) => (path.has(turn) ? [] : stayingEffects(turn)));
}

/** Returns the ids of the turns on the path to a head. */
export function idsOnPath(head: string | null, { turns, fold }: FoldState): ReadonlySet<string> {
  const path = pathTo(head, allTurns(turns, fold.aside), fold.marks);
  return new Set(path?.turns.map(({ id }) => id));
}

/** Returns the turn that was started last among a turn and its descendants. A turn after a `clear` does not count as a descendant. */
export function newestIn(turnId: string, { turns, fold }: FoldState): string {
  const all = allTurns(turns, fold.aside);
  const parents = new Map<string, string | null>([
    ...fold.marks.map(({ id, kind, parentId }) => [id, kind === CLEARED ? null : parentId] as const),
    ...all.map(({ id, parentId }) => [id, parentId] as const),
  ]);
  /** The ids whose ancestors do not include the turn. */
  const outside = new Set<string>();
  const isInside = ({ id }: TurnRecord) => {
    for (let at: string | null | undefined = id; at !== turnId; at = parents.get(at)) {
      if (at === null || at === undefined || outside.has(at)) return false;
      outside.add(at);
    }
    return true;
  };
  let newest = all.findLast((turn) => isInside(turn) && !isSetAside(turn))?.id ?? turnId;
  // Marks of compactions after this turn belong to the branch. In the list, a mark comes after its parent.
  for (const mark of fold.marks) if (isCompactionMark(mark) && mark.parentId === newest) newest = mark.id;
  return newest;
}

/** Divides messages into the messages of these turns, which are at the end, and the others. */
function divided(messages: readonly Message[], turns: readonly TurnRecord[]) {
  const ids = new Set(turns.flatMap((turn) => turn.messageIds));
  let end = messages.length;
  while (end > 0 && ids.has(messages[end - 1]!.id)) end--;
  return {
    kept: messages.slice(0, end),
    gone: new Map(messages.slice(end).map((message) => [message.id, message])),
  };
}

function messagesOf(turn: TurnRecord, messages: ReadonlyMap<string, Message>): readonly Message[] {
  return turn.messageIds.flatMap((id) => messages.get(id) ?? []);
}

/** Returns a turn that runs, or has ended on the path or off it, and its place in the state; undefined for an unknown turn. */
export function findTurn(state: FoldState, id: string): { turn: TurnRecord; path: Path } | undefined {
  const { liveTurn, turns, fold } = state;
  if (liveTurn !== null && liveTurn.id === id) return { turn: liveTurn, path: ['liveTurn'] };
  const index = turns.findLastIndex((turn) => turn.id === id);
  if (index >= 0) return { turn: turns[index]!, path: ['turns', index] };
  const place = fold.aside.findLastIndex(({ turn }) => turn.id === id);
  return place < 0 ? undefined : { turn: fold.aside[place]!.turn, path: ['fold', 'aside', place, 'turn'] };
}
