import { callsOf, type ToolCallView, type TurnRecord } from '@handrail/session';

/** What came of a turn that did not run to its end, or was undone: nothing is left out, nothing is called undone that is not. */
export interface Receipt {
  readonly title: string;
  readonly lines: readonly ReceiptLine[];
}

export interface ReceiptLine {
  readonly kind: 'taken-back' | 'redone' | 'never-ran' | 'in-effect';
  readonly text: string;
  /** Why it is still in effect. */
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
  ['in-effect', 'Still in effect'],
];

/** The lines under their headings; those without a line are left out. */
export function receiptGroups({ lines }: Receipt): readonly ReceiptGroup[] {
  return headings
    .map(([kind, heading]) => ({ kind, heading, lines: lines.filter((line) => line.kind === kind) }))
    .filter((group) => group.lines.length > 0);
}

/**
 * The receipt of a turn, or null when there is nothing to account for.
 *
 * @param describe a call in words, for those that never got so far as to describe their effect
 */
export function receiptOf(record: TurnRecord, describe: (call: ToolCallView) => string): Receipt | null {
  if (record.undo) return undoReceipt(record.undo);
  const { outcome } = record;
  if (outcome === null || (outcome.status !== 'cancelled' && outcome.status !== 'failed')) return null;
  const calls = record.rounds.flatMap(callsOf);
  const lateReverts = new Set(
    calls.filter((call) => call.late?.effect === 'reverted').map((call) => call.id),
  );
  const { done = [], failed = [], irreversible = [] } = outcome.report ?? {};
  const nameOf = (toolCallId: string, description: string): string => {
    const call = calls.find(({ id }) => id === toolCallId);
    // Without a word from the tool the description is the tool's name.
    return call && description === call.tool ? describe(call) : description;
  };
  const settledLate = (toolCallId: string): boolean =>
    calls.some((call) => call.id === toolCallId && call.late?.effect === 'none');
  const open = failed.filter(({ toolCallId }) => !lateReverts.has(toolCallId) && !settledLate(toolCallId));
  const cutShort = failed.filter(({ toolCallId }) => settledLate(toolCallId));
  const kept = outcome.report ? [] : record.effects;
  return {
    title: titleOf(record),
    lines: [
      ...done.map((item): ReceiptLine => ({
        kind: 'taken-back',
        text: nameOf(item.toolCallId, item.description),
      })),
      ...failed
        .filter(({ toolCallId }) => lateReverts.has(toolCallId))
        .map((item): ReceiptLine => ({
          kind: 'taken-back',
          text: nameOf(item.toolCallId, item.description),
        })),
      ...cutShort.map((item): ReceiptLine => ({
        kind: 'never-ran',
        text: nameOf(item.toolCallId, item.description),
      })),
      ...calls.filter(neverRan).map((call): ReceiptLine => ({ kind: 'never-ran', text: describe(call) })),
      ...open.map((item): ReceiptLine => ({
        kind: 'in-effect',
        text: nameOf(item.toolCallId, item.description),
        reason: item.reason,
      })),
      ...irreversible.map((item): ReceiptLine => ({
        kind: 'in-effect',
        text: item.description,
        reason: 'It cannot be undone.',
      })),
      ...kept.map((item): ReceiptLine => ({ kind: 'in-effect', text: item.description })),
    ],
  };
}

function titleOf({ outcome, rounds }: TurnRecord): string {
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
