import type { Message } from '../conversation/message.js';
import { callsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';

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

/** What the model should know about a turn. `forgotten`: its messages left the conversation, as those of a retry do. */
function noteOf(turn: TurnRecord, forgotten: boolean): string | null {
  const { outcome, undo } = turn;
  if (outcome === null || isPlain(turn)) return null;
  const rolledBack = outcome.report;
  const lines: string[] = [];
  if (rolledBack) {
    const lateReverts = lateItems(turn);
    if (!forgotten)
      lines.push(...listed('These effects were reverted', [...rolledBack.done, ...lateReverts]));
    const stillThere = rolledBack.failed.filter(
      (item) => !lateReverts.some((late) => late.toolCallId === item.toolCallId),
    );
    lines.push(...listed('These effects could not be reverted and are still in effect', stillThere));
    lines.push(
      ...listed('These effects cannot be reverted and are still in effect', rolledBack.irreversible),
    );
  } else if (outcome.status === 'cancelled' && turn.effects.length > 0) {
    lines.push(...listed('The user kept these effects', turn.effects));
  }
  if (undo && undo.state !== 'redone') {
    lines.push(...listed('The user then undid these effects', undo.report.done));
    lines.push(...listed('Undoing these failed, they are still in effect', undo.report.failed));
    lines.push(...listed('These cannot be undone and are still in effect', undo.report.irreversible));
  } else if (undo) {
    lines.push(
      ...listed('The user undid and then re-did these effects, they are in effect', undo.report.done),
    );
    lines.push(...listed('Re-doing these failed, they are not in effect', undo.report.failed));
  }
  return lines.length === 0 ? null : [headline(turn), ...lines].join('\n');
}

/** Nearly every turn: what it did is what its messages say. Looked at for each turn before each request. */
function isPlain({ outcome, undo }: TurnRecord): boolean {
  return undo === undefined && outcome?.report === undefined && outcome?.status !== 'cancelled';
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

/** Effects of calls that were cut, came late and were taken back at once. */
function lateItems(turn: TurnRecord): readonly UndoItem[] {
  return turn.rounds
    .flatMap(callsOf)
    .filter((call) => call.late?.effect === 'reverted')
    .map((call) => ({ toolCallId: call.id, toolName: call.tool, description: call.tool }));
}

function listed(title: string, items: readonly UndoItem[]): readonly string[] {
  if (items.length === 0) return [];
  return [`${title}: ${items.map((item) => `${item.description} (${item.toolName})`).join('; ')}.`];
}
