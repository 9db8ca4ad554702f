import type { AgentSessionError, ErrorData } from './agent-session-error.js';
import { fromErrorData } from './to-session-error.js';

/** The error instances for the errors in a state, one instance per error. */
export class ErrorInstances {
  private readonly instances = new WeakMap<ErrorData, AgentSessionError>();

  /** Stores the instance of an error in the state, with its cause. */
  remember(data: ErrorData, error: AgentSessionError): void {
    this.instances.set(data, error);
  }

  /** Returns the instance of an error in the state: the stored instance, or else a new instance from the data. */
  of(data: ErrorData): AgentSessionError {
    let error = this.instances.get(data);
    if (error === undefined) this.instances.set(data, (error = fromErrorData(data)));
    return error;
  }
}
