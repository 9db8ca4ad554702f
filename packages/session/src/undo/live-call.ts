import type { UndoItem } from '../conversation/turn-record.js';
import { defined } from '../json/defined.js';
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
  /** The change that the call made. */
  readonly change: RevisionChange;
  /** True when a part of the effects cannot be taken back. */
  readonly irreversible: boolean;
  /** In order of recording. */
  readonly steps: readonly CallStep[];
}

/** One effect of a call. */
export interface CallStep {
  /** null where this session cannot take the effect back. */
  readonly code: StepCode | null;
  readonly isInEffect: boolean;
  /** The number of times that the effect was taken back or made again. */
  readonly moves: number;
  /** Whether the log has the effect. */
  readonly isLogged: boolean;
}

/** The parts of a session that take effects of a turn back. */
export interface StepHost {
  readonly turnId: string;
  readonly limit: StepLimit;
  /** Reads the revision of a domain. */
  revisionOf(domain: string): Revision;
  /** Emits the operation about the end of an attempt. */
  moved(fact: EffectMoved): void;
  /** Counts the change of an attempt that ended after its time. Returns it for the operation; undefined where no other operation would have it. */
  movedLate(domain: string, changes: CallChanges): Moved | undefined;
}

/** A call whose effects can be taken back. It is kept beside the log, since it holds the code that does so. */
export interface LiveCall {
  readonly entry: UndoEntry;
  readonly domain: string;
  readonly changes: CallChanges;
  /** Its effects, in order of recording; null for one that this session cannot take back. Each is bounded in time by itself. */
  readonly steps: readonly (EffectStep | null)[];
}

/** @param before the call with the effects that it had recorded earlier: code of them that still runs is not started again */
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
