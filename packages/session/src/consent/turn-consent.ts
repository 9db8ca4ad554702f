import { defer, EMPTY, finalize, Subscription, type Observable } from 'rxjs';
import { modeIn, type Mode } from '../guards/mode.js';
import type { ConfirmationRequest } from './confirmation-operations.js';
import * as told from '../conversation/model-words.js';
import { fromAsync } from '../operations/from-async.js';
import type { TurnFact } from '../operations/operation.js';
import { rejectChanged, type BatchCall } from '../turn/batch-call.js';
import { concat } from '../turn/concat.js';
import type { QuestionSource } from '../turn/question-desk.js';
import type { Turn } from '../turn/turn-context.js';
import type { Consent } from '../turn/turn-parts.js';
import { confirmCalls, type Asking } from './confirm-calls.js';
import { guardAgain, guardCalls, guardEditedCalls, verdictOf, type GuardList } from './guard-calls.js';
import { signalOf } from './signal-of.js';
import { TurnGrants } from './turn-grants.js';
import { TurnPreviews } from './turn-previews.js';

/** Returns the consent of a turn. */
export function consentOf(turn: Turn): Consent {
  return new TurnConsent(turn);
}

/**
 * Decides about the calls of a turn. First its guards decide, then the guards of the mode, then the guards of its agent. A grant allows calls that the guards would ask
 * about, and the user is asked about the other calls. The guards decide again about arguments that the user edited.
 */
class TurnConsent implements Consent, QuestionSource, Asking {
  readonly grants: TurnGrants;
  readonly previews: TurnPreviews;
  /** The calls that were decided, by call id. */
  private readonly calls = new Map<string, BatchCall>();
  /** The id of the mode in which each call was decided. */
  private readonly decidedIn = new WeakMap<BatchCall, string | undefined>();
  /** Aborts the guards that decide about open questions, when the questions are closed. */
  private guarding = new Subscription();

  constructor(readonly turn: Turn) {
    this.grants = new TurnGrants(turn);
    this.previews = new TurnPreviews(turn);
  }

  decided(calls: readonly BatchCall[]): Observable<TurnFact> {
    return defer(() => {
      this.turn.host.desk.sources.add(this);
      for (const call of calls) this.calls.set(call.requested.callId, call);
      this.previews.restore(calls);
      const guarded = concat(
        guardCalls(this.turn, this.guards, calls),
        defer(() => this.grants.allow(calls)),
      );
      return concat(guarded.pipe(this.turn.cancellation.untilCancelled()), this.asked(calls));
    });
  }

  starting(call: BatchCall): Observable<TurnFact> | null {
    // The call may change what other agents were asked about.
    if (call.ready !== null) this.previews.changes.starting(call.ready);
    // Without guards and questions, no call needs a decision.
    if (this.calls.size === 0) return null;
    const isAllowed = this.grants.isAllowing(call);
    const mayDiffer = this.previews.mayDiffer(call);
    if (!isAllowed && !mayDiffer && !this.isSwitched(call)) return null;
    const granted = concat(
      this.grants.check(call),
      defer(() => (call.confirm === null ? EMPTY : this.asked([call]))),
    );
    const checked = concat(
      isAllowed ? granted : EMPTY,
      this.switched([call]),
      defer(() => this.compared(call)),
    );
    return call.ready?.runsDespiteCancel ? checked : checked.pipe(this.turn.cancellation.untilCancelled());
  }

  async modeChanged(): Promise<void> {
    // A subscriber may change the mode at the first of several requests, before the other requests are emitted.
    await null;
    const { pendingConfirmations } = this.turn.current();
    const decided = pendingConfirmations.map((request) => this.decideAgain(request));
    await new Promise<void>((resolve) => {
      // A guard may never answer, so the wait ends when the questions are closed.
      this.guarding.add(resolve);
      void Promise.all(decided).then(() => resolve());
    });
  }

  ended(): void {
    const { agent, host } = this.turn;
    if (agent === undefined) this.grants.ended();
    else host.desk.sources.delete(this);
  }

  domainChanged(domain: string, isReport: boolean): void {
    this.previews.changes.reported(domain, isReport);
  }

  /** The guards in force: the guards of the app, then the guards of the mode, then the guards of the agent. */
  private readonly guards: GuardList = (call) => {
    const { guards, agentGuards } = this.turn.settings;
    return [...guards, ...this.modeGuards(call), ...agentGuards];
  };

  /** The guards of the mode in force. The call is noted as decided in this mode. */
  private readonly modeGuards: GuardList = (call) => {
    const { mode } = this;
    this.decidedIn.set(call, mode?.id);
    return mode?.guards ?? [];
  };

  private get mode(): Mode | undefined {
    const { host, current } = this.turn;
    return modeIn(host.modes(), current().mode);
  }

  private asked(calls: readonly BatchCall[]): Observable<TurnFact> {
    return defer(() => {
      const guarding = (this.guarding = new Subscription());
      const allowed = this.switched(calls).pipe(this.turn.cancellation.untilCancelled());
      return concat(
        confirmCalls(this, calls, allowed).pipe(finalize(() => guarding.unsubscribe())),
        guardEditedCalls(this.turn, this.guards, calls),
      );
    });
  }

  /** Returns true if the mode has changed since the call was decided. */
  private isSwitched(call: BatchCall): boolean {
    return !call.rejected && this.decidedIn.get(call) !== this.mode?.id;
  }

  /** If the mode has changed, lets the guards of the new mode deny calls. Repeats this until the mode does not change meanwhile. */
  private switched(calls: readonly BatchCall[]): Observable<TurnFact> {
    return defer(() => {
      const switched = calls.filter((call) => this.isSwitched(call));
      return switched.length === 0
        ? EMPTY
        : concat(guardAgain(this.turn, this.modeGuards, switched), this.switched(calls));
    });
  }

  /**
   * Compares the preview of an approved call with a new preview. Repeats this until nothing happens meanwhile. If the preview is different,
   * the user is asked once more; the second time, the call is rejected.
   */
  private compared(call: BatchCall): Observable<TurnFact> {
    if (call.rejected || !this.previews.mayDiffer(call)) return EMPTY;
    let isOther = false;
    const compared = fromAsync<TurnFact>(async (facts) => {
      const outcome = await this.previews.compare(call, signalOf(facts));
      if (facts.closed) return;
      if (outcome === 'conflict') facts.next(rejectChanged(call, told.changedAgain));
      isOther = outcome === 'again';
    });
    const again = concat(
      this.asked([call]),
      defer(() => this.compared(call)),
    );
    return concat(
      compared,
      defer(() => (isOther ? again : EMPTY)),
    );
  }

  /**
   * Denies an open question about a call of the turn if a guard of the mode denies the call. An `allow` leaves the question open.
   */
  private async decideAgain({ id, call: { id: callId } }: ConfirmationRequest): Promise<void> {
    const { mode, guarding } = this;
    const ready = this.calls.get(callId)?.ready;
    for (const guard of (ready && mode?.guards) ?? []) {
      const verdict = await verdictOf(this.turn, guard, ready!, guarding);
      // The mode has changed again, and that change decides.
      if (this.mode?.id !== mode?.id) return;
      if (verdict !== 'allow' && 'deny' in verdict)
        return this.turn.host.desk.open.get(id)?.deny?.(verdict.deny);
    }
  }
}
