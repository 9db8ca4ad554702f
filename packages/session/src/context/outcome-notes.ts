import type { Message } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { quoted, quotedId } from '@banister/provider/internal/messages/foreign-text';
import * as told from '../conversation/model-words.js';
import { isUnanswered, notedTurns } from '../conversation/noted-turns.js';
import type { AsideTurn } from '../conversation/turn-tree.js';
import {
  allCallsOf,
  type LateSettlement,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
  type UndoReport,
} from '../conversation/turn-record.js';
import { notePart } from './note-message.js';

/** The turns that the notes of a request are about. */
interface NotedTurns {
  /** The turns before the running turn, oldest first. */
  readonly turns: readonly TurnRecord[];
  readonly liveTurn: TurnRecord | null;
  /** The turns off the path, whose effects may still be in place. */
  readonly aside: readonly AsideTurn[];
}

/**
 * Returns the messages of the next request: the messages of the conversation, with notes. There is a note if the effects of an earlier turn
 * differ from its messages, or if its request was left without an answer. The conversation itself is not changed.
 *
 * A note is the first part of the next user message, so that all earlier messages stay as they were, and the cache of the provider stays
 * valid. After the results of a turn without an answer, an assistant message is added, because some servers refuse a user message there.
 */
export function withOutcomeNotes(messages: readonly Message[], noted: NotedTurns): readonly Message[] {
  const { notes, after, next, isAfter } = settledNotes(noted);
  const { liveTurn, aside } = noted;
  const live = liveTurn === null ? null : joinedNotes(next, liveTurn, aside);
  if (live === null && notes.size === 0 && after.size === 0 && !isAfter) return messages;
  const all = liveTurn === null || live === null ? notes : new Map([...notes, [liveTurn.input.id, live]]);
  const there = new Set(messages.map(({ id }) => id));
  // If a compaction leaves a message out, its note is in the message that replaces it.
  const left = [...all].flatMap(([id, note]) => (there.has(id) ? [] : [note])).join('\n');
  const summary = left === '' ? undefined : messages.find(({ kind }) => kind === 'summary');
  return messages.flatMap((message, index): Message | readonly Message[] => {
    if (message === summary) return deepFreeze({ ...message, parts: [...message.parts, notePart(left)] });
    const note = all.get(message.id);
    const made =
      note === undefined ? message : deepFreeze({ ...message, parts: [notePart(note), ...message.parts] });
    const isNext = after.has(message.id) || (isAfter && message.id === liveTurn?.input.id);
    return isNext && hasResults(messages[index - 1]) ? [unanswered(message.id), made] : made;
  });
}

function hasResults(message: Message | undefined): boolean {
  return message?.parts.some(({ type }) => type === 'tool-result') ?? false;
}

function unanswered(next: string): Message {
  return deepFreeze({
    id: `${next}-unanswered`,
    role: 'assistant',
    parts: [{ type: 'text', text: told.noAnswer }],
  });
}

/** The notes about ended turns, by the id of the user message, and the note for the next turn. */
interface SettledNotes {
  readonly aside: readonly AsideTurn[];
  readonly notes: ReadonlyMap<string, string>;
  /** The ids of the user messages after a turn whose last message may have results. */
  readonly after: ReadonlySet<string>;
  readonly next: string | null;
  /** Whether the next user message belongs to `after`. */
  readonly isAfter: boolean;
}

/** The notes for each list of turns. The list stays the same object during a turn. */
const settled = new WeakMap<readonly TurnRecord[], SettledNotes>();

function settledNotes({ turns, aside }: NotedTurns): SettledNotes {
  const known = settled.get(turns);
  if (known?.aside === aside) return known;
  const notes = new Map<string, string>();
  const after = new Set<string>();
  const noted = new Set(notedTurns(turns));
  const noteBefore = (index: number) => (noted.has(index - 1) ? noteOf(turns[index - 1]!) : null);
  // A note is in the message of its turn, or in the next user message.
  for (const index of new Set([...noted].flatMap((one) => [one, one + 1]))) {
    const turn = turns[index];
    const note = turn === undefined ? null : joinedNotes(noteBefore(index), turn, aside);
    if (note !== null) notes.set(turn!.input.id, note);
    if (turn !== undefined && noted.has(index - 1)) after.add(turn.input.id);
  }
  const { length } = turns;
  const made = { aside, notes, after, next: noteBefore(length), isAfter: noted.has(length - 1) };
  settled.set(turns, made);
  return made;
}

/** Returns the notes in the user message of a turn, first the note about the previous turn; null if there are none. */
function joinedNotes(before: string | null, turn: TurnRecord, aside: readonly AsideTurn[]): string | null {
  const lines = [before, ...notesAboutLeft(turn, aside)].filter((note) => note !== null);
  return lines.length === 0 ? null : lines.join('\n');
}

/** Returns the notes about the turns that had left the path before this turn started. */
function notesAboutLeft({ stays }: TurnRecord, aside: readonly AsideTurn[]): readonly (string | null)[] {
  if (stays === undefined) return [];
  const ids = new Set(stays.map(({ turnId }) => turnId));
  return aside.flatMap(({ turn }) => (ids.has(turn.id) ? [noteOf(turn, true)] : []));
}

/** Returns the note about a turn. `forgotten`: the turn has left the path, so the model reads nothing else about it. */
function noteOf(turn: TurnRecord, forgotten = false): string | null {
  const lines = [...outcomeLines(turn, forgotten), ...undoLines(turn)];
  const isOpen = !forgotten && isUnanswered(turn);
  if (lines.length > 0) return [headline(turn), ...lines, ...(isOpen ? [told.notGoOn] : [])].join('\n');
  if (!isOpen) return null;
  const isKept = turn.outcome?.status === 'stopped' && turn.effects.length > 0;
  return [headline(turn), ...(isKept ? [] : [told.withoutEffects]), told.notGoOn].join(' ');
}

function headline(turn: TurnRecord): string {
  switch (turn.outcome?.status) {
    case 'cancelled':
      return told.turnCancelled;
    case 'failed':
      return told.turnFailed;
    default:
      return isUnanswered(turn) ? told.turnStopped : told.aboutTurn;
  }
}

/**
 * Lists the effects after the end of the turn. For an aborted call whose tool returned later, lists its effects after the tool returned.
 */
function outcomeLines(turn: TurnRecord, forgotten: boolean): readonly string[] {
  const report = turn.outcome?.report;
  const calls = new Map(allCallsOf(turn).map((call) => [call.id, call]));
  const unknown = (report?.unknown ?? turn.unknown ?? []).map((item) =>
    settledItem(item, calls.get(item.toolCallId)),
  );
  const late = (effect: LateSettlement['effect'] | undefined) =>
    unknown.filter((item) => item.effect === effect);
  const rejected = without(turn.rejected ?? [], report);
  // Code that exceeded its time limit may have ended since.
  const isGone = ({ toolCallId }: UndoItem) => calls.get(toolCallId)?.reverted === true;
  const { done = [], failed = [] } = report ?? {};
  return [
    ...(forgotten ? [] : listed(told.effects.rejected, rejected)),
    ...(forgotten
      ? []
      : listed(told.effects.reverted, [...done, ...failed.filter(isGone), ...late('reverted')])),
    ...listed(told.effects.notReverted, [
      ...failed.filter((item) => !isGone(item)),
      ...late('revert-failed'),
    ]),
    ...listed(told.effects.irreversible, [
      ...(report?.irreversible ?? []),
      ...(report?.lost ?? []),
      ...late('irreversible'),
    ]),
    ...listed(told.effects.unknown, late(undefined)),
    ...(forgotten ? [] : listed(told.effects.none, late('none'))),
    ...listed(told.effects.kept, keptEffects(turn)),
    ...(forgotten ? listed(told.effects.inEffect, committedEffects(turn)) : []),
  ];
}

/** Returns the effects that stay after a turn was cancelled, or after its review was abandoned. */
function keptEffects({ outcome, effects }: TurnRecord): readonly UndoItem[] {
  const hasEnded = outcome?.status === 'cancelled' || outcome?.status === 'failed';
  return hasEnded ? without(effects, outcome.report) : [];
}

/** Returns the items that a report does not list. */
function without(items: readonly UndoItem[], report: UndoReport | undefined): readonly UndoItem[] {
  if (report === undefined) return items;
  const listedIds = new Set(Object.values(report).flatMap((list) => list.map(idOf)));
  return items.filter((item) => !listedIds.has(idOf(item)));
}

function idOf({ toolCallId }: UndoItem): string {
  return toolCallId;
}

/** Returns the effects of a completed or stopped turn that were not undone since. */
function committedEffects({ outcome, effects, undo }: TurnRecord): readonly UndoItem[] {
  const isWhole = outcome?.status === 'completed' || outcome?.status === 'stopped';
  // After an undo or a redo, other lines list the effects.
  return isWhole && undo === undefined ? effects : [];
}

/** Returns an item of the list `unknown`; if the tool has returned since, with what became of its effect. */
function settledItem(item: UndoItem, call: ToolCallView | undefined) {
  const { effect, description = item.description } = call?.late ?? {};
  return { ...item, description, effect };
}

function undoLines(turn: TurnRecord): readonly string[] {
  const { undo, effects } = turn;
  if (undo === undefined) return [];
  const { state, report } = undo;
  // Several undos and redos may have led to this state. `reverted` of each call shows the last of them.
  const reverted = new Set(allCallsOf(turn).flatMap((call) => (call.reverted ? [call.id] : [])));
  const away = effects.filter(({ toolCallId }) => reverted.has(toolCallId));
  const there = effects.filter(({ toolCallId, irreversible }) => !irreversible && !reverted.has(toolCallId));
  if (state === 'redone' || state === 'partly-redone') {
    return [...listed(told.effects.redone, there), ...listed(told.effects.notRedone, away)];
  }
  return [
    ...listed(told.effects.undone, away),
    ...listed(
      told.effects.notUndone,
      report.failed.filter((item) => !reverted.has(idOf(item))),
    ),
    ...listed(told.effects.notUndoable, [...report.irreversible, ...(report.lost ?? [])]),
  ];
}

function listed(title: string, items: readonly UndoItem[]): readonly string[] {
  if (items.length === 0) return [];
  return [
    `${title}: ${items.map((item) => `${quoted(item.description)} (${quotedId(item.toolName)})`).join('; ')}.`,
  ];
}
