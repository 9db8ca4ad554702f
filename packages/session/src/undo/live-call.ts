import { defined } from '@banister/provider/internal/json/defined';
import type { UndoItem } from '../conversation/turn-record.js';
import type { Moved } from '../operations/moved.js';
import type { EffectMoved } from '../operations/tool-operations.js';
import type { Revision } from '../tools/tool.js';
import { entryOf } from './call-entry.js';
import { CallChanges, type RevisionChange } from './call-changes.js';
import { EffectStep, type StepLimit, type StepRecord } from './effect-step.js';
import type { StepCode } from './step-code.js';
import type { UndoEntry } from './undo-provider.js';

/** The effects of one call that has ended, with the code that takes them back. */
export interface CallRecord {
  readonly item: UndoItem;
  /** The domain that the call changed. */
  readonly domain: string;
  /** The change of the domain's revision that the call made. */
  readonly change: RevisionChange;
  /** True when a part of the effects cannot be taken back. */
  readonly irreversible: boolean;
  /** The effects in the order in which they were recorded. */
  readonly steps: readonly CallStep[];
}

/** One effect of a call. */
interface CallStep {
  /** The code that moves the effect; null if this session cannot take the effect back. */
  readonly code: StepCode | null;
  readonly isInEffect: boolean;
  /** The number of times that the effect was taken back or made again. */
  readonly moves: number;
  /** Whether the log has the effect. */
  readonly isLogged: boolean;
}

/** What steps need from the session that takes effects of a turn back. */
export interface StepHost {
  readonly turnId: string;
  readonly limit: StepLimit;
  /** Reads the revision of a domain. */
  revisionOf(domain: string): Revision;
  /** Emits the operation about the end of an attempt. */
  moved(fact: EffectMoved): void;
  /**
   * Records the change of an attempt that ended after its time limit. Returns the change for the operation of the attempt; undefined if
   * another operation will have the change.
   */
  movedLate(domain: string, changes: CallChanges): Moved | undefined;
}

/** A call whose effects can be taken back. It is kept outside of the state, because it holds code. */
export interface LiveCall {
  readonly entry: UndoEntry;
  readonly domain: string;
  readonly changes: CallChanges;
  /**
   * The effects of the call, in the order in which they were recorded; null for an effect that this session cannot take back. Each effect
   * has its own time limit.
   */
  readonly steps: readonly (EffectStep | null)[];
}

/** @param before the same call with fewer recorded effects: its steps are kept, so that code that is still running is not started again */
export function liveCall(
  { item, domain, change, irreversible, steps }: CallRecord,
  host: StepHost,
  before?: LiveCall,
): LiveCall {
  const changes = new CallChanges(() => host.revisionOf(domain), change);
  const all = steps.map(({ code, isInEffect, moves, isLogged }, index) => {
    if (code === null) return null;
    const known = before?.steps[index];
    if (known?.isInEffect) return known;
    const step = index + 1;
    const ended: StepRecord['ended'] = (direction, outcome, data, isLate) => {
      const type = direction === 'revert' ? 'effectReverted' : 'effectReapplied';
      const moved = isLate && outcome === 'success' ? host.movedLate(domain, changes) : undefined;
      if (isLogged) host.moved(defined({ type, callId: item.toolCallId, step, outcome, data, moved }));
    };
    const key = `${host.turnId}-${item.toolCallId}-${step}`;
    return new EffectStep(code, { key, isInEffect, moves, ended }, changes, host.limit);
  });
  const runnable = all.filter((step) => step !== null);
  return { entry: entryOf(item, runnable, irreversible, changes), domain, changes, steps: all };
}
