import { NEVER, Subscription, type Subscriber } from 'rxjs';
import type { ToolResult } from '../conversation/content.js';
import { callsOf } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import { innerBatch } from './tool-batch.js';
import type { Round, Turn } from './turn-context.js';

/** A call that the model waits for while it answers. */
export interface InnerCall {
  readonly requested: RequestedCall;
  /** Hands the result to the model. */
  answer(result: ToolResult): void;
}

/**
 * The calls that a model makes inside its own session, while its answer is open. Each is a batch of one; they take turns
 * in order of arrival, since one may change what the next is decided on.
 */
export class InnerCalls {
  private readonly waiting: (InnerCall & { readonly opensMessage: boolean })[] = [];
  /** The model has read a result since the call before: what it asks for now may follow from that. */
  private answered = false;
  private streamEnded = false;

  /** @param hangUp closes the connection to the model, and lets nothing more through */
  constructor(
    private readonly turn: Turn,
    private readonly round: Round,
    private readonly subscriber: Subscriber<TurnFact>,
    private readonly hangUp: () => void,
  ) {}

  add(call: InnerCall): void {
    this.waiting.push({ ...call, opensMessage: this.answered });
    this.answered = false;
    if (!this.round.innerCallRuns) this.startNext();
  }

  /** The model said its last word: the answer is over when no call is left. */
  end(): void {
    this.streamEnded = true;
    if (!this.round.innerCallRuns) this.subscriber.complete();
  }

  private startNext(): void {
    const { turn, round, subscriber } = this;
    if (subscriber.closed) return;
    const call = this.waiting.shift();
    if (call === undefined) {
      if (turn.ending !== null) this.hangUp();
      if (turn.ending !== null || this.streamEnded) subscriber.complete();
      return;
    }
    round.innerCallRuns = true;
    round.innerCalls.push({ requested: call.requested, opensMessage: call.opensMessage });
    const running = new Subscription();
    subscriber.add(running);
    // A cancel lets the call that runs finish; nobody waits for what the model would say to its result.
    running.add(NEVER.pipe(turn.cancellation.untilCancelled()).subscribe({ error: this.hangUp }));
    running.add(
      innerBatch(turn, call.requested).subscribe({
        next: (fact) => subscriber.next(fact),
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          subscriber.remove(running);
          running.unsubscribe();
          round.innerCallRuns = false;
          this.settle(call);
        },
      }),
    );
  }

  private settle(call: InnerCall): void {
    const { turn, subscriber } = this;
    const calls = callsOf(turn.state().liveTurn?.rounds.at(-1));
    const result = calls.find(({ id }) => id === call.requested.callId)?.result;
    try {
      // A tool that stopped the turn ends the answer as well: the model is not asked to go on.
      if (result !== undefined && turn.ending === null) call.answer(result);
    } catch (error) {
      subscriber.error(error);
      return;
    }
    this.answered = true;
    this.startNext();
  }
}
