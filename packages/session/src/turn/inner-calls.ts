import type { ToolResult } from '@banister/provider';
import { NEVER, Subscription, type Subscriber } from 'rxjs';
import { callsOf, type ToolCallView } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { concat } from './concat.js';
import { linkedTo } from './linked-to.js';
import { innerBatch } from './tool-batch.js';
import { checkInnerCall } from './tool-choice.js';
import { isStopped, type Round, type Turn } from './turn-context.js';

/** A call inside an answer. The model waits for its result. */
export interface InnerCall {
  readonly callId: string;
  /** Passes the result to the model. */
  answer(result: ToolResult): void;
}

export type InnerCallTurn = Turn;

/**
 * The calls that a model makes inside its own session, while its answer is open. Each call is a batch of its own. The calls run one at a
 * time in order of arrival, because each call may change the state on which the decision about the next call depends.
 */
export class InnerCalls {
  private readonly waiting: InnerCall[] = [];
  private isStarting = false;
  private streamEnded = false;

  /** @param hangUp closes the connection to the model; later events are dropped */
  constructor(
    private readonly turn: Turn,
    private readonly round: Round,
    private readonly subscriber: Subscriber<TurnFact>,
    private readonly hangUp: () => void,
  ) {}

  /** Adds a call. It starts when the earlier calls have ended. */
  add(call: InnerCall): void {
    this.waiting.push(call);
    this.startNext();
  }

  /** Called at the end of the stream. The answer completes when no call is left. */
  end(): void {
    this.streamEnded = true;
    this.startNext();
  }

  /** Starts the next call if none runs. It is a loop, because a call may end while it starts. */
  private startNext(): void {
    const { round, subscriber, waiting, streamEnded } = this;
    if (this.isStarting) return;
    this.isStarting = true;
    while (waiting.length > 0 && !round.innerCallRuns && !subscriber.closed) this.start(waiting.shift()!);
    this.isStarting = false;
    if (round.innerCallRuns || subscriber.closed) return;
    const isEnding = this.isEnding;
    if (isEnding && !streamEnded) this.hangUp();
    if (isEnding || streamEnded) subscriber.complete();
  }

  private start(call: InnerCall): void {
    const { turn, round, subscriber } = this;
    round.innerCallRuns = true;
    const running = new Subscription();
    subscriber.add(running);
    // A cancel lets the running call finish, and closes the connection: the model does not receive the result.
    running.add(NEVER.pipe(turn.cancellation.untilCancelled()).subscribe({ error: this.hangUp }));
    const batch = concat(() => {
      const view = this.viewOf(call)!;
      checkInnerCall(turn, round.number, view.tool);
      return innerBatch(turn, view);
    });
    const gated = turn.parts.gate?.callInside(batch) ?? batch;
    gated.pipe(linkedTo(running)).subscribe({
      next: (fact) => subscriber.next(fact),
      error: (error: unknown) => subscriber.error(error),
      complete: () => {
        subscriber.remove(running);
        running.unsubscribe();
        round.innerCallRuns = false;
        this.returnResult(call);
      },
    });
  }

  /** Passes the result of a call to the model, and starts the next call. */
  private returnResult(call: InnerCall): void {
    const { subscriber } = this;
    const result = this.viewOf(call)?.result;
    try {
      // If the answer ends here, the model does not get the result.
      if (result !== undefined && !this.isEnding) call.answer(result);
    } catch (error) {
      subscriber.error(error);
      return;
    }
    this.startNext();
  }

  /** Returns true if the answer ends here: a tool stopped the turn, or the model gets more tools, which need another request. */
  private get isEnding(): boolean {
    const { turn } = this;
    return isStopped(turn) || turn.current().fold.turn?.round?.activated === true;
  }

  private viewOf({ callId }: InnerCall): ToolCallView | undefined {
    return callsOf(this.turn.state().liveTurn?.rounds.at(-1)).find(({ id }) => id === callId);
  }
}
