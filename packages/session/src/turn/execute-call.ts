import type { ToolResult } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { isErrorOutcome } from '@banister/provider/internal/messages/content';
import * as told from '../conversation/model-words.js';
import { from, Observable, type Subscriber } from 'rxjs';
import type { LateSettlement, UndoItem } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { Budget } from '../operations/budget.js';
import { movedOf, type Moved } from '../operations/moved.js';
import type { TurnFact } from '../operations/operation.js';
import { warn } from '../ports/warn.js';
import { isAccepted } from '../state/open-report.js';
import { effectsOf } from '../state/undo-notes.js';
import { hasData } from '../tools/check-undo.js';
import type { Revision, ToolContext } from '../tools/tool.js';
import { resultOf, textResult, thrownResult } from '../tools/tool-result.js';
import type { RevisionChange } from '../undo/call-changes.js';
import { differing } from '../undo/revisions.js';
import type { CallRecord } from '../undo/live-call.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import { EffectNotes, type NotedEffect } from './effect-notes.js';
import { changeLines } from './edited-line.js';
import { judged, toldOf } from './doors.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { Turn } from './turn-context.js';

/**
 * Runs one call, which gets exactly one result: its executor returns, throws, or times out. When the turn ends first, the call is aborted.
 * The effect of an aborted call is taken back when its executor returns.
 */
export function executeCall(turn: Turn, call: BatchCall): Observable<TurnFact> {
  return new Observable((subscriber) => {
    const budget = turn.spending.nextTool();
    new Execution(turn, call, call.ready!, subscriber).start(budget);
  });
}

class Execution {
  private controller: AbortController | null = null;
  private cancelController: AbortController | null = null;
  private readonly notes: EffectNotes;
  private state: 'running' | 'settled' | 'cut' = 'running';
  /** Whether the call was aborted. It stays true after the executor has returned. */
  private wasCut = false;
  /** The revisions of the domain at the start of the call and at the return of its executor. */
  private change: RevisionChange = { from: undefined, to: undefined };

  constructor(
    private readonly turn: Turn,
    private readonly call: BatchCall,
    private readonly ready: ReadyCall,
    private readonly subscriber: Subscriber<TurnFact>,
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
    if (!ready.runsDespiteCancel) subscriber.add(turn.cancellation.onCancelled(() => this.cancel()));
    if (this.call.isInterrupted) this.takeOver();
    const timeoutMs = tool.tool.timeoutMs ?? turn.settings.limits.toolTimeoutMs;
    subscriber.add(turn.ports.clock.schedule(() => this.timeOut(timeoutMs), timeoutMs));
    if (!tool.readOnly) turn.running.set(id, { item: this.item(), record: () => this.record() });
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
        if (this.didWork(result)) this.notes.addUndescribed();
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
    notes.begin(this.logged()?.steps ?? []);
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
      unattributed: (paths) => {
        if (this.state !== 'running' || paths.length === 0) return;
        this.subscriber.next({ type: 'changesUnattributed', callId: id, paths: [...paths].map(String) });
      },
    };
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
    const { signal } = this;
    await new Promise<void>((resolve, reject) => {
      const cut = () => reject(cutError());
      if (signal.aborted) cut();
      signal.addEventListener('abort', cut, { once: true });
      const end = () => signal.removeEventListener('abort', cut);
      barrier.then(
        () => {
          end();
          resolve();
        },
        (error: unknown) => {
          end();
          // The turn fails, and this call is aborted.
          this.subscriber.error(error);
          reject(error);
        },
      );
    });
  }

  private async finish(given: ToolResult): Promise<void> {
    const { turn, ready, subscriber } = this;
    this.returned();
    this.state = 'settled';
    turn.running.delete(ready.id);
    if (this.didWork(given)) turn.contextCache.changed(ready.tool.domain.id);
    if (!this.notes.isEmpty) {
      await turn.transaction.record(this.record()).catch((error: unknown) => {
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

  /** Called when the turn is cancelled, at either level. */
  private cancel(): void {
    this.cancelController?.abort();
    if (this.state !== 'running' || !this.ready.tool.abortable) return;
    this.cut();
    this.subscriber.complete();
  }

  /** Aborts the call: its time is up, the turn has ended, or a cancel applies to it. */
  private cut(): void {
    if (this.state !== 'running') return;
    this.state = 'cut';
    this.wasCut = true;
    this.controller?.abort();
  }

  /** Called when the executor of an aborted call returns. Takes the effect of the call back. */
  private async finishLate(result: ToolResult): Promise<void> {
    const { turn } = this;
    this.state = 'settled';
    // Another writer owns the session now, and decides about the effect.
    if (turn.journal.isFenced || turn.host.isLeft) return;
    this.returned();
    const { review } = turn.host.desk;
    await (review === null ? this.settleLate(result) : review.inTurn(() => this.settleLate(result)));
  }

  private async settleLate(result: ToolResult): Promise<void> {
    const { turn, ready } = this;
    const { effect, moved } = await this.compensated();
    // Until here, a report of the turn lists the effect as unknown.
    turn.running.delete(ready.id);
    if (this.didWork(result)) turn.contextCache.changed(ready.tool.domain.id);
    turn.host.emit({
      type: 'lateToolSettled',
      callId: ready.id,
      tool: ready.tool.id,
      target: turn.id,
      settlement: defined({
        outcome: isSuccess(result) ? 'succeeded' : 'failed',
        effect,
        description: this.lateDescription(effect),
      }),
      moved,
    });
  }

  /** Returns true if the call changed something, even if the tool recorded no effect. */
  private didWork(result: ToolResult): boolean {
    return isSuccess(result) && !this.ready.tool.readOnly;
  }

  /** Takes the effects of the call back, unless the user has accepted them. */
  private async compensated(): Promise<{ effect: LateSettlement['effect']; moved: Moved }> {
    const { turn, ready, notes } = this;
    if (notes.isEmpty) return { effect: 'none', moved: {} };
    if (isAccepted(turn.current(), turn.id, ready.id)) return { effect: 'kept', moved: {} };
    const { effect, before, after } = await turn.transaction.compensate(this.record());
    const domains = new Set([this.ready.tool.domain.id, ...differing(before, after)]);
    return { effect, moved: movedOf([...domains], before, after) };
  }

  /** Returns the current revision of the tool's domain; undefined for a `readOnly` tool, which changes no domain. */
  private revisionNow(): Revision {
    const { tool } = this.ready;
    return tool.readOnly ? undefined : this.turn.revisions.now()[tool.domain.id];
  }

  /** Returns the tool's descriptions of its effects. If some effects could not be taken back, returns only their descriptions. */
  private lateDescription(effect: LateSettlement['effect']): string | undefined {
    const { notes } = this;
    if (effect !== 'revert-failed' || notes.description === undefined) return notes.description;
    const logged = this.logged();
    const left = notes.effects.filter((_, index) => logged?.steps[index]?.state !== 'reverted');
    return left.map(({ description }) => description).join('; ') || notes.description;
  }

  /** Called when the executor has returned: stores the revision of the domain at that time. */
  private returned(): void {
    const { id, tool } = this.ready;
    this.change = { ...this.change, to: this.revisionNow() };
    if (!tool.readOnly) this.turn.revisions.returned(id, tool.domain.id, this.change.to);
  }

  private item(): UndoItem {
    const { id, tool } = this.ready;
    const description = this.notes.description ?? tool.tool.title ?? tool.id;
    return { toolCallId: id, toolName: tool.id, description };
  }

  /** Returns the effects of the call from the log. */
  private logged(): CallEffects | undefined {
    const { turn, ready } = this;
    return effectsOf(turn.current(), turn.id).find(({ callId }) => callId === ready.id);
  }

  private record(): CallRecord {
    const { ready, notes, change } = this;
    const { tool } = ready;
    const logged = this.logged();
    return {
      item: this.item(),
      domain: tool.domain.id,
      change,
      irreversible: tool.irreversible || notes.hasIrreversible,
      steps: notes.effects.map(({ code, data, isLogged }, index) => {
        // After the end of the turn, the log does not keep an effect that the user rejected.
        const { state, moves = 0 } = logged?.steps[index] ?? { state: 'reverted', moves: 1 };
        const isReverted = isLogged && state === 'reverted';
        // The user rejected the effect before its call returned, and the call may have acted afterwards. Undo data, unlike closures, can be
        // used a second time.
        return {
          code,
          moves,
          isLogged: isLogged && !isReverted,
          isInEffect: !isReverted || data !== undefined,
        };
      }),
    };
  }

  /** @param revision the revision of the domain after the call; undefined for an aborted call */
  private settledFact(answered: ToolResult, revision?: Revision): TurnFact {
    const result = withLines(answered, changeLines(this.ready));
    const { outcome } = result;
    const budget = this.turn.spending.budget();
    const callId = this.ready.id;
    if (outcome === 'success' || outcome === 'stop')
      return defined({ type: 'toolCompleted', callId, outcome, result, revision, budget });
    if (outcome === 'rejected' || outcome === 'interrupted')
      throw new Error(`A call that ran cannot be ${outcome}.`);
    return defined({ type: 'toolFailed', callId, outcome, result, revision, budget });
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

/** Returns true if the call did its work. A call with an unusable result did its work too. */
function isSuccess({ outcome }: ToolResult): boolean {
  return !isErrorOutcome(outcome) || outcome === 'unusable';
}

function cutError(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The call was cut before its effect was recorded.');
}
