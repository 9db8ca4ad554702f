import type { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import { isPaced, type Operation, type SessionFact, type TurnFact } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { Projection } from '../signals/projection.js';
import type { FoldState, SessionState } from '../state/session-state.js';
import type { ShownState } from '../state/shown-state.js';
import { StateStore } from '../state/state-store.js';
import { Arrivals } from './arrivals.js';
import type { OperationStream } from './operation-stream.js';
import type { SessionJournal } from '../log/session-journal.js';
import type { SessionOutputs } from './session-outputs.js';

interface CoreOptions {
  readonly journal?: SessionJournal | undefined;
}

/**
 * Makes operations of facts. It gives each fact a number and a time, folds it into the state, publishes the signals and delivers the
 * operation to subscribers, in this order. No other class writes any of these four.
 */
export class SessionCore {
  /** undefined for a session without a journal. */
  readonly journal: SessionJournal | undefined;
  readonly stream: OperationStream;
  readonly projection: Projection;
  readonly errors: ErrorInstances;
  readonly store: StateStore;
  readonly shown: ShownState;
  /** The commands of other sessions that this session carries out now. */
  readonly arrivals = new Arrivals();

  constructor(
    private readonly ports: Ports,
    initial: SessionState,
    { shown, stream, projection, errors }: SessionOutputs,
    { journal }: CoreOptions = {},
  ) {
    this.journal = journal;
    this.store = new StateStore(initial);
    this.errors = errors;
    this.stream = stream;
    this.projection = projection;
    this.shown = shown;
  }

  /** The state as the operations make it. */
  get state(): SessionState {
    return this.store.snapshot();
  }

  /** The state for readers, including turns that have no operation yet. */
  get shownState(): SessionState {
    return this.shown.snapshot();
  }

  /** The current state without a copy. It may be read until the next fact is emitted, and must not be kept. */
  get current(): FoldState {
    return this.store.current;
  }

  /** Replaces the state with a state that was read from a log. The next operation publishes it, or `publish`. */
  replace(state: SessionState): void {
    this.store.replace(state);
  }

  /** Publishes changes that no operation made. */
  publish(): void {
    this.projection.publish(false);
  }

  /** From now on readers see the state of this core. */
  showState(): void {
    this.shown.readFrom(this.store);
    this.publish();
  }

  /**
   * Shows a turn that has no operation yet: it is running, in its first phase. Returns the function that stops showing it, from the next
   * publication on.
   */
  showStart(): () => void {
    const hide = this.shown.show(null);
    this.publish();
    return hide;
  }

  /** Emits a fact of a turn. The fact object becomes the operation, so it must be a new object. */
  emitTurn(turnId: string, fact: TurnFact): Operation {
    this.emitBegun();
    return this.emit(this.stamp(fact, turnId));
  }

  /** Emits a fact of the session. The fact object becomes the operation. */
  emitSession(fact: SessionFact): void {
    if (this.isAttached(fact)) return;
    this.emitBegun();
    this.arrivals.link(fact);
    this.emit(this.stamp(fact));
  }

  /** Emits `commandBegan` for the commands of other sessions that begin now. They are delivered with the operation that follows. */
  private emitBegun(): void {
    if (this.arrivals.running.size === 0 || this.isClosed) return;
    for (const fact of this.arrivals.begun(this.current)) this.take(this.stamp(fact));
  }

  /**
   * Emits facts of the session and then the first fact of a turn. They are published and delivered together, so that a subscriber that
   * reacts to any of them sees a running turn. If the clock throws, rethrows its error: then no fact is folded.
   */
  startTurn(turnId: string, before: readonly SessionFact[], first: TurnFact): void {
    this.arrivals.link(first);
    const earlier = [...this.arrivals.begun(this.current), ...before]
      .filter((fact) => !this.isAttached(fact))
      .map((fact, ahead) => this.stamp(fact, undefined, ahead));
    const operation = this.stamp(first, turnId, earlier.length);
    if (this.isClosed) return;
    for (const one of earlier) this.take(one);
    this.emit(operation);
  }

  /**
   * Returns true if a fact attaches content that the session already has, because another message with the same content was read at the
   * same time and came first.
   */
  private isAttached(fact: SessionFact): boolean {
    return fact.type === 'attached' && Object.hasOwn(this.current.attachments, fact.id);
  }

  reportError(error: unknown): void {
    this.ports.reportError(error);
  }

  /** Completes the stream. Facts that arrive later are dropped. */
  close(): void {
    this.stream.complete(() => this.projection.close());
  }

  /**
   * Makes the operation out of the fact object itself. A copy would take most of the time of a delta.
   *
   * @param ahead the number of earlier operations that are not folded yet
   */
  private stamp(fact: TurnFact | SessionFact, turnId?: string, ahead = 0): Operation {
    const operation: { readonly type: string; sequence?: number; at?: number; turnId?: string } = fact;
    operation.at = this.ports.clock.now();
    operation.sequence = this.store.sequence + ahead + 1;
    if (turnId !== undefined) operation.turnId = turnId;
    return operation as Operation;
  }

  /** True after the session is disposed, or another writer owns it. */
  private get isClosed(): boolean {
    return this.stream.isComplete || this.journal?.isFenced === true;
  }

  private emit(operation: Operation): Operation {
    if (this.isClosed) return operation;
    const { projection, stream } = this;
    const paced = isPaced(operation);
    projection.hold(paced);
    this.take(operation);
    projection.publish(paced);
    stream.deliver();
    return operation;
  }

  /**
   * Folds an operation, queues it and passes it to the journal synchronously. So operations that effects or subscribers cause come after
   * this operation everywhere.
   */
  private take(operation: Operation): void {
    this.store.apply(operation);
    this.stream.enqueue(operation);
    this.journal?.take(operation);
  }
}
