import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import * as told from '../conversation/model-words.js';
import { merge, Observable, type Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall } from './batch-call.js';
import { companyOf, mayRunTogether, type Company } from './company.js';
import { concat, type Stage } from './concat.js';
import { executeCall } from './execute-call.js';
import { hooked } from './doors.js';
import { linkedTo } from './linked-to.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Runs the calls that were not rejected, in call order. Consecutive independent calls run at the same time, up to `maxConcurrentTools`; any
 * other call runs alone. After a cancel, or after a tool has stopped the turn, no further call starts.
 */
export function runCalls(turn: Turn, calls: readonly BatchCall[]): Stage {
  return [
    new Observable<TurnFact>((facts) => {
      const runnable = calls.filter((call) => !call.rejected && call.ready !== null);
      const runner = new CallRunner(turn, runnable, facts);
      facts.add(() => runner.stop());
      runner.startNext();
    }),
    // Only complete rounds are appended to the conversation, so a cancelled batch ends the turn here.
    () => {
      turn.cancellation.checkpoint();
      return [];
    },
  ];
}

/** Runs the calls of one batch. */
class CallRunner {
  private started = 0;
  private readonly running = new Set<BatchCall>();
  /** The running calls that wait for their child turns. */
  private readonly waiting = new Set<BatchCall>();
  /**
   * Lets the turn's clock run again. The clock stands still while each running tool has a time limit of its own, or waits for its child turns.
   */
  private releaseClock: () => void = () => {};
  /** The call whose permission is checked again before it starts; null if there is none. */
  private checking: BatchCall | null = null;
  private readonly companies = new Map<BatchCall, Company>();

  constructor(
    private readonly turn: Turn,
    private readonly calls: readonly BatchCall[],
    private readonly facts: Subscriber<TurnFact>,
  ) {
    turn.executing = this.running;
  }

  /** Called when the batch has ended, or was cut. */
  stop(): void {
    this.releaseClock();
    for (const call of this.running) this.turn.parts.gate?.left(call);
    this.running.clear();
  }

  /** Starts the calls that may start now. */
  startNext(): void {
    while (!this.facts.closed && this.mayStartNext()) this.start(this.calls[this.started++]!);
    this.holdClock();
    if (this.running.size === 0) this.facts.complete();
  }

  /** Called when the set of running calls has changed. */
  private holdClock(): void {
    const { running, facts } = this;
    const isBounded = (call: BatchCall) =>
      call.ready!.tool.tool.timeoutMs !== undefined || this.waiting.has(call);
    const stands = running.size > 0 && !facts.closed && [...running].every(isBounded);
    const release = stands ? this.turn.clock.hold() : () => {};
    this.releaseClock();
    this.releaseClock = release;
  }

  private mayStartNext(): boolean {
    const next = this.calls[this.started];
    if (next === undefined) return false;
    const { running, turn } = this;
    if (this.checking !== null) return false;
    if (running.size === 0) return true;
    if (running.size >= turn.settings.limits.maxConcurrentTools) return false;
    const company = this.companyOf(next);
    // None of several running calls has to run alone.
    if (company.parallel && running.size > 1) return true;
    return [...running].every((call) => mayRunTogether(company, this.companyOf(call)));
  }

  /** Read once for each call, and only if another call may run at the same time. */
  private companyOf(call: BatchCall): Company {
    const known = this.companies.get(call);
    if (known !== undefined) return known;
    const company = companyOf(call.ready!, this.turn.ports);
    this.companies.set(call, company);
    return company;
  }

  /** Starts a call, unless an earlier call has stopped the turn, or the turn was cancelled. */
  private start(call: BatchCall): void {
    const { turn, facts } = this;
    if (!this.mayStart(call)) return;
    const starting = this.gate(call);
    this.running.add(call);
    if (starting !== null) this.checking = call;
    // A subscriber of `operations$` may end the turn at `toolStarted`.
    const execution = starting === null ? this.execution(call) : this.checked(call, starting);
    execution.pipe(linkedTo(facts)).subscribe({
      next: (fact) => facts.next(fact),
      error: (error: unknown) => {
        // A cancel ends the wait for a hook. The calls that run at the same time as this call finish.
        if (turn.cancellation.level === 'cancel' && isCancel(error)) this.ended(call);
        else facts.error(error);
      },
      complete: () => this.ended(call),
    });
  }

  /** Returns true if a call may start: no earlier call has stopped the turn, and the turn was not cancelled. */
  private mayStart(call: BatchCall): boolean {
    const { turn, facts } = this;
    if (call.rejected) return false;
    if (isStopped(turn)) {
      facts.next(reject(call, 'not-run', told.stoppedInBatch));
      return false;
    }
    // Not rejected here: the checkpoint after the last call ends the turn.
    return turn.cancellation.level === null || call.ready?.runsDespiteCancel === true;
  }

  /**
   * Returns the wait before a call: first for more of a limit, then for a new check of its permission, then for the calls of other agents.
   * Returns null if there is nothing to wait for.
   */
  private gate(call: BatchCall): Observable<TurnFact> | null {
    const permission = this.permission(call);
    if (this.turn.parts.gate === null) return permission;
    if (permission === null) return this.entering(call);
    return concat(permission, () => this.entering(call) ?? []);
  }

  /** Waits for the calls of other agents. Then the permission is checked again, because these calls may have changed what it depends on. */
  private entering(call: BatchCall): Observable<TurnFact> | null {
    const { gate, consent } = this.turn.parts;
    const entering = call.rejected ? undefined : gate?.entering(call);
    if (!entering) return null;
    return concat(entering, () => {
      const checking = call.rejected || call.recovered ? null : consent.starting(call);
      if (checking === null) return [];
      // The user may be asked, and no other agent waits for the answer.
      gate!.left(call);
      return concat(checking, () => this.entering(call) ?? []);
    });
  }

  private permission(call: BatchCall): Observable<TurnFact> | null {
    const { parts, spending } = this.turn;
    if (call.recovered) return null;
    if (!this.isOverLimit()) return parts.consent.starting(call);
    return concat(
      parts.extensions!.permitted(() => spending.toolTrip()),
      () => parts.consent.starting(call) ?? [],
    );
  }

  private isOverLimit(): boolean | undefined {
    const { parts, spending } = this.turn;
    return parts.extensions?.waits(spending.toolTrip());
  }

  private execution(call: BatchCall): Observable<TurnFact> {
    const { turn } = this;
    return concat(
      executeCall(turn, call, (isWaiting) => {
        this.waiting[isWaiting ? 'add' : 'delete'](call);
        this.holdClock();
      }),
      hooked(turn, ({ onToolError }) => onToolError(turn, call.requested.callId)),
    );
  }

  /** Runs a call after its permission was checked again. The later calls wait for that, because the user may be asked. */
  private checked(call: BatchCall, starting: Observable<TurnFact>): Observable<TurnFact> {
    return concat(starting, () => {
      const mayStart = this.mayStart(call);
      // A limit may have tripped meanwhile. Then the permission is checked once more, after the wait for the limit.
      if (mayStart && !call.recovered && this.isOverLimit()) {
        this.turn.parts.gate?.left(call);
        return this.checked(call, this.gate(call)!);
      }
      this.checking = null;
      if (!mayStart) return [];
      const others = concat(() => {
        this.startNext();
        return [];
      });
      return merge(this.execution(call), others);
    });
  }

  private ended(call: BatchCall): void {
    if (this.checking === call) this.checking = null;
    this.running.delete(call);
    this.turn.parts.gate?.left(call);
    this.startNext();
  }
}

function isCancel(error: unknown): boolean {
  return isAgentSessionError(error) && error.code === 'cancelled';
}
