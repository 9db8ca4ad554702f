import { EMPTY, Observable, Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';

/**
 * A stage of a turn, for {@link concat}: an observable, a fact, several stages, or a function that returns a stage and is called when the
 * stage begins.
 */
export type Stage = Observable<TurnFact> | TurnFact | readonly Stage[] | (() => Stage);

/**
 * Emits the facts of the stages in order. Each stage begins after the previous stage has completed and was torn down. Only an observable
 * needs a subscription: a round has dozens of stages, and RxJS's `concat`, `of` and `defer` would take most of its time.
 */
export function concat(...stages: readonly Stage[]): Observable<TurnFact> {
  return new Observable((subscriber) => run(stages, subscriber));
}

/** Passes the facts of a stage and its error on, but not its end. */
class StageSubscriber extends Subscriber<TurnFact> {
  protected override _complete(): void {
    this.unsubscribe();
  }
}

/** The functions are short, because the engine compiles a long loop during the first turns, which would cost more than the loop itself. */
function run(stages: readonly Stage[], subscriber: Subscriber<TurnFact>): void {
  /** The stages that follow, the next stage last. */
  const waiting = stages.toReversed();
  const next = (): void => {
    while (!subscriber.closed && begin(waiting.pop()));
  };
  /** Returns true if the next stage may begin: this stage has ended. */
  const begin = (stage: Stage | undefined): boolean => {
    if (stage === EMPTY) return true;
    if (typeof stage === 'function') waiting.push(stage());
    else if (stage instanceof Observable) return hasEnded(stage);
    else if (stage === undefined) subscriber.complete();
    else if (Array.isArray(stage)) waiting.push(...(stage as readonly Stage[]).toReversed());
    else subscriber.next(stage as TurnFact);
    return true;
  };
  /** Subscribes to a stage. Returns false if it has not ended yet: its end goes on with the next stage, unless an error has ended all. */
  const hasEnded = (stage: Observable<TurnFact>): boolean => {
    const running = new StageSubscriber(subscriber);
    stage.subscribe(running);
    const { closed } = running;
    if (!closed) running.add(goOn);
    return closed;
  };
  // A stage that throws when it begins fails like a stage that errors.
  const goOn = (): void => {
    try {
      next();
    } catch (error) {
      subscriber.error(error);
    }
  };
  goOn();
}
