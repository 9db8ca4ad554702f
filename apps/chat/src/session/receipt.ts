import { planOf } from '@banister/crew/plan';
import {
  allCallsOf,
  type ToolCallView,
  type TurnRecord,
  type UndoItem,
  type UndoState,
} from '@banister/session';
import { visibleText } from '../text/visible-text.js';
import { cardOfCall } from './card-of-call.js';
import { counted } from './counted.js';
import type { EffectGroup, EffectLine } from './effect-group.js';
import { isTakenBack } from './taken-back.js';
import type { YourEdit } from './your-edits.js';

/**
 * The outcome of a turn that did not run to its end, or was undone. It lists every effect, and an effect is
 * called undone only if it is.
 */
export interface Receipt {
  /** How many of the changes were undone; if there were none, how the turn ended. */
  readonly title: string;
  /** How the turn ended, beside the number; empty if it is the title, or if the number implies it. */
  readonly detail: string;
  readonly groups: readonly EffectGroup[];
}

interface ReceiptLine extends EffectLine {
  readonly kind: EffectGroup['kind'];
  readonly toolCallId: string;
}

const headings: readonly (readonly [EffectGroup['kind'], string])[] = [
  ['taken-back', 'Taken back'],
  ['redone', 'Done again'],
  ['in-effect', 'Stays'],
  ['unknown', 'Not known'],
  ['never-ran', 'Not started'],
  ['yours', 'Yours, not touched'],
];

/**
 * Returns the lines under their headings, one heading for each part of the turn: for each step of a plan, and
 * for each agent. Headings without lines are left out.
 */
function grouped(
  lines: readonly ReceiptLine[],
  record: TurnRecord,
  yours: readonly YourEdit[],
): readonly EffectGroup[] {
  const calls = allCallsOf(record);
  const parts = partsOf(record);
  const shown = (line: ReceiptLine): EffectLine => {
    const { toolCallId, text, reason } = line;
    const call = calls.find(({ id }) => id === toolCallId);
    // Whether the call has only one effect; otherwise it changed several cards.
    const isOnly = lines.filter((other) => other.toolCallId === toolCallId).length === 1;
    const card = call && isOnly ? cardOfCall(call) : null;
    return { text, ...(reason === undefined ? {} : { reason }), ...(card === null ? {} : { card }) };
  };
  const groupsOf = (kind: EffectGroup['kind'], heading: string): readonly EffectGroup[] => {
    const byHeading = new Map<string, EffectLine[]>();
    for (const line of lines.filter((one) => one.kind === kind)) {
      const part = parts.get(line.toolCallId);
      const name = part === undefined ? heading : `${heading} · ${part}`;
      byHeading.set(name, [...(byHeading.get(name) ?? []), shown(line)]);
    }
    return [...byHeading].map(([name, all]) => ({ kind, heading: name, lines: all }));
  };
  // A change that stays because of the user's edit names its card already.
  const named = groupsOf('in-effect', '').flatMap((group) => group.lines.map(({ card }) => card));
  const others = yours.filter(({ card }) => !named.includes(card));
  return headings
    .flatMap(([kind, heading]) =>
      kind === 'yours' ? [{ kind, heading, lines: others }] : groupsOf(kind, heading),
    )
    .filter((group) => group.lines.length > 0);
}

/** Returns the names of the parts of a turn, safe to show, by the ids of the calls in these parts. */
function partsOf(record: TurnRecord): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const call of allCallsOf(record)) {
    const steps = new Map((planOf(call)?.steps ?? []).map(({ child, title }) => [child?.id, title]));
    for (const child of call.children ?? []) {
      const name = visibleText(steps.get(child.id) ?? child.title ?? child.agent);
      for (const { id } of allCallsOf(child)) names.set(id, name);
    }
  }
  return names;
}

/** Returns the head of a receipt: "4 of 5 changes taken back". Without changes, `otherwise` is the title. */
function headOf(done: number, all: number, verb: string, otherwise: string): Omit<Receipt, 'groups'> {
  if (all === 0) return { title: otherwise, detail: '' };
  return { title: `${done} of ${counted(all, 'change')} ${verb}`, detail: otherwise };
}

function idOf({ toolCallId }: Pick<UndoItem, 'toolCallId'>): { readonly toolCallId: string } {
  return { toolCallId };
}

/**
 * Returns the words for effects. If an effect's description is only the name of its tool, the call is
 * described instead.
 */
function namesIn(
  calls: readonly ToolCallView[],
  describe: (call: ToolCallView) => string,
): (item: Pick<UndoItem, 'toolCallId' | 'description'>) => string {
  return ({ toolCallId, description }) => {
    const call = calls.find(({ id }) => id === toolCallId);
    return call && (description === call.tool || description === call.title) ? describe(call) : description;
  };
}

/** Returns the line of an effect that this page can no longer undo. */
function lostLine(item: UndoItem, nameOf: (item: UndoItem) => string): ReceiptLine {
  return { ...idOf(item), kind: 'in-effect', text: nameOf(item), reason: 'It can no longer be undone.' };
}

/**
 * Returns the receipt of a turn; null if the turn ended normally and was not undone.
 *
 * @param describe describes a call, for effects without a description
 * @param yours the cards that the user edited and the undo did not change
 */
export function receiptOf(
  record: TurnRecord,
  describe: (call: ToolCallView) => string,
  yours: readonly YourEdit[],
): Receipt | null {
  // If the effects of a version are restored, the receipt is as before.
  const calls = allCallsOf(record);
  if (record.undo && !isBack(record.undo))
    return undoReceipt(record, record.undo, namesIn(calls, describe), yours);
  const { outcome } = record;
  if (outcome === null || (outcome.status !== 'cancelled' && outcome.status !== 'failed')) return null;
  const { report } = outcome;
  const { done = [], failed = [], irreversible = [], unknown = record.unknown ?? [] } = report ?? {};
  const kept = report ? [] : record.effects;
  const cannotUndo = isInterrupted(record) ? 'It can no longer be undone.' : 'It cannot be undone.';
  const nameOf = namesIn(calls, describe);
  const lines = [
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
  ];
  const back = lines.filter(({ kind }) => kind === 'taken-back').length;
  const stays = lines.filter(({ kind }) => kind === 'in-effect').length;
  const title = titleOf(record);
  return {
    // If the effects were kept, none were meant to be undone.
    ...(report ? headOf(back, back + stays, 'taken back', title) : { title, detail: '' }),
    groups: grouped(lines, record, yours),
  };
}

/**
 * Returns the line of a call that was still running when the turn ended. It is unknown, unless its tool
 * answers later.
 */
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
    case 'kept':
      return { ...idOf(item), kind: 'in-effect', text };
    case undefined:
      return {
        ...idOf(item),
        kind: 'unknown',
        text,
        reason: `It was still running when the ${isLeft ? 'page was left' : 'turn ended'}.`,
      };
  }
}

/** Returns whether the turn ended because the page was closed, or because the answer broke off. */
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
  record: TurnRecord,
  { state, report, by }: NonNullable<TurnRecord['undo']>,
  nameOf: (item: UndoItem) => string,
  yours: readonly YourEdit[],
): Receipt {
  const again = state === 'redone' || state === 'partly-redone';
  const { done, failed, lost, irreversible, unknown } = report;
  const lines = [
    ...done.map((item): ReceiptLine => ({
      ...idOf(item),
      kind: again ? 'redone' : 'taken-back',
      text: nameOf(item),
    })),
    ...failed.map((item): ReceiptLine => ({
      ...idOf(item),
      kind: again ? 'never-ran' : 'in-effect',
      text: nameOf(item),
      reason: item.reason,
    })),
    ...lost.map((item) => lostLine(item, nameOf)),
    ...irreversible.map((item): ReceiptLine => ({
      ...idOf(item),
      kind: 'in-effect',
      text: nameOf(item),
      reason: 'It cannot be undone.',
    })),
    ...unknown.map((item): ReceiptLine => ({ ...idOf(item), kind: 'unknown', text: nameOf(item) })),
  ];
  // A redo does not redo effects that were never undone.
  const all = done.length + failed.length + (again ? 0 : lost.length + irreversible.length);
  const { title } = headOf(done.length, all, again ? 'done again' : 'taken back', undoTitles[state]);
  return {
    title,
    detail: state === 'undone' && by === 'branch' ? 'Taken back for another version' : '',
    groups: grouped(lines, record, again ? [] : yours),
  };
}

function neverRan({ state, result }: ToolCallView): boolean {
  return state === 'assembling' || state === 'waiting' || result?.outcome === 'rejected';
}
