import { EMPTY, Observable, Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';

/**
 * A stage of a turn, for {@link concat}: an observable, a fact, several stages, or a function that returns a stage and is called when the
 * stage begins.
 */
export type Stage = Observable<TurnFact> | TurnFact | readonly Stage[] | (() => Stage);

/**
 * Emits the facts of the stages in order. Each stage begins after the previous stage has completed and was torn down. Stages inside stages
 * are run by the outermost `concat`, and only an observable of another kind needs a subscription: a round has dozens of stages, and RxJS's
 * `concat`, `of` and `defer` would take most of its time.
 */
export function concat(...stages: readonly Stage[]): Observable<TurnFact> {
  return new Stages(stages);
}

class Stages extends Observable<TurnFact> {
  constructor(readonly stages: readonly Stage[]) {
    super((subscriber) => run(stages, subscriber));
  }
}

/** Ends with its stage, and passes facts and an error on. */
class StageSubscriber extends Subscriber<TurnFact> {
  isWhole = false;

  protected override _complete(): void {
    this.isWhole = true;
    this.unsubscribe();
  }
}

function run(stages: readonly Stage[], subscriber: Subscriber<TurnFact>): void {
  /** The stages that follow, the next stage last. */
  const waiting: Stage[] = [];
  const pushAll = (list: readonly Stage[]) => {
    for (let index = list.length; index > 0; index--) waiting.push(list[index - 1]!);
  };
  const next = (): void => {
    while (!subscriber.closed) {
      const stage = waiting.pop();
      if (stage === undefined) return subscriber.complete();
      if (stage === EMPTY) continue;
      if (typeof stage === 'function') waiting.push(stage());
      else if (stage instanceof Stages) pushAll(stage.stages);
      else if (isList(stage)) pushAll(stage);
      else if (stage instanceof Observable) {
        const running = new StageSubscriber(subscriber);
        stage.subscribe(running);
        if (!running.isWhole) return running.add(() => running.isWhole && goOn());
      } else subscriber.next(stage);
    }
  };
  // A stage that throws when it begins fails like a stage that errors.
  const goOn = (): void => {
    try {
      next();
    } catch (error) {
      subscriber.error(error);
    }
  };
  pushAll(stages);
  goOn();
}

function isList(stage: Stage): stage is readonly Stage[] {
  return Array.isArray(stage);
}
