import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import { fromErrorData } from '../errors/to-session-error.js';
import type { Answer, Decision } from '../guards/confirmation.js';
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
import { Projection } from '../signals/projection.js';
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
    respond: (requestId: string, decision: Decision) => Answer,
  ) {
    const reportError = (error: unknown) => ports.reportError(error);
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

  /** Ends the stream; what is emitted afterwards reaches nobody. */
  close(): void {
    this.closed = true;
    this.stream.complete();
  }

  /** Stamps the fact itself: it was made for this, belongs to nobody else, and a copy is what most of a delta would cost. */
  private stamp(fact: TurnFact | SessionFact): { sequence: number; at: number; turnId?: string } {
    const operation = fact as unknown as { sequence: number; at: number; turnId?: string };
    operation.sequence = ++this.sequence;
    operation.at = this.ports.clock.now();
    return operation;
  }

  private emit(operation: Operation): Operation {
    if (this.closed) return operation;
    // State, messages and requests share what is below: a subscriber or a provider that edits it must not change them.
    if (!isDelta(operation.type)) deepFreeze(operation);
    const paced = isPaced(operation.type);
    if (paced) this.projection.hold();
    this.store.apply(operation);
    // Into the queue before anything is published: what an effect causes comes after it.
    this.stream.enqueue(operation);
    if (paced) this.projection.publishSoon();
    else this.projection.publish();
    this.stream.deliver();
    return operation;
  }
}
