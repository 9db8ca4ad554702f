import type { Input, ToolResult } from '@banister/provider';
import {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import * as told from '../conversation/model-words.js';
import { from, Observable, type Subscriber } from 'rxjs';
import { LimitClock } from '../limits/limit-clock.js';
import type { Budget } from '../operations/budget.js';
import type { TurnFact } from '../operations/operation.js';
import { warn } from '../ports/warn.js';
import { hasData } from '../tools/check-undo.js';
import type { AnyRunOptions, AnyRunResult } from '../tools/run.js';
import type { Revision, ToolContext } from '../tools/tool.js';
import { didWork, resultOf, textResult, thrownResult } from '../tools/tool-result.js';
import type { RevisionChange } from '../undo/call-changes.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import { callRecordOf, loggedEffects, undoItemOf, type RecordedCall } from './call-record.js';
import { EffectNotes, type NotedEffect } from './effect-notes.js';
import { changeLines } from './edited-line.js';
import { judged, toldOf } from './doors.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { settleLate } from './late-call.js';
import type { Turn } from './turn-context.js';
import type { BegunRuns } from './turn-parts.js';

/**
 * Runs one call, which gets exactly one result: its executor returns, throws, or times out. When the turn ends first, the call is aborted.
 * The effect of an aborted call is taken back when its executor returns.
 *
 * @param waits called with true while the call waits for its child turns
 */
export function executeCall(
  turn: Turn,
  call: BatchCall,
  waits: (isWaiting: boolean) => void,
): Observable<TurnFact> {
  return new Observable((subscriber) => {
    const budget = turn.spending.nextTool();
    new Execution(turn, call, call.ready!, subscriber, waits).start(budget);
  });
}

class Execution implements RecordedCall {
  private controller: AbortController | null = null;
  private cancelController: AbortController | null = null;
  readonly notes: EffectNotes;
  private state: 'running' | 'settled' | 'cut' = 'running';
  /** Whether the call was aborted. It stays true after the executor has returned. */
  private wasCut = false;
  change: RevisionChange = { from: undefined, to: undefined };
  /** The child turns of the call. */
  private readonly runs: BegunRuns & { readonly open: Set<Promise<unknown>> } = {
    keys: [],
    last: undefined,
    open: new Set(),
  };
  /** The time of the call, which stands still while a child turn runs. */
  private clock: LimitClock | null = null;

  constructor(
    readonly turn: Turn,
    private readonly call: BatchCall,
    readonly ready: ReadyCall,
    private readonly subscriber: Subscriber<TurnFact>,
    private readonly waits: (isWaiting: boolean) => void,
  ) {
    const { id, tool } = ready;
    this.notes = new EffectNotes(id, tool, (effect, step) => this.logEffect(effect, step));
  }

  start(budget: Budget): void {
    const { turn, ready, subscriber } = this;
    const { id, tool, arguments: args, editedFrom, replaced } = ready;
    const from = this.revisionNow();
    this.change = { from, to: from };
    subscriber.next(
      defined({
        type: 'toolStarted',
        callId: id,
        tool: tool.id,
        arguments: args,
        edited: editedFrom !== null,
        replacedBy: replaced?.by,
        readOnly: tool.readOnly || undefined,
        revision: from,
        budget,
      }),
    );
    // A subscriber may have ended the turn at `toolStarted`.
    if (subscriber.closed) return;
    const writing = tool.readOnly ? undefined : turn.journal.barrier();
    if (writing === undefined) this.run();
    else this.runAfter(writing);
  }

  /** Waits until `toolStarted` is stored, because the executor may act. When the turn ends first, `settle` closes the call. */
  private runAfter(writing: Promise<void>): void {
    const { turn, ready, subscriber } = this;
    const { cancellation, unstarted } = turn;
    unstarted.add(ready.id);
    const waiting = from(writing).pipe(
      ready.runsDespiteCancel ? cancellation.untilAborted() : cancellation.untilCancelled(),
    );
    subscriber.add(
      waiting.subscribe({
        complete: () => {
          unstarted.delete(ready.id);
          // A change during the wait was not made by this call.
          const from = this.revisionNow();
          this.change = { from, to: from };
          this.run();
        },
        error: (error: unknown) => {
          // The calls that run at the same time as this call may finish.
          if (cancellation.level === 'cancel') subscriber.complete();
          else subscriber.error(error);
        },
      }),
    );
  }

  private run(): void {
    const { turn, ready, subscriber } = this;
    const { id, tool } = ready;
    subscriber.add(() => this.cut());
    subscriber.add(turn.cancellation.onCancelled(() => this.cancel()));
    if (this.call.isInterrupted) this.takeOver();
    const timeoutMs = tool.tool.timeoutMs ?? turn.settings.limits.toolTimeoutMs;
    this.clock = new LimitClock(turn.ports.clock, timeoutMs);
    subscriber.add(this.clock.onExpiry(() => this.timeOut(timeoutMs)));
    if (!tool.readOnly) turn.running.set(id, { item: undoItemOf(this), record: () => callRecordOf(this) });
    const { recovered } = this.call;
    const execute = async () =>
      recovered ? recovered(this.context()) : tool.tool.execute(ready.value as never, this.context());
    const said = (error: unknown) => toldOf(turn, error);
    turn.host.runningCalls++;
    execute()
      .then(
        (returned) => resultOf(returned, said),
        (error: unknown) => {
          // A call that was cut ends with the error of its own abort.
          if (this.state === 'running') warn(`${tool.id} threw:`, error);
          return thrownResult(error, said);
        },
      )
      .then(async (result) => {
        while (this.runs.open.size > 0) await Promise.allSettled([...this.runs.open]);
        await this.abandonOthers();
        if (didWork(tool, result)) this.notes.addUndescribed();
        if (this.state === 'cut') await this.finishLate(result);
        else await this.finish(result);
      })
      .catch((error: unknown) => {
        if (subscriber.closed) turn.ports.reportError(error);
        else subscriber.error(error);
      })
      .finally(() => turn.host.runningCalls--);
  }

  /** Takes over the effects that the call recorded when it ran in an earlier session. */
  private takeOver(): void {
    const { turn, ready, notes } = this;
    notes.begin(loggedEffects(this)?.steps ?? []);
    turn.transaction.release(ready.id);
  }

  private context(): ToolContext {
    const { turn, ready, notes } = this;
    const { id, tool } = ready;
    const signal = () => this.signal;
    const cancelled = () => this.cancelled;
    return {
      get signal() {
        return signal();
      },
      get cancelled() {
        return cancelled();
      },
      callId: id,
      idempotencyKey: idempotencyKeyOf(turn.id, id),
      revision: turn.revisions.of(tool.domain.id),
      progress: (patch) => {
        if (this.state !== 'running') return;
        try {
          this.subscriber.next({ type: 'toolProgress', callId: id, patch: jsonCopy(patch) });
        } catch (error) {
          turn.ports.reportError(error);
        }
      },
      undo: ((entry) => {
        const isLogged = this.note(() => notes.undo(entry));
        return hasData(entry) ? this.stored(isLogged) : undefined;
      }) as ToolContext['undo'],
      irreversible: (description, options) => void this.note(() => notes.irreversible(description, options)),
      change: (mutate) => mutate(),
      agent: turn.agent,
      run: (agent, input, options) => {
        const run = this.runChild(agent, input, options);
        // A tool may await its runs one after the other, or ignore a run.
        run.catch(() => {});
        // The output fits the schema of the options.
        return run as Promise<never>;
      },
      unattributed: (paths) => {
        if (this.state !== 'running' || paths.length === 0) return;
        this.subscriber.next({ type: 'changesUnattributed', callId: id, paths: [...paths].map(String) });
      },
    };
  }

  /** Ends the child turns of an earlier session that the code of the tool has not asked for again. */
  private async abandonOthers(): Promise<void> {
    const { turn, ready } = this;
    const others = this.state === 'running' ? turn.parts.children.abandoned(ready.id, false) : null;
    if (others) await new Promise<void>((complete, error) => others.subscribe({ complete, error }));
  }

  /** Runs a child turn. Meanwhile the time of the call stands still. */
  private async runChild(agent: string, input: Input, options?: AnyRunOptions): Promise<AnyRunResult> {
    const { turn, ready, runs } = this;
    if (this.state !== 'running') throw cancelledError();
    const isRunning = () => this.state === 'running';
    const call = { turnId: turn.id, callId: ready.id, begun: runs, isRunning };
    const release = this.clock!.hold();
    const run = turn.parts.children.run(call, agent, input, options);
    if (runs.open.add(run).size === 1) this.waits(true);
    try {
      return await run;
    } catch (error) {
      // Middleware of the session ends the turn, whatever the tool does with the rejection.
      if (isAgentSessionError(error) && error.code === 'tool-escalated') this.subscriber.error(error);
      throw error;
    } finally {
      runs.open.delete(run);
      release();
      if (runs.open.size === 0) this.waits(false);
    }
  }

  /** Created only when the tool reads it. Many tools never do, and the controller would be the most expensive object of a call. */
  private get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.wasCut) this.controller.abort();
    return this.controller.signal;
  }

  /**
   * Created only when the tool reads it, like `signal`. For a call that was approved after a cancel, it fires only when the call is
   * aborted.
   */
  private get cancelled(): AbortSignal {
    if (this.ready.runsDespiteCancel) return this.signal;
    this.cancelController ??= new AbortController();
    if (this.turn.cancellation.level !== null) this.cancelController.abort();
    return this.cancelController.signal;
  }

  /**
   * Records an effect. An aborted call may still record an effect, but not after its executor has returned. Returns true if the log has the
   * effect.
   */
  private note(add: () => boolean): boolean {
    if (this.state !== 'settled') {
      const isLogged = add();
      if (this.state === 'cut') this.turn.host.desk.review?.recorded();
      return isLogged;
    }
    this.turn.ports.reportError(new Error(`${this.ready.tool.id} recorded an effect after it had answered.`));
    return false;
  }

  /** Emits the operation about an effect. Returns false if the turn has ended, or was left to another session. */
  private logEffect(
    { description, data, paths, before, after, code }: Omit<NotedEffect, 'isLogged'>,
    step: number,
  ): boolean {
    const { turn, ready } = this;
    if (turn.host.isLeft || (this.state !== 'running' && turn.current().liveTurn?.id !== turn.id))
      return false;
    turn.sink.emit(
      defined({
        type: 'effectRecorded',
        callId: ready.id,
        step,
        description,
        data,
        paths,
        before,
        after,
        irreversible: ready.tool.irreversible || code === null,
      }),
    );
    return true;
  }

  /** Resolves when the effect is stored. If the tool ignores a rejection, it is not reported. */
  private stored(isLogged: boolean): Promise<void> {
    const stored = isLogged ? this.barrier() : Promise.reject(cutError());
    stored.catch(() => {});
    return stored;
  }

  private async barrier(): Promise<void> {
    const barrier = this.turn.journal.barrier();
    if (!barrier) return;
    const { subscriber } = this;
    await new Promise<void>((resolve, reject) => {
      // If the call was cut before, this runs at once.
      subscriber.add(() => this.wasCut && reject(cutError()));
      barrier.then(resolve, (error: unknown) => {
        reject(error as Error);
        // The turn fails, and this call is aborted.
        subscriber.error(error);
      });
    });
  }

  private async finish(given: ToolResult): Promise<void> {
    const { turn, ready, subscriber } = this;
    this.returned();
    this.state = 'settled';
    turn.running.delete(ready.id);
    if (didWork(ready.tool, given)) turn.contextCache.changed(ready.tool.domain.id);
    if (!this.notes.isEmpty) {
      await turn.transaction.record(callRecordOf(this)).catch((error: unknown) => {
        throw toSessionError(error, 'undo-failed', 'The undo history could not record what was done.');
      });
    }
    const judging = judged(turn, ready, given, subscriber, (result) => {
      const { id } = ready.tool.domain;
      subscriber.next(this.settledFact(result, ready.tool.readOnly ? undefined : turn.revisions.latest(id)));
    });
    if (judging) await judging;
    subscriber.complete();
  }

  private timeOut(timeoutMs: number): void {
    if (this.state !== 'running') return;
    this.cut();
    this.subscriber.next(
      this.settledFact(textResult('timed-out', told.tooSlow(timeoutMs / 1000, this.ready.tool.readOnly))),
    );
    this.subscriber.complete();
  }

  /** Whether a plain cancel cuts the call as it runs now. An abort cuts every call. */
  private get isCutByCancel(): boolean {
    const { tool, runsDespiteCancel } = this.ready;
    // The tools of a child turn may finish after a plain cancel.
    return tool.abortable && !runsDespiteCancel && this.runs.keys.length === 0;
  }

  /** Called when the turn is cancelled, at either level. */
  private cancel(): void {
    this.cancelController?.abort();
    if (this.state !== 'running' || !this.isCutByCancel) return;
    this.cut();
    this.subscriber.complete();
  }

  /** Aborts the call: its time is up, the turn has ended, or a cancel applies to it. */
  private cut(): void {
    if (this.state !== 'running') return;
    this.state = 'cut';
    this.wasCut = true;
    this.controller?.abort();
    // The child turns of a turn that ends here have ended before. The child turns of a turn that is left have no end here.
    for (const child of this.turn.parts.children.open.values())
      if (child.callId === this.ready.id) child.stop();
  }

  /** Called when the executor of an aborted call returns. Takes the effect of the call back. */
  private async finishLate(result: ToolResult): Promise<void> {
    const { turn } = this;
    this.state = 'settled';
    // Another writer owns the session now, and decides about the effect.
    if (turn.journal.isFenced || turn.host.isLeft) return;
    this.returned();
    const { review } = turn.host.desk;
    const settle = () => settleLate(this, result);
    await (review === null ? settle() : review.inTurn(settle));
  }

  /** Returns the current revision of the tool's domain; undefined for a `readOnly` tool, which changes no domain. */
  private revisionNow(): Revision {
    const { tool } = this.ready;
    return tool.readOnly ? undefined : this.turn.revisions.now()[tool.domain.id];
  }

  /** Called when the executor has returned: stores the revision of the domain at that time. */
  private returned(): void {
    const { id, tool } = this.ready;
    this.change = { ...this.change, to: this.revisionNow() };
    if (!tool.readOnly) this.turn.revisions.returned(id, tool.domain.id, this.change.to);
  }

  /** @param revision the revision of the domain after the call; undefined for an aborted call */
  private settledFact(answered: ToolResult, revision?: Revision): TurnFact {
    const { turn, ready } = this;
    const result = withLines(answered, [...changeLines(ready), ...turn.parts.children.lines(ready.id)]);
    const { outcome } = result;
    const isDone = outcome === 'success' || outcome === 'stop';
    // A call that ran is not `rejected` or `interrupted`.
    return defined({
      type: isDone ? 'toolCompleted' : 'toolFailed',
      callId: this.ready.id,
      outcome,
      result,
      revision,
      budget: this.turn.spending.budget(),
    }) as TurnFact;
  }
}

/** Puts lines before the result of a call, so that the model reads with which arguments the call ran. */
function withLines(result: ToolResult, lines: readonly string[]): ToolResult {
  if (lines.length === 0) return result;
  return {
    ...result,
    content: [...lines.map((text) => ({ type: 'text', text }) as const), ...result.content],
  };
}

function cutError(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The call was cut before its effect was recorded.');
}
