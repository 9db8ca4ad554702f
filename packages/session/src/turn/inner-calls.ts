import { NEVER, Subscription, type Subscriber } from 'rxjs';
import type { ToolResult } from '../conversation/content.js';
import { callsOf } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import { linkedTo } from './linked-to.js';
import { innerBatch } from './tool-batch.js';
import type { InnerCallOfRound, Round, Turn } from './turn-context.js';

/** A call that the model waits for while it answers. */
export interface InnerCall {
  readonly requested: RequestedCall;
  /** Hands the result to the model. */
  answer(result: ToolResult): void;
}

/** A call whose turn has not come. */
type WaitingCall = InnerCall & Pick<InnerCallOfRound, 'opensMessage'>;

/**
 * The calls that a model makes inside its own session, while its answer is open. Each is a batch of one; they take turns
 * in order of arrival, since one may change what the next is decided on.
 */
export class InnerCalls {
  private readonly waiting: WaitingCall[] = [];
  private isStarting = false;
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
    this.goOn();
  }

  /** The stream of the answer ended: the answer is over when no call is left. */
  end(): void {
    this.streamEnded = true;
    this.goOn();
  }

  /** Starts the next call once none runs. A loop: a call that is settled at once is followed by the next one. */
  private goOn(): void {
    const { turn, round, subscriber, waiting, streamEnded } = this;
    if (this.isStarting) return;
    this.isStarting = true;
    while (waiting.length > 0 && !round.innerCallRuns && !subscriber.closed) this.start(waiting.shift()!);
    this.isStarting = false;
    if (round.innerCallRuns || subscriber.closed) return;
    if (turn.ending !== null && !streamEnded) this.hangUp();
    if (turn.ending !== null || streamEnded) subscriber.complete();
  }

  private start(call: WaitingCall): void {
    const { turn, round, subscriber } = this;
    round.innerCallRuns = true;
    round.innerCalls.push({ requested: call.requested, opensMessage: call.opensMessage });
    const running = new Subscription();
    subscriber.add(running);
    // A cancel lets the call that runs finish, and ends the answer there: the model does not go on with its result.
    running.add(NEVER.pipe(turn.cancellation.untilCancelled()).subscribe({ error: this.hangUp }));
    const batch = innerBatch(turn, call.requested).pipe(linkedTo(running));
    batch.subscribe({
      next: (fact) => subscriber.next(fact),
      error: (error: unknown) => subscriber.error(error),
      complete: () => {
        subscriber.remove(running);
        running.unsubscribe();
        round.innerCallRuns = false;
        this.settle(call);
      },
    });
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
    this.goOn();
  }
}
