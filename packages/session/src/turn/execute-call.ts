import { from, Observable, type Subscriber } from 'rxjs';
import { isErrorOutcome, type ToolResult } from '../conversation/content.js';
import type { LateSettlement } from '../conversation/turn-record.js';
import { toSessionError } from '../errors/to-session-error.js';
import { defined } from '../json/defined.js';
import { jsonCopy } from '../json/json-copy.js';
import type { Budget } from '../operations/budget.js';
import type { TurnFact } from '../operations/operation.js';
import type { Moved } from '../operations/session-operations.js';
import type { Revision, ToolContext } from '../tools/tool.js';
import { resultOf, textResult, thrownResult } from '../tools/tool-result.js';
import { CallChanges, type RevisionChange } from '../undo/call-changes.js';
import type { CallEffects } from '../undo/turn-transaction.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import { EffectNotes } from './effect-notes.js';
import { editedLine } from './edited-line.js';
import type { Turn } from './turn-context.js';

/**
 * Runs one call, which gets exactly one result: its executor returns, throws, or runs out of time. When the turn ends first, the
 * call is cut. The effect of a call that was cut is taken back when its executor returns.
 */
export function executeCall(turn: Turn, call: BatchCall): Observable<TurnFact> {
  return new Observable((subscriber) => {
    const budget = turn.spending.nextTool();
    new Execution(turn, call, call.ready!, subscriber).start(budget);
  });
}

class Execution {
  private controller: AbortController | null = null;
  private readonly notes = new EffectNotes();
  private state: 'running' | 'settled' | 'cut' = 'running';
  /** The change of the domain since the call began: it ends when the executor returns. */
  private change: RevisionChange = { from: undefined, to: undefined };

  constructor(
    private readonly turn: Turn,
    private readonly call: BatchCall,
    private readonly ready: ReadyCall,
    private readonly subscriber: Subscriber<TurnFact>,
  ) {}

  start(budget: Budget): void {
    const { turn, ready, subscriber } = this;
    const { id, tool, arguments: args, editedFrom } = ready;
    const from = this.revisionNow();
    this.change = { from, to: from };
    subscriber.next(
      defined({
        type: 'toolStarted',
        callId: id,
        tool: tool.id,
        arguments: args,
        edited: editedFrom !== null,
        readOnly: tool.readOnly || undefined,
        revision: from,
        budget,
      }),
    );
    // A subscriber may end the turn at `toolStarted`.
    if (subscriber.closed) return;
    const writing = tool.replay === 'safe' ? undefined : turn.journal.barrier();
    if (writing === undefined) this.run();
    else this.runAfter(writing);
  }

  /** Waits until `toolStarted` is recorded, since the executor may act. When the turn ends first, `settle` closes the call. */
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
          this.run();
        },
        error: (error: unknown) => {
          // The calls that run beside this one may finish.
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
    const timeoutMs = tool.tool.timeoutMs ?? turn.settings.limits.toolTimeoutMs;
    subscriber.add(turn.ports.clock.schedule(() => this.timeOut(timeoutMs), timeoutMs));
    if (!tool.readOnly) turn.running.set(id, { toolCallId: id, toolName: tool.id, description: tool.id });
    const execute = async () => tool.tool.execute(ready.value as never, this.context());
    execute()
      .then(resultOf, thrownResult)
      .then(async (result) => {
        if (this.state === 'cut') await this.finishLate(result);
        else await this.finish(result);
      })
      .catch((error: unknown) => {
        if (subscriber.closed) turn.ports.reportError(error);
        else subscriber.error(error);
      });
  }

  private context(): ToolContext {
    const { turn, ready, notes } = this;
    const { id, tool } = ready;
    const signal = () => this.signal;
    return {
      get signal() {
        return signal();
      },
      callId: id,
      idempotencyKey: `${turn.id}-${id}`,
      revision: turn.revisions.of(tool.domain.id),
      progress: (patch) => {
        if (this.state !== 'running') return;
        try {
          this.subscriber.next({ type: 'toolProgress', callId: id, patch: jsonCopy(patch) });
        } catch (error) {
          turn.ports.reportError(error);
        }
      },
      undo: (entry) => this.note(() => notes.undo(entry)),
      irreversible: (description) => this.note(() => notes.irreversible(description)),
    };
  }

  /** Created when the tool reads it: many never do, and the controller would be the most expensive object of a call. */
  private get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.state === 'cut') this.controller.abort();
    return this.controller.signal;
  }

  /** Records an effect. A call that was cut may still do so; one whose executor has returned may not. */
  private note(add: () => void): void {
    const { turn, ready, notes } = this;
    if (this.state === 'settled') {
      turn.ports.reportError(new Error(`${ready.tool.id} recorded an effect after it had answered.`));
      return;
    }
    add();
    const running = turn.running.get(ready.id);
    const { description } = notes;
    if (running && description !== undefined) turn.running.set(ready.id, { ...running, description });
  }

  private async finish(result: ToolResult): Promise<void> {
    const { turn, ready, subscriber } = this;
    const change = this.returned();
    this.state = 'settled';
    turn.running.delete(ready.id);
    // A call with a result that cannot be used did its work all the same.
    const done = !isErrorOutcome(result.outcome) || result.outcome === 'unusable';
    if ((done && !ready.tool.readOnly) || !this.notes.isEmpty) {
      await turn.transaction.record(this.effects(change)).catch((error: unknown) => {
        throw toSessionError(error, 'undo-failed', 'The undo history could not record what was done.');
      });
    }
    subscriber.next(
      this.settledFact(result, ready.tool.readOnly ? undefined : turn.revisions.latest(ready.tool.domain.id)),
    );
    subscriber.complete();
  }

  private timeOut(timeoutMs: number): void {
    if (this.state !== 'running') return;
    this.cut();
    const text = `The tool did not answer within ${timeoutMs / 1000} seconds and was cut. It may have done part of its work.`;
    this.subscriber.next(this.settledFact(textResult('timed-out', text)));
    this.subscriber.complete();
  }

  /** Cuts the call: its time is up, or the turn ended. */
  private cut(): void {
    if (this.state !== 'running') return;
    this.state = 'cut';
    this.controller?.abort();
  }

  /** Is called when the executor of a call that was cut returns: takes its effect back. */
  private async finishLate(result: ToolResult): Promise<void> {
    const { turn, ready, notes } = this;
    this.state = 'settled';
    // The writer that owns the session now decides about the effect.
    if (turn.journal.isFenced) return;
    const succeeded = !isErrorOutcome(result.outcome) || result.outcome === 'unusable';
    const acted = (succeeded && !ready.tool.readOnly) || !notes.isEmpty;
    const change = this.returned();
    const { effect, moved } = acted ? await this.compensate(change) : { effect: 'none' as const, moved: {} };
    // Up to here, a report of the turn lists the effect as unknown.
    turn.running.delete(ready.id);
    turn.host.lateToolSettled({
      type: 'lateToolSettled',
      callId: ready.id,
      tool: ready.tool.id,
      target: turn.id,
      settlement: defined({
        outcome: succeeded ? 'succeeded' : 'failed',
        effect,
        description: notes.description,
      }),
      moved,
    });
  }

  private async compensate(
    change: RevisionChange,
  ): Promise<{ readonly effect: LateSettlement['effect']; readonly moved: Moved }> {
    const { transaction, undoStack } = this.turn;
    const { effect, before, after } = await transaction.compensate(this.effects(change));
    undoStack.rebase(before, after);
    const domain = this.ready.tool.domain.id;
    const [from, to] = [before[domain], after[domain]];
    return { effect, moved: from === undefined || to === undefined ? {} : { [domain]: { from, to } } };
  }

  /** Returns the revision of the tool's domain now; undefined for a `readOnly` tool, which changes none. */
  private revisionNow(): Revision {
    const { tool } = this.ready;
    return tool.readOnly ? undefined : this.turn.revisions.now()[tool.domain.id];
  }

  /** Is called when the executor has returned. Returns the change of the domain since the call began. */
  private returned(): RevisionChange {
    const { tool } = this.ready;
    this.change = { ...this.change, to: this.revisionNow() };
    if (!tool.readOnly) this.turn.revisions.returned(tool.domain.id, this.change.to);
    return this.change;
  }

  private effects(change: RevisionChange): CallEffects {
    const { turn, ready, notes } = this;
    const { id, tool } = ready;
    const domain = tool.domain.id;
    const changes = new CallChanges(() => turn.host.readRevisions()[domain], change);
    const limit = { clock: turn.ports.clock, revertTimeoutMs: turn.settings.limits.revertTimeoutMs };
    return { entry: notes.entry(id, tool, changes, limit), domain, changes, steps: notes.steps };
  }

  /** @param revision the revision of the domain after the call; undefined for a call that was cut */
  private settledFact(answered: ToolResult, revision?: Revision): TurnFact {
    const result = this.withEdit(answered);
    const { outcome } = result;
    const budget = this.turn.spending.budget();
    const callId = this.ready.id;
    if (outcome === 'success' || outcome === 'stop')
      return defined({ type: 'toolCompleted', callId, outcome, result, revision, budget });
    if (outcome === 'rejected') throw new Error('A call that ran cannot be rejected.');
    return defined({ type: 'toolFailed', callId, outcome, result, revision, budget });
  }

  /** Puts a line about the user's edit before the result of a call with edited arguments. */
  private withEdit(result: ToolResult): ToolResult {
    const { editedFrom, arguments: args } = this.ready;
    if (editedFrom === null) return result;
    return { ...result, content: [{ type: 'text', text: editedLine(editedFrom, args) }, ...result.content] };
  }
}
