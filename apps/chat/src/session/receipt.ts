import {
  callsOf,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
  type UndoState,
} from '@handrail/session';
import { cardOfCall } from './card-of-call.js';
import type { EffectGroup, EffectLine } from './effect-group.js';
import { isTakenBack } from './taken-back.js';

/** The outcome of a turn that did not run to its end, or was undone: every effect, and nothing is called undone that is not. */
export interface Receipt {
  readonly title: string;
  readonly groups: readonly EffectGroup[];
}

interface ReceiptLine extends EffectLine {
  readonly kind: EffectGroup['kind'];
  readonly toolCallId: string;
}

const headings: readonly (readonly [EffectGroup['kind'], string])[] = [
  ['taken-back', 'Back as it was'],
  ['redone', 'Done again'],
  ['in-effect', 'Stays'],
  ['unknown', 'Not known'],
  ['never-ran', 'Not started'],
];

/** The lines under their headings; a heading without a line is left out. */
function grouped(lines: readonly ReceiptLine[], calls: readonly ToolCallView[]): readonly EffectGroup[] {
  const shown = (line: ReceiptLine): EffectLine => {
    const { toolCallId, text, reason } = line;
    const call = calls.find(({ id }) => id === toolCallId);
    // A call with several effects changed several cards.
    const isOnly = lines.filter((other) => other.toolCallId === toolCallId).length === 1;
    const card = call && isOnly ? cardOfCall(call) : null;
    return { text, ...(reason === undefined ? {} : { reason }), ...(card === null ? {} : { card }) };
  };
  return headings
    .map(([kind, heading]) => ({
      kind,
      heading,
      lines: lines.filter((line) => line.kind === kind).map(shown),
    }))
    .filter((group) => group.lines.length > 0);
}

function idOf({ toolCallId }: Pick<UndoItem, 'toolCallId'>): { readonly toolCallId: string } {
  return { toolCallId };
}

/** The line of an effect that this page can no longer take back. */
function lostLine(item: UndoItem, nameOf: (item: UndoItem) => string): ReceiptLine {
  return { ...idOf(item), kind: 'in-effect', text: nameOf(item), reason: 'It can no longer be undone.' };
}

/**
 * The receipt of a turn, or null when the turn ended as it should and was not undone.
 *
 * @param describe a call in words, for those that never got so far as to describe their effect
 */
export function receiptOf(record: TurnRecord, describe: (call: ToolCallView) => string): Receipt | null {
  // A version whose effects are back is as if nothing had been.
  const calls = record.rounds.flatMap(callsOf);
  if (record.undo && !isBack(record.undo)) return undoReceipt(record.undo, calls);
  const { outcome } = record;
  if (outcome === null || (outcome.status !== 'cancelled' && outcome.status !== 'failed')) return null;
  const { report } = outcome;
  const { done = [], failed = [], irreversible = [], unknown = record.unknown ?? [] } = report ?? {};
  const kept = report ? [] : record.effects;
  const cannotUndo = isInterrupted(record) ? 'It can no longer be undone.' : 'It cannot be undone.';
  const nameOf = ({ toolCallId, description }: UndoItem): string => {
    const call = calls.find(({ id }) => id === toolCallId);
    // A tool that recorded no description is described by its arguments, not by its id.
    return call && description === call.tool ? describe(call) : description;
  };
  return {
    title: titleOf(record),
    groups: grouped(
      [
        ...done.map((item): ReceiptLine => ({ ...idOf(item), kind: 'taken-back', text: nameOf(item) })),
        ...calls
          .filter(neverRan)
          .map((call): ReceiptLine => ({ toolCallId: call.id, kind: 'never-ran', text: describe(call) })),
        ...unknown.map((item) => lineOfCut(item, nameOf, calls, isInterrupted(record))),
        ...failed.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: 'in-effect',
          text: nameOf(item),
          reason: item.reason,
        })),
        ...irreversible.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: 'in-effect',
          text: nameOf(item),
          reason: cannotUndo,
        })),
        ...(report?.lost ?? []).map((item) => lostLine(item, nameOf)),
        ...kept.map((item): ReceiptLine => ({ ...idOf(item), kind: 'in-effect', text: nameOf(item) })),
      ],
      calls,
    ),
  };
}

/** A call that was still running when the turn ended: unknown, until its tool answers after all. */
function lineOfCut(
  item: UndoItem,
  nameOf: (item: UndoItem) => string,
  calls: readonly ToolCallView[],
  isLeft: boolean,
): ReceiptLine {
  const { effect, description = item.description } =
    calls.find(({ id }) => id === item.toolCallId)?.late ?? {};
  const text = nameOf({ ...item, description });
  switch (effect) {
    case 'reverted':
      return { ...idOf(item), kind: 'taken-back', text };
    case 'none':
      return { ...idOf(item), kind: 'never-ran', text };
    case 'irreversible':
      return { ...idOf(item), kind: 'in-effect', text, reason: 'It cannot be undone.' };
    case 'revert-failed':
      return { ...idOf(item), kind: 'in-effect', text, reason: 'It could not be taken back.' };
    case undefined:
      return {
        ...idOf(item),
        kind: 'unknown',
        text,
        reason: `It was still running when the ${isLeft ? 'page was left' : 'turn ended'}.`,
      };
  }
}

/** Whether the turn ended because the page was left, or because the answer broke off. */
function isInterrupted({ outcome }: TurnRecord): boolean {
  return outcome?.error?.code === 'interrupted';
}

function titleOf(record: TurnRecord): string {
  const { outcome, rounds } = record;
  if (isTakenBack(record)) return 'You took this turn back';
  if (isInterrupted(record)) return 'This turn was interrupted';
  if (outcome?.status === 'failed') return 'This turn failed';
  return rounds.length === 0 ? 'Stopped before it began' : 'You stopped this turn';
}

function isBack({ state, by }: NonNullable<TurnRecord['undo']>): boolean {
  return state === 'redone' && by === 'branch';
}

const undoTitles: Readonly<Record<UndoState, string>> = {
  undone: 'Undone',
  'partly-undone': 'Undone in part',
  redone: 'Done again',
  'partly-redone': 'Done again in part',
};

function undoReceipt(
  { state, report, by }: NonNullable<TurnRecord['undo']>,
  calls: readonly ToolCallView[],
): Receipt {
  const again = state === 'redone' || state === 'partly-redone';
  return {
    title: state === 'undone' && by === 'branch' ? 'Taken back for another version' : undoTitles[state],
    groups: grouped(
      [
        ...report.done.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: again ? 'redone' : 'taken-back',
          text: item.description,
        })),
        ...report.failed.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: again ? 'never-ran' : 'in-effect',
          text: item.description,
          reason: item.reason,
        })),
        ...report.lost.map((item) => lostLine(item, ({ description }) => description)),
        ...report.irreversible.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: 'in-effect',
          text: item.description,
          reason: 'It cannot be undone.',
        })),
        ...report.unknown.map((item): ReceiptLine => ({
          ...idOf(item),
          kind: 'unknown',
          text: item.description,
        })),
      ],
      calls,
    ),
  };
}

function neverRan({ state, result }: ToolCallView): boolean {
  return state === 'assembling' || state === 'waiting' || result?.outcome === 'rejected';
}
