import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import type { AgentRef } from '../conversation/agent-ref.js';
import type { Subscriber } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import type { HookContext } from './middleware.js';

/** The answer of a hook, or why there is none. */
type HookResult<T> = { readonly answer: T } | { readonly failed: string; readonly error: unknown };

/** Calls the hooks of one place of a turn. */
export class HookCaller {
  constructor(
    private readonly turn: FeatureTurn,
    /** The subscriber of the stage. If it is closed, the turn has ended. */
    private readonly facts: Subscriber<TurnFact>,
  ) {}

  /**
   * Calls a hook, and waits for its answer within the time limit. When the turn ends first, the signal of the hook fires, and the promise
   * never settles. If the hook returns no promise, this method returns none either: most hooks are synchronous, and a turn may call
   * hundreds of them.
   *
   * @param read reads the answer; throws for a value of another form
   */
  call<T>(
    hook: (context: HookContext) => unknown,
    read: (answer: unknown) => T,
  ): HookResult<T> | Promise<HookResult<T>> {
    const { turn } = this;
    const context = new Context(turn.id, turn.agent, turn.spending.rounds);
    const result = resultOf(() => {
      const answer = hook(context);
      return isThenable(answer) ? this.inTime(answer, context, read) : { answer: read(answer) };
    });
    // If the hook itself has ended the turn, no later hook is called.
    return this.facts.closed ? new Promise(() => {}) : result;
  }

  private inTime<T>(
    answer: PromiseLike<unknown>,
    context: Context,
    read: (answer: unknown) => T,
  ): Promise<HookResult<T>> {
    const { facts } = this;
    const { clock } = this.turn.ports;
    const { hookTimeoutMs } = this.turn.settings.limits;
    return new Promise((resolve) => {
      const abort = () => context.abort();
      const finish = (result: HookResult<T> | Promise<HookResult<T>>) => {
        stopTimer();
        facts.remove(abort);
        if (!facts.closed) resolve(result);
      };
      const stopTimer = clock.schedule(() => {
        const error = new Error(`it did not answer within ${hookTimeoutMs} ms`);
        context.abort();
        finish({ failed: messageOf(error), error });
      }, hookTimeoutMs);
      facts.add(abort);
      facts.add(stopTimer);
      // A thenable of the app may throw, or resolve with another thenable.
      Promise.resolve(answer).then(
        (value) => finish(resultOf(() => ({ answer: read(value) }))),
        (error: unknown) => finish({ failed: messageOf(error), error }),
      );
    });
  }
}

function resultOf<T>(
  run: () => HookResult<T> | Promise<HookResult<T>>,
): HookResult<T> | Promise<HookResult<T>> {
  try {
    return run();
  } catch (error) {
    return { failed: messageOf(error), error };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** Its signal is created only when the hook reads it. Many hooks never do, and the signal would be the most expensive object of a call. */
class Context implements HookContext {
  private controller: AbortController | null = null;
  private isAborted = false;

  constructor(
    readonly turnId: string,
    readonly agent: AgentRef | undefined,
    readonly round: number,
  ) {}

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isAborted) this.controller.abort();
    return this.controller.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.controller?.abort();
  }
}
