import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { EffectFailure } from '../conversation/failure-reason.js';
import type { UndoItem } from '../conversation/turn-record.js';
import type { Revision } from '../tools/tool.js';
import { isToolOutcome, type ToolOutcome } from '../tools/tool-outcome.js';
import { TooSlow } from './bounded.js';
import {
  runsClosures,
  takenBack,
  type CommittedEffects,
  type HistoryReport,
  type UndoEntry,
  type UndoProvider,
  type UndoTransaction,
} from './undo-provider.js';

/** The built-in undo history. The public class `UndoHistory` extends it; code that is loaded late imports this class. */
export class ClosureHistory implements UndoProvider {
  readonly groups: boolean = true;
  /** @internal */
  readonly [runsClosures] = true;

  begin(_label: string): UndoTransaction {
    const entries: UndoEntry[] = [];
    return {
      droppable: true,
      record(entry) {
        entries.push(entry);
      },
      rollback: (expected) => revertAll(inCallOrder(entries), new Set(), expected),
      commit: () => Promise.resolve(committed(inCallOrder(entries))),
    };
  }

  restore(_turnId: string, entries: readonly UndoEntry[]): CommittedEffects {
    return committed(inCallOrder(entries));
  }
}

function committed(entries: readonly UndoEntry[]): CommittedEffects {
  /** The entries that have been taken back. A second attempt after a partial undo skips them. */
  const reverted = new Set(entries.filter((entry) => entry.isReverted));
  // For an effect that an earlier session took back, the code may be missing; without it the turn as a whole cannot be made again. If only
  // a part of a call is irreversible, an undo takes back the other part, and a redo makes that part again.
  const movable = entries.filter((entry) => entry.revert || reverted.has(entry));
  const redoable = movable.length > 0 && movable.every((entry) => entry.reapply);
  return defined({
    revert: (expected: Revision, callIds?: ReadonlySet<string>) =>
      revertAll(entries.filter(isAmong(callIds)), reverted, expected),
    reapply: redoable
      ? (expected: Revision, callIds?: ReadonlySet<string>) =>
          reapplyAll(movable.filter(isAmong(callIds)), reverted, expected)
      : undefined,
    irreversible: entries.filter((entry) => !entry.revert).map(itemOf),
  });
}

/** Returns a function that returns true for the effects of these calls; without calls, for all effects. */
export function isAmong(callIds: ReadonlySet<string> | undefined): (item: UndoItem) => boolean {
  return ({ toolCallId }) => callIds?.has(toolCallId) ?? true;
}

/** Returns entries in the order of their calls. Calls that ran at the same time may have ended in another order. */
export function inCallOrder(entries: readonly UndoEntry[]): readonly UndoEntry[] {
  return entries.toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

/** Takes entries back, newest first. If an entry fails, the others are still taken back. */
export async function revertAll(
  entries: readonly UndoEntry[],
  reverted: Set<UndoEntry>,
  expected: Revision,
): Promise<HistoryReport> {
  const report = emptyReport();
  for (const entry of entries.toReversed()) {
    // A reapply that ran longer than its time limit may have ended since, so the entry is in effect again.
    if (reverted.has(entry) && entry[takenBack]?.() !== false) continue;
    if (!entry.revert) {
      report.irreversible.push(itemOf(entry));
      continue;
    }
    const failure = await failureOf(() => entry.revert!(expected));
    if (failure !== null) report.failed.push({ ...itemOf(entry), ...failure });
    else {
      reverted.add(entry);
      // A part of the entry may be irreversible, for example a mail that was sent with the change.
      report[entry.irreversible ? 'irreversible' : 'done'].push(itemOf(entry));
    }
  }
  return report;
}

async function reapplyAll(
  entries: readonly UndoEntry[],
  reverted: Set<UndoEntry>,
  expected: Revision,
): Promise<HistoryReport> {
  const report = emptyReport();
  for (const entry of entries) {
    // A revert that ran longer than its time limit may have ended since, so the entry is taken back.
    if (!reverted.has(entry) && !entry[takenBack]?.()) continue;
    const failure = await failureOf(() => entry.reapply!(expected));
    if (failure !== null) report.failed.push({ ...itemOf(entry), ...failure });
    else {
      reverted.delete(entry);
      report.done.push(itemOf(entry));
    }
  }
  return report;
}

/** Runs a step. Returns why it failed, or null. */
export async function failureOf(
  step: () => void | ToolOutcome | Promise<void | ToolOutcome>,
): Promise<EffectFailure | null> {
  try {
    const outcome = await step();
    return isToolOutcome(outcome) ? failureIn(outcome) : null;
  } catch (error) {
    return failureFrom(error);
  }
}

/** Returns why a step or a history failed that threw or did not answer in time. */
export function failureFrom(error: unknown): EffectFailure {
  const reason = messageOf(error);
  return error instanceof TooSlow ? { reason, because: { code: 'too-slow', ms: error.ms } } : { reason };
}

function failureIn(outcome: ToolOutcome): EffectFailure | null {
  switch (outcome.outcome) {
    case 'success':
    case 'stop':
      return null;
    case 'failed':
      return defined({ reason: outcome.forUser ?? outcome.message, because: outcome.because });
    case 'denied':
      return { reason: outcome.forUser ?? outcome.reason };
    case 'conflict':
      // A sentence for the user, who does not know the revisions in the outcome.
      return { reason: 'It was changed in the meantime.', because: { code: 'changed' } };
  }
}

interface GrowingReport {
  readonly done: UndoItem[];
  readonly failed: (UndoItem & EffectFailure)[];
  readonly irreversible: UndoItem[];
}

function emptyReport(): GrowingReport {
  return { done: [], failed: [], irreversible: [] };
}

/** Returns the fields of an entry that are plain JSON. */
export function itemOf({ toolCallId, toolName, description, child }: UndoItem): UndoItem {
  return child === undefined
    ? { toolCallId, toolName, description }
    : { toolCallId, toolName, description, child };
}
