import { callsOf, type ToolCallView, type TurnRecord, type UndoItem } from '@handrail/session';

/** The outcome of a turn that did not run to its end, or was undone: every effect, and nothing is called undone that is not. */
export interface Receipt {
  readonly title: string;
  readonly lines: readonly ReceiptLine[];
}

export interface ReceiptLine {
  readonly kind: 'taken-back' | 'redone' | 'never-ran' | 'unknown' | 'in-effect';
  readonly text: string;
  /** Why it is still in effect, or not known. */
  readonly reason?: string;
}

/** The lines of a receipt that have the same heading. */
export interface ReceiptGroup {
  readonly kind: ReceiptLine['kind'];
  readonly heading: string;
  readonly lines: readonly ReceiptLine[];
}

const headings: readonly (readonly [ReceiptLine['kind'], string])[] = [
  ['taken-back', 'Made and taken back'],
  ['redone', 'Done again'],
  ['never-ran', 'Never ran'],
  ['unknown', 'May or may not have happened'],
  ['in-effect', 'Still in effect'],
];

/** The lines under their headings; those without a line are left out. */
export function receiptGroups({ lines }: Receipt): readonly ReceiptGroup[] {
  return headings
    .map(([kind, heading]) => ({ kind, heading, lines: lines.filter((line) => line.kind === kind) }))
    .filter((group) => group.lines.length > 0);
}

/**
 * The receipt of a turn, or null when the turn ended as it should and was not undone.
 *
 * @param describe a call in words, for those that never got so far as to describe their effect
 */
export function receiptOf(record: TurnRecord, describe: (call: ToolCallView) => string): Receipt | null {
  if (record.undo) return undoReceipt(record.undo);
  const { outcome } = record;
  if (outcome === null || (outcome.status !== 'cancelled' && outcome.status !== 'failed')) return null;
  const calls = record.rounds.flatMap(callsOf);
  const { done = [], failed = [], irreversible = [] } = outcome.report ?? {};
  const callOf = (id: string) => calls.find((call) => call.id === id);
  // A tool that recorded no description is described by its arguments, not by its id.
  const textOf = ({ toolCallId, description }: UndoItem): string => {
    const call = callOf(toolCallId);
    return call && description === call.tool ? describe(call) : description;
  };
  const kept = outcome.report ? [] : record.effects;
  const cannotUndo = isInterrupted(record) ? 'It can no longer be undone.' : 'It cannot be undone.';
  return {
    title: titleOf(record),
    lines: [
      ...done.map((item): ReceiptLine => ({ kind: 'taken-back', text: textOf(item) })),
      ...failed.map((item): ReceiptLine => {
        const kind = kindOfFailed(callOf(item.toolCallId));
        const text = textOf(item);
        return kind === 'in-effect' || kind === 'unknown'
          ? { kind, text, reason: item.reason }
          : { kind, text };
      }),
      ...calls.filter(neverRan).map((call): ReceiptLine => ({ kind: 'never-ran', text: describe(call) })),
      ...irreversible.map((item): ReceiptLine => ({
        kind: 'in-effect',
        text: textOf(item),
        reason: cannotUndo,
      })),
      ...kept.map((item): ReceiptLine => ({ kind: 'in-effect', text: textOf(item) })),
    ],
  };
}

/** The line for an effect that the rollback could not take back. A tool may have ended after its turn. */
function kindOfFailed(call: ToolCallView | undefined): ReceiptLine['kind'] {
  if (call?.late?.effect === 'reverted') return 'taken-back';
  if (call?.late?.effect === 'none') return 'never-ran';
  return call?.state === 'executing' && !call.late ? 'unknown' : 'in-effect';
}

/** Whether the turn ended because the page was left, or because the answer broke off. */
function isInterrupted({ outcome }: TurnRecord): boolean {
  return outcome?.error?.code === 'interrupted';
}

function titleOf(record: TurnRecord): string {
  const { outcome, rounds } = record;
  if (isInterrupted(record)) return 'This turn was interrupted';
  if (outcome?.status === 'failed') return 'This turn failed';
  return rounds.length === 0 ? 'Stopped before it began' : 'You stopped this turn';
}

function undoReceipt({ state, report }: NonNullable<TurnRecord['undo']>): Receipt {
  const again = state === 'redone';
  const title = again ? 'Done again' : state === 'undone' ? 'Undone' : 'Undone in part';
  return {
    title,
    lines: [
      ...report.done.map((item): ReceiptLine => ({
        kind: again ? 'redone' : 'taken-back',
        text: item.description,
      })),
      ...report.failed.map((item): ReceiptLine => ({
        kind: again ? 'never-ran' : 'in-effect',
        text: item.description,
        reason: item.reason,
      })),
      ...report.irreversible.map((item): ReceiptLine => ({
        kind: 'in-effect',
        text: item.description,
        reason: 'It cannot be undone.',
      })),
    ],
  };
}

function neverRan({ state, result }: ToolCallView): boolean {
  return state === 'assembling' || state === 'waiting' || result?.outcome === 'rejected';
}
