import { Subscription } from 'rxjs';
import type { AgentSessionError, Provider } from '@banister/provider';
import { unexpectedFailure } from '@banister/provider/internal/errors/unexpected-failure';
import { defined } from '@banister/provider/internal/json/defined';
import { childrenOf } from '../conversation/child-turns.js';
import { nothingUndone, type UndoReport } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { limitsData, untouchedBudget } from '../limits/limits.js';
import { isTerminal, type Operation, type SessionFact, type TurnFact } from '../operations/operation.js';
import type { Observable } from '../operations/observable.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import { foldStateOf } from '../state/session-state.js';
import { findTurn } from '../state/tree.js';
import { runStages } from '../turn/run-stages.js';
import { createTurn, type FactSink, type MakeParts, type Turn } from '../turn/turn-context.js';
import { runTurn } from '../turn/turn.js';
import type { CancelLevels } from '../turn/cancellation.js';
import type { TurnRequest } from '../turn/turn-request.js';
import type { CancelOptions, CancelReport } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import { deferred } from '../operations/deferred.js';
import type { SessionCore } from './session-core.js';

/** How an interrupted turn goes on. */
export interface Resumption {
  readonly by: TurnResumed['by'];
  run(turn: Turn): Observable<TurnFact>;
}

/** The operation that ends a turn. */
export type Terminal = Extract<Operation, { type: 'completed' | 'stopped' | 'cancelled' | 'failed' }>;

/** The end of a turn. */
export interface TurnEnded {
  readonly terminal: Terminal;
  /** The write of the last operation; undefined if the journal has already written it. */
  readonly stored: Promise<void> | undefined;
}

/**
 * How far a turn is.
 * - `open`: it runs, or begins to. `turn` is undefined until `run`; for an interrupted turn it is set before the first operation
 * - `ending`: it ends before its stages run
 * - `over`: the last operation was emitted
 * - `left`: it has no end here
 */
type Stage =
  | { readonly at: 'open'; readonly turn?: Turn }
  | { readonly at: 'ending' | 'over' | 'left'; readonly turn?: undefined };

/** One turn of the session, from its first operation to its last. */
export class RunningTurn implements FactSink {
  private readonly end = deferred<TurnEnded>();
  private stage: Stage = { at: 'open' };
  /** Stops the stages of the turn when it is unsubscribed. Stages that begin later stop at once. */
  private readonly pipeline = new Subscription();

  /** @param ending called before the terminal operation is delivered, so that its subscribers see an idle session */
  constructor(
    private readonly core: SessionCore,
    readonly request: TurnRequest,
    private readonly makeParts: MakeParts,
    private readonly ending: () => void,
    /** Present for a turn that was interrupted. */
    private readonly resumption?: Resumption,
  ) {
    this.ended.catch(() => {});
  }

  /** Resolves with the end of the turn. Rejects when another writer owns the session, because then the turn has no last operation here. */
  get ended(): Promise<TurnEnded> {
    return this.end.promise;
  }

  /** Whether the turn emits nothing more. */
  private get isPast(): boolean {
    return this.stage.at === 'over' || this.stage.at === 'left';
  }

  /** The report of the turn as if it ended now: the effects taken back, the effects that stay, and the calls that still run. */
  get report(): UndoReport {
    return this.stage.turn?.transaction.soFar() ?? nothingUndone;
  }

  /**
   * Emits the first operation of the turn. If the clock throws, rethrows its error: then no operation was emitted, and an interrupted turn
   * stays as it is.
   *
   * @param before the facts that are emitted before the turn, see `PreparedTurn`
   */
  open(before: readonly SessionFact[]): void {
    const { id, input, from, parentId, retryOf, options, structured, settings, tools } = this.request;
    const domains = tools.notes.length === 0 ? undefined : tools.notes;
    if (this.resumption) {
      this.stage = { at: 'open', turn: createTurn(this.request, this, this.makeParts) };
      return this.core.startTurn(
        id,
        before,
        defined({ type: 'turnResumed', by: this.resumption.by, domains }),
      );
    }
    this.core.startTurn(
      id,
      before,
      defined({
        type: 'turnStarted',
        input,
        from,
        limits: limitsData(settings.limits),
        provider: { id: settings.provider.id, model: settings.provider.model },
        budget: untouchedBudget(settings.limits),
        parentId,
        retryOf,
        options,
        structured,
        domains,
      }),
    );
  }

  /** Runs the stages of the turn, unless a subscriber of its first operation has ended the turn. */
  run(): void {
    const { stage } = this;
    if (stage.at !== 'open') return;
    let turn: Turn;
    try {
      turn = stage.turn ?? createTurn(this.request, this, this.makeParts);
    } catch (error) {
      // A port of the app has thrown.
      this.fail(unexpectedFailure(error));
      return;
    }
    this.stage = { at: 'open', turn };
    this.pipeline.add(runStages(turn, this, this.resumption?.run ?? runTurn));
    this.pipeline.add(() => turn.transaction.discard());
  }

  /** Ends the turn as failed, before its stages run. */
  fail(error: AgentSessionError): void {
    this.endUnstarted(error);
  }

  /**
   * Cancels the turn. Has no effect after the turn has begun to commit or to roll back. Resolves with the report when the turn has ended;
   * the rejection of a turn without an end may be ignored.
   */
  cancel(options: CancelOptions = {}): Promise<CancelReport> {
    const { core, ended } = this;
    const { cancellation } = this.request;
    const { phase } = core.state;
    const report = ended.then(({ terminal }) =>
      cancelReport(phase, endedTurn(terminal.turnId, foldStateOf(core.state))),
    );
    report.catch(() => {});
    const fact = cancellation.request(options, phase);
    if (fact === null) return report;
    this.emit(fact);
    if (!this.stage.turn) this.endUnstarted(null);
    else cancellation.notify();
    return report;
  }

  /** Returns the provider of the turn, or of a child turn that runs. */
  providerOf(child: string | undefined): Provider {
    const open = child === undefined ? undefined : this.stage.turn?.parts.children.open.get(child);
    return open?.provider ?? this.request.settings.provider;
  }

  /** Cancels one child turn. Resolves with its report when it has ended. Returns undefined if no such child turn runs. */
  cancelChild(id: string, options: CancelLevels): Promise<CancelReport> | undefined {
    const { core, request } = this;
    const child = this.stage.turn?.parts.children.open.get(id);
    if (child === undefined) return undefined;
    const record = () =>
      childrenOf(findTurn(foldStateOf(core.state), request.id)!.turn).find((one) => one.id === id)!;
    const landed = record().phase;
    child.cancel(options);
    const isLate = landed === 'committing' || landed === 'rolling-back';
    return child.ended.then(() => {
      const report = cancelReport(landed, record());
      return isLate ? { ...report, cancelled: false } : report;
    });
  }

  /** Stops the turn without an end, because another session decides about it: running calls are aborted, and nothing is reverted. */
  leave(error: AgentSessionError): void {
    if (this.isPast) return;
    this.stage = { at: 'left' };
    this.ending();
    this.pipeline.unsubscribe();
    this.end.reject(error);
  }

  /** Ends a turn that has done nothing yet. Its message is appended to the conversation, like the message of every turn. */
  private endUnstarted(error: AgentSessionError | null): void {
    if (this.stage.at !== 'open') return;
    this.stage = { at: 'ending' };
    const { input, settings, cancellation, host } = this.request;
    const spent = { usage: null, rounds: 0, budget: untouchedBudget(settings.limits) };
    const kept = error === null && cancellation.sideEffects === 'keep';
    this.emit({ type: 'messagesAppended', messages: [input] });
    if (kept) {
      this.emit({ type: 'commitStarted', ending: { kind: 'cancelled' } });
      this.emit({
        type: 'committed',
        effects: [],
        unknown: [],
        undoable: false,
        redoable: false,
        domains: [],
        before: {},
        after: {},
      });
    } else {
      this.emit({ type: 'rollbackStarted' });
      this.emit({ type: 'rolledBack', report: nothingUndone, moved: {} });
    }
    if (error === null) this.emit({ type: 'cancelled', ...spent, report: kept ? null : nothingUndone });
    else {
      const data = error.toJSON();
      host.failedWith(data, error);
      this.emit({ type: 'failed', ...spent, error: data, report: nothingUndone });
    }
  }

  /** Emits a fact as an operation of the turn. Facts after the last fact are dropped. */
  emit(fact: TurnFact): void {
    if (this.isPast) return;
    const isPutDown = fact.type === 'turnPutDown';
    if (isPutDown || isTerminal(fact)) {
      this.stage = { at: isPutDown ? 'left' : 'over' };
      this.ending();
    }
    const operation = this.core.emitTurn(this.request.id, fact);
    if (isPutDown) this.end.reject(this.core.errors.of(fact.error));
    if (!isTerminal(operation)) return;
    const stored = this.core.journal?.end(this.core.state.lastOutcome);
    this.end.resolve({ terminal: operation, stored });
  }
}
