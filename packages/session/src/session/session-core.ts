import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import { fromErrorData } from '../errors/to-session-error.js';
import { deepFreeze } from '../json/json.js';
import {
  isDelta,
  isPaced,
  type Operation,
  type OperationType,
  type SessionFact,
  type TurnFact,
} from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import { Projection, type Attachments } from '../signals/projection.js';
import type { Handlers } from '../state/handlers.js';
import { outerHandlers } from '../state/outer-handlers.js';
import type { SessionState } from '../state/session-state.js';
import { StateStore } from '../state/state-store.js';
import { OperationStream } from './operation-stream.js';

/**
 * Where a fact becomes an operation: numbered and timed, folded into the state, published to signals, delivered to
 * subscribers, in this order. The only writer of all four.
 */
export class SessionCore {
  readonly stream: OperationStream;
  readonly projection: Projection;
  private readonly store: StateStore;
  private readonly errors = new WeakMap<ErrorData, AgentSessionError>();
  private sequence = 0;
  private closed = false;

  constructor(
    private readonly ports: Ports,
    initial: SessionState,
    respond: Attachments['respond'],
  ) {
    const reportError = (error: unknown) => this.reportError(error);
    this.stream = new OperationStream(reportError);
    this.store = new StateStore(initial, outerHandlers);
    this.projection = new Projection(this.store, ports.scheduler, {
      respond,
      errorOf: (data) => this.errorOf(data),
      reportError,
    });
  }

  get state(): SessionState {
    return this.store.snapshot();
  }

  /** The code of turns is there, and what folds its operations with it. */
  learn(handlers: Partial<Handlers<OperationType>>): void {
    this.store.learn(handlers);
  }

  emitTurn(turnId: string, fact: TurnFact): Operation {
    const operation = this.stamp(fact);
    operation.turnId = turnId;
    return this.emit(operation as Operation);
  }

  emitSession(fact: SessionFact): void {
    this.emit(this.stamp(fact) as Operation);
  }

  /** Folds a fact that is published and delivered together with the next one. */
  fold(fact: SessionFact): void {
    if (!this.closed) this.take(this.stamp(fact) as Operation);
  }

  /** Keeps the error instance, with its cause, that stands behind an error in the state. */
  remember(data: ErrorData, error: AgentSessionError): void {
    this.errors.set(data, error);
  }

  errorOf(data: ErrorData): AgentSessionError {
    let error = this.errors.get(data);
    if (error === undefined) {
      error = fromErrorData(data);
      this.errors.set(data, error);
    }
    return error;
  }

  reportError(error: unknown): void {
    this.ports.reportError(error);
  }

  /** Ends the stream; facts that arrive afterwards are dropped. */
  close(): void {
    this.closed = true;
    this.stream.complete();
  }

  /** Stamps the fact itself: it is made for this one call, and copying it would be most of what a delta costs. */
  private stamp(fact: TurnFact | SessionFact): { sequence: number; at: number; turnId?: string } {
    const operation = fact as unknown as { sequence: number; at: number; turnId?: string };
    operation.sequence = ++this.sequence;
    operation.at = this.ports.clock.now();
    return operation;
  }

  private emit(operation: Operation): Operation {
    if (this.closed) return operation;
    const { projection, stream } = this;
    const paced = isPaced(operation.type);
    if (paced) projection.hold();
    this.take(operation);
    if (paced) projection.publishPaced();
    else projection.publish();
    stream.deliver();
    return operation;
  }

  /** Into the state and the queue in one step: an operation that an effect or a subscriber causes comes after it. */
  private take(operation: Operation): void {
    // State, messages and requests share its objects: a provider or a subscriber that edits them must not change history.
    if (!isDelta(operation.type)) deepFreeze(operation);
    this.store.apply(operation);
    this.stream.enqueue(operation);
  }
}
