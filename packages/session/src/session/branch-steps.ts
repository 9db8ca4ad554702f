import type { JsonObject } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { EffectFailure } from '../conversation/failure-reason.js';
import { allCallsOf, type TurnRecord, type UndoItem, type UndoReport } from '../conversation/turn-record.js';
import type { BranchStep } from '../operations/session-operations.js';
import { isAny, touchSame } from '../state/in-the-way.js';
import type { UndoTurn } from '../state/session-state.js';
import { findTurn } from '../state/tree.js';
import { effectsOf } from '../state/undo-notes.js';
import { namedPartsIn, type PlannedStep } from '../undo/branch-plan.js';
import { itemOf } from '../undo/closure-history.js';
import type { UndoStep } from '../undo/undo-stack.js';
import { carryOut, stackOf, type StepEnd, type UndoParts } from './undo-command.js';

/** The parts of a session that carry out the steps of a branch command. */
export interface BranchStepParts extends UndoParts {
  /** Fires when the command is cancelled. */
  readonly signal: AbortSignal;
  /** Stops showing the command as a turn that starts, from the next publication on. */
  readonly hide: () => void;
  /** Does what `hide` does, and lets other commands begin. */
  readonly release: () => void;
}

/** An effect in the details of a rejected branch command. */
interface NamedEffect extends UndoItem, EffectFailure {
  readonly turnId: string;
}

/**
 * Carries out the steps of one branch command. If a step fails, or the command is cancelled, the steps before it are reverted, and the
 * error names every effect that is not as it was.
 */
export class BranchSteps {
  /** The steps that have ended, in order, and their reports. A failed step that moved no effect is left out. */
  private readonly ended: { readonly step: PlannedStep; readonly report: UndoReport }[] = [];
  private readonly before: ReadonlyMap<string, string>;

  constructor(
    private readonly parts: BranchStepParts,
    private readonly plan: readonly PlannedStep[],
    private readonly options: { readonly force: boolean; readonly movesHead: boolean },
  ) {
    this.before = this.positions();
  }

  /**
   * Carries out all steps, then moves the head. Nothing is awaited between the last check for a cancel and the move. Rejects if the steps
   * were reverted.
   *
   * @param move receives one report of all steps
   */
  async run<R>(move: (report: UndoReport) => R | Promise<R>): Promise<R> {
    for (const [index, step] of this.plan.entries()) {
      this.parts.hide();
      const changed = this.changedMeanwhile(step);
      if (this.isCancelled || changed.length > 0) await this.walkBack(changed, null);
      const isLast = index === this.plan.length - 1 && !this.options.movesHead;
      let next: BranchStep = 'ends';
      const { report, error } = await this.carryOut(step, (report) => {
        next = this.stops(report) ? this.afterStop(report) : isLast ? 'ends' : 'goes-on';
        return next;
      });
      const isWhole = error === null && report.failed.length === 0;
      if (isWhole || report.done.length > 0) this.ended.push({ step, report });
      if (!isWhole) await this.walkBack(named(step, report.failed), error);
      // If the command was cancelled during its last step, `next` is 'goes-on', and the command is walked back below.
      if (next === 'ends') return move(merged(this.ended));
    }
    if (this.isCancelled) await this.walkBack([], null);
    return move(merged(this.ended));
  }

  private get isCancelled(): boolean {
    return this.parts.signal.aborted;
  }

  private stops(report: UndoReport): boolean {
    return this.isCancelled || report.failed.length > 0;
  }

  /** Returns 'ends' if the command stops after this step and no step has to be walked back; 'goes-on' if steps back follow. */
  private afterStop({ done, failed }: UndoReport): BranchStep {
    const isWalkedBack = this.ended.length > 0 || done.length > 0 || failed.length === 0;
    return isWalkedBack ? 'goes-on' : 'ends';
  }

  /** Returns the effects of a step whose domain has changed since the command began. */
  private changedMeanwhile(step: PlannedStep): readonly NamedEffect[] {
    if (this.options.force) return [];
    const stack = stackOf(this.parts);
    const domains = stack.changedSince(stack.find(step.entry.turnId));
    if (domains.length === 0) return [];
    const reason = `${domains.join(', ')} changed in the meantime.`;
    const because = { code: 'changed', domains } as const;
    return named(
      step,
      step.entry.effects.map((effect) => ({ ...itemOf(effect), reason, because })),
    );
  }

  /**
   * Reverts the ended steps, newest first, and throws. If a turn could not be put back, other turns that name the same part of the app stay
   * where they are too. After another writer has taken over, this session moves no effect any more.
   */
  private async walkBack(failed: readonly NamedEffect[], error: AgentSessionError | null): Promise<never> {
    const back = this.parts.core.journal?.isFenced ? [] : this.ended.toReversed();
    const partsOf = namedPartsIn(this.parts.core.current);
    const stuck: UndoTurn[] = [];
    const reasons = new Map<string, EffectFailure>();
    for (const [index, { step: ended }] of back.entries()) {
      const { entry, direction } = ended;
      const inverse = { entry, direction: direction === 'undo' ? ('redo' as const) : ('undo' as const) };
      const step = index === back.length - 1 ? 'ends' : 'goes-on';
      const isHeld = stuck.some((other) => touchSame(partsOf(other), partsOf(entry), isAny));
      const { report } = await this.carryOut(inverse, () => step, isHeld ? heldError() : null);
      for (const { toolCallId, reason, because } of report.failed)
        reasons.set(toolCallId, defined({ reason, because }));
      if (report.failed.length > 0) stuck.push(entry);
    }
    throw this.failure(failed, reasons, error);
  }

  private carryOut(
    { entry, direction }: Pick<PlannedStep, 'entry' | 'direction'>,
    branch: (report: UndoReport) => BranchStep,
    refusal: AgentSessionError | null = null,
  ): Promise<StepEnd> {
    const { parts } = this;
    const stack = stackOf(parts);
    const turn = stack.find(entry.turnId);
    let run: () => Promise<UndoStep>;
    try {
      if (refusal !== null) throw refusal;
      run = stack.prepare(turn, direction);
    } catch (thrown) {
      const error = toSessionError(thrown, 'undo-failed', 'The effects of this turn cannot be moved.');
      run = async () => stack.refused(turn, direction, error);
    }
    return carryOut(parts, { direction, turn, run, release: parts.release, branch });
  }

  /** @param reasons why effects could not be put back, by call id */
  private failure(
    failed: readonly NamedEffect[],
    reasons: ReadonlyMap<string, EffectFailure>,
    cause: AgentSessionError | null,
  ): AgentSessionError {
    const listed = new Set(failed.map(({ toolCallId }) => toolCallId));
    const notRestored = this.notRestored(reasons).filter(({ toolCallId }) => !listed.has(toolCallId));
    const isEmpty = failed.length === 0 && notRestored.length === 0;
    const details = {
      ...cause?.details,
      ...(isEmpty ? {} : { failed, notRestored }),
    } as unknown as JsonObject;
    if (cause !== null)
      return new AgentSessionError(cause.code, cause.message, { retry: cause.retry, details, cause });
    if (failed.length === 0) return new AgentSessionError('cancelled', cancelledError().message, { details });
    const names = failed.map(({ description, reason }) => `${description} (${reason})`).join('; ');
    const message = `The conversation stays as it is, since effects could not be moved: ${names}`;
    return new AgentSessionError('undo-failed', message, { details });
  }

  /** Returns the effects of the plan that are not as they were before the command. */
  private notRestored(reasons: ReadonlyMap<string, EffectFailure>): readonly NamedEffect[] {
    const now = this.positions();
    const unrecorded = this.unrecorded();
    return this.plan.flatMap((step) =>
      named(
        step,
        step.entry.effects
          .filter(({ toolCallId: id }) => unrecorded.has(id) || now.get(id) !== this.before.get(id))
          .map((effect) => ({ ...itemOf(effect), ...(reasons.get(effect.toolCallId) ?? notRestored) })),
      ),
    );
  }

  /** Returns the calls whose effects moved while another writer took over: the state does not have these moves. */
  private unrecorded(): ReadonlySet<string> {
    const ended = this.parts.core.journal?.isFenced ? this.ended : [];
    return new Set(ended.flatMap(({ report }) => report.done.map(({ toolCallId }) => toolCallId)));
  }

  /** Returns, by call, whether each effect of the plan is in place. */
  private positions(): ReadonlyMap<string, string> {
    const state = this.parts.core.current;
    return new Map(
      this.plan.flatMap(({ entry: { turnId, effects } }) => {
        const reverted = revertedCalls(findTurn(state, turnId)?.turn);
        const calls = effectsOf(state, turnId);
        return effects.map(({ toolCallId }): [string, string] => {
          const steps = calls.find(({ callId }) => callId === toolCallId)?.steps ?? [];
          return [toolCallId, [reverted.has(toolCallId), ...steps.map(({ state }) => state)].join(' ')];
        });
      }),
    );
  }
}

const notRestored: EffectFailure = {
  reason: 'It could not be put back to where it was.',
  because: { code: 'not-restored' },
};

function heldError(): AgentSessionError {
  return new AgentSessionError(
    'undo-failed',
    'Another turn that changed the same part of the app could not be put back.',
    {
      details: { held: true },
    },
  );
}

function revertedCalls(turn: TurnRecord | undefined): ReadonlySet<string> {
  const calls = allCallsOf(turn);
  return new Set(calls.flatMap(({ id, reverted }) => (reverted === true ? [id] : [])));
}

function named({ entry }: PlannedStep, items: UndoReport['failed']): readonly NamedEffect[] {
  return items.map((item) => ({ turnId: entry.turnId, ...item }));
}

/** Merges the reports of steps into one report. */
function merged(steps: readonly { readonly report: UndoReport }[]): UndoReport {
  const reports = steps.map(({ report }) => report);
  return {
    done: reports.flatMap(({ done }) => done),
    failed: reports.flatMap(({ failed }) => failed),
    irreversible: reports.flatMap(({ irreversible }) => irreversible),
    lost: reports.flatMap(({ lost }) => lost),
    unknown: reports.flatMap(({ unknown }) => unknown),
  };
}
