import * as told from '../conversation/model-words.js';
import { defer, EMPTY, merge, Observable, type Subscriber } from 'rxjs';
import { isAgentSessionError } from '../errors/agent-session-error.js';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall } from './batch-call.js';
import { companyOf, mayRunTogether, type Company } from './company.js';
import { concat } from './concat.js';
import { executeCall } from './execute-call.js';
import { hooked } from './hooked.js';
import { linkedTo } from './linked-to.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Runs the calls that were not rejected, in call order: consecutive ones that are independent of each other side by side, up to
 * `maxConcurrentTools`, any other one alone. After a cancel, or a tool that stopped the turn, no further call starts.
 */
export function runCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return concat(
    new Observable<TurnFact>((facts) => {
      const runnable = calls.filter((call) => !call.rejected && call.ready !== null);
      const runner = new CallRunner(turn, runnable, facts);
      facts.add(() => runner.releaseClock());
      runner.startNext();
    }),
    // Only whole rounds are appended to the conversation: a cancelled batch ends the turn here.
    defer(() => {
      turn.cancellation.checkpoint();
      return EMPTY;
    }),
  );
}

/** The calls of one batch while they run. */
class CallRunner {
  private started = 0;
  private readonly running = new Set<BatchCall>();
  /** Lets the turn's clock go on, which stands still while only tools run that bound their own time; null while it does not. */
  private release: (() => void) | null = null;
  /** The call whose permission is read again before it starts; null while there is none. */
  private checking: BatchCall | null = null;
  private readonly companies = new Map<BatchCall, Company>();

  constructor(
    private readonly turn: Turn,
    private readonly calls: readonly BatchCall[],
    private readonly facts: Subscriber<TurnFact>,
  ) {}

  /** Starts the calls that may start now. */
  startNext(): void {
    while (!this.facts.closed && this.mayStartNext()) this.start(this.calls[this.started++]!);
    this.holdClock();
    if (this.running.size === 0) this.facts.complete();
  }

  /** Is called when the calls that run have changed. */
  private holdClock(): void {
    const { running, facts } = this;
    const isBounded = (call: BatchCall) => call.ready!.tool.tool.timeoutMs !== undefined;
    const stands = running.size > 0 && !facts.closed && [...running].every(isBounded);
    if (!stands) this.releaseClock();
    else this.release ??= this.turn.clock.hold();
  }

  releaseClock(): void {
    this.release?.();
    this.release = null;
  }

  private mayStartNext(): boolean {
    const next = this.calls[this.started];
    if (next === undefined) return false;
    const { running, turn } = this;
    if (this.checking !== null) return false;
    if (running.size === 0) return true;
    if (running.size >= turn.settings.limits.maxConcurrentTools) return false;
    const company = this.companyOf(next);
    return [...running].every((call) => mayRunTogether(company, this.companyOf(call)));
  }

  /** Read once for each call that may have a neighbour. */
  private companyOf(call: BatchCall): Company {
    const known = this.companies.get(call);
    if (known !== undefined) return known;
    const company = companyOf(call.ready!, this.turn.ports);
    this.companies.set(call, company);
    return company;
  }

  /** Starts a call, unless an earlier one stopped the turn or the turn was cancelled since. */
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
        // A cancel ends the wait for a hook, and the calls that run beside this one finish.
        if (turn.cancellation.level === 'cancel' && isCancel(error)) this.ended(call);
        else facts.error(error);
      },
      complete: () => this.ended(call),
    });
  }

  /** Whether a call may start: no earlier one stopped the turn, and it was not cancelled. */
  private mayStart(call: BatchCall): boolean {
    const { turn, facts } = this;
    if (call.rejected) return false;
    if (isStopped(turn)) {
      facts.next(reject(call, 'not-run', told.stoppedInBatch));
      return false;
    }
    // The checkpoint after the last call ends the turn.
    return turn.cancellation.level === null || call.ready?.runsDespiteCancel === true;
  }

  /** Returns the wait before a call: for more of a limit, then for what allowed the call. null where there is nothing to wait for. */
  private gate(call: BatchCall): Observable<TurnFact> | null {
    const { consent, extensions, spending } = this.turn;
    if (call.recovered) return null;
    if (!this.isOverLimit()) return consent?.starting(call) ?? null;
    return concat(
      extensions!.permitted(() => spending.toolTrip()),
      defer(() => consent?.starting(call) ?? EMPTY),
    );
  }

  private isOverLimit(): boolean | undefined {
    const { extensions, spending } = this.turn;
    return extensions?.waits(spending.toolTrip());
  }

  private execution(call: BatchCall): Observable<TurnFact> {
    const { turn } = this;
    return concat(
      executeCall(turn, call),
      hooked(turn, ({ onToolError }) => onToolError(turn, call.requested.callId)),
    );
  }

  /** Runs a call once what allowed it was read again. The calls after it wait for that, since the user may be asked. */
  private checked(call: BatchCall, starting: Observable<TurnFact>): Observable<TurnFact> {
    return concat(
      starting,
      defer(() => {
        const mayStart = this.mayStart(call);
        // A limit may have tripped meanwhile: what allows the call is read again behind that wait.
        if (mayStart && this.isOverLimit()) return this.checked(call, this.gate(call)!);
        this.checking = null;
        if (!mayStart) return EMPTY;
        const others = defer(() => {
          this.startNext();
          return EMPTY;
        });
        return merge(this.execution(call), others);
      }),
    );
  }

  private ended(call: BatchCall): void {
    if (this.checking === call) this.checking = null;
    this.running.delete(call);
    this.startNext();
  }
}

function isCancel(error: unknown): boolean {
  return isAgentSessionError(error) && error.code === 'cancelled';
}
