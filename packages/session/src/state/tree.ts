import type { Message } from '../conversation/message.js';
import { allTurns, pathTo, type AsideTurn } from '../conversation/turn-tree.js';
import { stayingEffects } from '../conversation/staying-effects.js';
import type { StayingEffect, TurnRecord } from '../conversation/turn-record.js';
import type { HeadMoved } from '../operations/session-operations.js';
import { set, type Change, type Path } from './change.js';
import { afterTurn, type FoldState } from './session-state.js';
import { withPathMarks, withUndoEntries } from './undo-entries.js';

/**
 * Returns the changes that make another turn the head. The turns that leave the path are kept aside with their messages, those of
 * the new path come back. An unknown turn, in a log that begins later, changes nothing.
 */
export function moveHead(state: FoldState, to: string | null): readonly Change[] {
  const { turns, conversation, fold } = state;
  const all = allTurns(turns, fold.aside);
  const path = pathTo(to, all, fold.marks);
  if (path === undefined) return [];
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
  return [
    set(['headTurnId'], to),
    ...(left.length === 0 && joined.length === 0
      ? []
      : [
          set(['turns'], path),
          set(['conversation', 'messages'], [...kept, ...joined.flatMap((turn) => known.get(turn) ?? [])]),
          set(['fold', 'aside'], aside),
        ]),
    ...withUndoEntries(withPathMarks(state.undoEntries, asideIds)),
    ...Object.entries(afterTurn(path.at(-1))).map(([field, value]) => set([field], value)),
  ];
}

/** Returns the move of the head to a turn; null for the beginning of the conversation. */
export function moveTo(to: string | null, state: FoldState): HeadMoved {
  return { type: 'headMoved', from: state.headTurnId, to, stays: stayingOffPath(to, state) };
}

/** Returns the effects in place, or maybe in place, of all turns that are not on the path to a head, in order of time. */
function stayingOffPath(head: string | null, { turns, fold }: FoldState): readonly StayingEffect[] {
  const all = allTurns(turns, fold.aside);
  const path = new Set(pathTo(head, all, fold.marks));
  return all.flatMap((turn) => (path.has(turn) ? [] : stayingEffects(turn)));
}

/** Returns the ids of the turns on the path to a head. */
export function idsOnPath(head: string | null, { turns, fold }: FoldState): ReadonlySet<string> {
  const path = pathTo(head, allTurns(turns, fold.aside), fold.marks) ?? [];
  return new Set(path.map(({ id }) => id));
}

/** Returns the turn that was started last among a turn and all that follow it. */
export function newestIn(turnId: string, { turns, fold }: FoldState): string {
  const all = allTurns(turns, fold.aside);
  const parents = new Map([...fold.marks, ...all].map(({ id, parentId }) => [id, parentId]));
  /** The ids whose parents do not lead to the turn. */
  const outside = new Set<string>();
  const isInside = ({ id }: TurnRecord) => {
    for (let at: string | null | undefined = id; at !== turnId; at = parents.get(at)) {
      if (at === null || at === undefined || outside.has(at)) return false;
      outside.add(at);
    }
    return true;
  };
  return all.findLast(isInside)?.id ?? turnId;
}

/** Divides messages into those of the turns at the end, by id, and the others. */
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

/** Returns a turn that runs, or has ended on the path or off it, and its place; undefined for an unknown one. */
export function findTurn(state: FoldState, id: string): { turn: TurnRecord; path: Path } | undefined {
  const { liveTurn, turns, fold } = state;
  if (liveTurn !== null && liveTurn.id === id) return { turn: liveTurn, path: ['liveTurn'] };
  const index = turns.findLastIndex((turn) => turn.id === id);
  if (index >= 0) return { turn: turns[index]!, path: ['turns', index] };
  const place = fold.aside.findLastIndex(({ turn }) => turn.id === id);
  return place < 0 ? undefined : { turn: fold.aside[place]!.turn, path: ['fold', 'aside', place, 'turn'] };
}
