import type { Message } from '../conversation/message.js';
import {
  callsOf,
  type LateSettlement,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
} from '../conversation/turn-record.js';

/**
 * The conversation as the next request carries it: the same messages, with a note where the effects of an earlier turn
 * are not what its messages say. History itself never changes.
 *
 * A note stands at the head of the user message that followed, so that everything before it stays as it was and
 * providers can go on using what they cached.
 */
export function withOutcomeNotes(
  messages: readonly Message[],
  turns: readonly TurnRecord[],
  liveTurn: TurnRecord | null,
): readonly Message[] {
  const notes = new Map<string, string>();
  turns.forEach((turn, index) => {
    const next = turns[index + 1] ?? liveTurn;
    if (next === null || next === undefined) return;
    const note = noteOf(turn, next.retryOf === turn.id);
    if (note !== null) notes.set(next.input.id, [notes.get(next.input.id), note].filter(Boolean).join('\n'));
  });
  if (notes.size === 0) return messages;
  return messages.map((message) => {
    const note = notes.get(message.id);
    if (note === undefined) return message;
    return { ...message, parts: [{ type: 'text', text: `<note>\n${note}\n</note>` }, ...message.parts] };
  });
}

/** The note about a turn. `forgotten`: its messages left the conversation, as those of a retried turn do. */
function noteOf(turn: TurnRecord, forgotten: boolean): string | null {
  if (turn.outcome === null || isPlain(turn)) return null;
  const lines = [...outcomeLines(turn, forgotten), ...undoLines(turn)];
  return lines.length === 0 ? null : [headline(turn), ...lines].join('\n');
}

/** Nearly every turn: its messages say all that it did. Looked at for each turn before each request. */
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

/** The effects as the turn left them; a call that was cut counts as what it was when it answered, late. */
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
      ...late('irreversible'),
    ]),
    ...listed(
      'These were still running when the turn ended and may or may not have had an effect',
      late(undefined),
    ),
    ...(forgotten ? [] : listed('These were cut, failed, and had no effect', late('none'))),
    ...listed('The user kept these effects', kept),
  ];
}

/** An item of the list `unknown`, with its fate where that is known by now. */
function settledItem(item: UndoItem, call: ToolCallView | undefined) {
  const { effect, description = item.description } = call?.late ?? {};
  return { ...item, description, effect };
}

function undoLines({ undo, effects, rounds }: TurnRecord): readonly string[] {
  if (undo === undefined) return [];
  const { state, report } = undo;
  // Several attempts may have come to this: the calls know which effects are taken back now.
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
    ...listed('These cannot be undone and are still in effect', report.irreversible),
  ];
}

function listed(title: string, items: readonly UndoItem[]): readonly string[] {
  if (items.length === 0) return [];
  return [`${title}: ${items.map((item) => `${item.description} (${item.toolName})`).join('; ')}.`];
}
