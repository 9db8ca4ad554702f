import type { Message } from '../conversation/message.js';
import type { AsideTurn } from '../conversation/turn-tree.js';
import {
  callsOf,
  type LateSettlement,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
} from '../conversation/turn-record.js';
import { deepFreeze } from '../json/json.js';

/** The turns that the notes of a request are about. */
export interface NotedTurns {
  /** The turns before the running one, oldest first. */
  readonly turns: readonly TurnRecord[];
  readonly liveTurn: TurnRecord | null;
  /** The turns off the path, whose effects may still be in place. */
  readonly aside: readonly AsideTurn[];
}

/**
 * Returns the messages of the next request: those of the conversation, with a note where the effects of an earlier turn differ from
 * its messages. The conversation itself is not changed.
 *
 * A note is the first part of the next user message, so that all messages before it stay as they were, and with them the cache of
 * the provider.
 */
export function withOutcomeNotes(messages: readonly Message[], noted: NotedTurns): readonly Message[] {
  const { notes, next } = settledNotes(noted);
  const { liveTurn, aside } = noted;
  const live = liveTurn === null ? null : joinedNotes(next, liveTurn, aside);
  if (live === null && notes.size === 0) return messages;
  return messages.map((message) => {
    const note = message.id === liveTurn?.input.id ? live : notes.get(message.id);
    if (note === undefined || note === null) return message;
    return deepFreeze({
      ...message,
      parts: [{ type: 'text', text: `<note>\n${note}\n</note>` }, ...message.parts],
    });
  });
}

/** The notes of turns that have ended, by the id of the user message, and the note for the turn after them. */
interface SettledNotes {
  readonly aside: readonly AsideTurn[];
  readonly notes: ReadonlyMap<string, string>;
  readonly next: string | null;
}

/** The notes of each list of turns: the list stays the same during a turn, and a long conversation is walked through once. */
const settled = new WeakMap<readonly TurnRecord[], SettledNotes>();

function settledNotes({ turns, aside }: NotedTurns): SettledNotes {
  const known = settled.get(turns);
  if (known?.aside === aside) return known;
  const notes = new Map<string, string>();
  let next: string | null = null;
  for (const turn of turns) {
    const note = joinedNotes(next, turn, aside);
    if (note !== null) notes.set(turn.input.id, note);
    next = isPlain(turn) ? null : noteOf(turn);
  }
  const made = { aside, notes, next };
  settled.set(turns, made);
  return made;
}

/** Returns the notes that the user message of a turn carries, the one about the turn before it first; null where there are none. */
function joinedNotes(before: string | null, turn: TurnRecord, aside: readonly AsideTurn[]): string | null {
  if (before === null && turn.stays === undefined) return null;
  const lines = [before, ...notesAboutLeft(turn, aside)].filter((note) => note !== null);
  return lines.length === 0 ? null : lines.join('\n');
}

/** Returns the notes about the turns that had left the path before this one started. */
function notesAboutLeft({ stays }: TurnRecord, aside: readonly AsideTurn[]): readonly (string | null)[] {
  if (stays === undefined) return [];
  const ids = new Set(stays.map(({ turnId }) => turnId));
  return aside.flatMap(({ turn }) => (ids.has(turn.id) ? [noteOf(turn, true)] : []));
}

/** Returns the note about a turn. `forgotten`: the turn has left the path, so that the model reads nothing else about it. */
function noteOf(turn: TurnRecord, forgotten = false): string | null {
  const lines = [...outcomeLines(turn, forgotten), ...undoLines(turn)];
  return lines.length === 0 ? null : [headline(turn), ...lines].join('\n');
}

/** True for a turn on the path that needs no note, as nearly every turn. A fast check, since each request makes it for each turn. */
function isPlain({ outcome, undo, unknown }: TurnRecord): boolean {
  return (
    undo === undefined &&
    unknown === undefined &&
    outcome?.report === undefined &&
    outcome?.status !== 'cancelled'
  );
}

function headline(turn: TurnRecord): string {
  switch (turn.outcome?.status) {
    case 'cancelled':
      return 'The user cancelled the previous turn.';
    case 'failed':
      return 'The previous turn failed.';
    default:
      return 'About the previous turn:';
  }
}

/** Lists the effects after the end of the turn; those of a call that was cut by its late end, where the tool returned later. */
function outcomeLines(turn: TurnRecord, forgotten: boolean): readonly string[] {
  const report = turn.outcome?.report;
  const calls = new Map(turn.rounds.flatMap(callsOf).map((call) => [call.id, call]));
  const unknown = (report?.unknown ?? turn.unknown ?? []).map((item) =>
    settledItem(item, calls.get(item.toolCallId)),
  );
  const late = (effect: LateSettlement['effect'] | undefined) =>
    unknown.filter((item) => item.effect === effect);
  const kept = report === undefined && turn.outcome?.status === 'cancelled' ? turn.effects : [];
  return [
    ...(forgotten
      ? []
      : listed('These effects were reverted', [...(report?.done ?? []), ...late('reverted')])),
    ...listed('These effects could not be reverted and are still in effect', [
      ...(report?.failed ?? []),
      ...late('revert-failed'),
    ]),
    ...listed('These effects cannot be reverted and are still in effect', [
      ...(report?.irreversible ?? []),
      ...(report?.lost ?? []),
      ...late('irreversible'),
    ]),
    ...listed(
      'These were still running when the turn ended and may or may not have had an effect',
      late(undefined),
    ),
    ...(forgotten ? [] : listed('These were cut, failed, and had no effect', late('none'))),
    ...listed('The user kept these effects', kept),
    ...(forgotten ? listed('These effects are still in effect', committedEffects(turn)) : []),
  ];
}

/** Returns the effects of a completed or stopped turn that were not undone since. */
function committedEffects({ outcome, effects, undo }: TurnRecord): readonly UndoItem[] {
  const isWhole = outcome?.status === 'completed' || outcome?.status === 'stopped';
  // The lines about an undo or a redo list the effects otherwise.
  return isWhole && undo === undefined ? effects : [];
}

/** Returns an item of the list `unknown`, with the fate of its effect where the tool has returned since. */
function settledItem(item: UndoItem, call: ToolCallView | undefined) {
  const { effect, description = item.description } = call?.late ?? {};
  return { ...item, description, effect };
}

function undoLines({ undo, effects, rounds }: TurnRecord): readonly string[] {
  if (undo === undefined) return [];
  const { state, report } = undo;
  // Several undos and redos may have led to this state: `reverted` of each call holds its last one.
  const reverted = new Set(rounds.flatMap(callsOf).flatMap((call) => (call.reverted ? [call.id] : [])));
  const away = effects.filter(({ toolCallId }) => reverted.has(toolCallId));
  const there = effects.filter(({ toolCallId, irreversible }) => !irreversible && !reverted.has(toolCallId));
  if (state === 'redone' || state === 'partly-redone') {
    return [
      ...listed('The user undid and then re-did these effects, they are in effect', there),
      ...listed('Re-doing these failed, they are not in effect', away),
    ];
  }
  return [
    ...listed('The user then undid these effects', away),
    ...listed('Undoing these failed, they are still in effect', report.failed),
    ...listed('These cannot be undone and are still in effect', [
      ...report.irreversible,
      ...(report.lost ?? []),
    ]),
  ];
}

function listed(title: string, items: readonly UndoItem[]): readonly string[] {
  if (items.length === 0) return [];
  return [`${title}: ${items.map((item) => `${item.description} (${item.toolName})`).join('; ')}.`];
}
