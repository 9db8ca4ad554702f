import { concat, defer, EMPTY, Observable, type Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall } from './batch-call.js';
import { executeCall } from './execute-call.js';
import { linkedTo } from './linked-to.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Runs the calls that were not rejected, in call order: consecutive ones of `readOnly` and `parallel` tools side by side, up to
 * `maxConcurrentTools`, any other one alone. After a cancel, or a tool that stopped the turn, no further call starts.
 */
export function runCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return concat(
    new Observable<TurnFact>((facts) => {
      const runnable = calls.filter((call) => !call.rejected && call.ready !== null);
      new CallRunner(turn, runnable, facts).startNext();
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
  private running = 0;
  /** Whether another call may run beside those that run. */
  private shared = true;

  constructor(
    private readonly turn: Turn,
    private readonly calls: readonly BatchCall[],
    private readonly facts: Subscriber<TurnFact>,
  ) {}

  /** Starts the calls that may start now. */
  startNext(): void {
    while (!this.facts.closed && this.mayStartNext()) this.start(this.calls[this.started++]!);
    if (this.running === 0) this.facts.complete();
  }

  private mayStartNext(): boolean {
    const next = this.calls[this.started];
    if (next === undefined) return false;
    if (this.running === 0) return true;
    return this.shared && isShared(next) && this.running < this.turn.settings.limits.maxConcurrentTools;
  }

  /** Starts a call, unless an earlier one stopped the turn or the turn was cancelled since. */
  private start(call: BatchCall): void {
    const { turn, facts } = this;
    if (isStopped(turn)) {
      facts.next(reject(call, 'not-run', 'Not run: an earlier tool of this batch stopped the turn.'));
      return;
    }
    // The checkpoint after the last call ends the turn.
    if (turn.cancellation.level !== null && !call.ready?.runsDespiteCancel) return;
    this.running++;
    this.shared = isShared(call);
    // A subscriber of `operations$` may end the turn at `toolStarted`.
    const execution = executeCall(turn, call).pipe(linkedTo(facts));
    execution.subscribe({
      next: (fact) => facts.next(fact),
      error: (error: unknown) => facts.error(error),
      complete: () => {
        this.running--;
        this.startNext();
      },
    });
  }
}

/** Whether other calls may run beside this one. */
function isShared({ ready }: BatchCall): boolean {
  return ready !== null && (ready.tool.readOnly || ready.tool.tool.parallel === true);
}
