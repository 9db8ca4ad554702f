import type { AgentSessionError, ErrorData } from './agent-session-error.js';
import { fromErrorData } from './to-session-error.js';

/** The error instances of the errors in a state, one for each. */
export class ErrorInstances {
  private readonly instances = new WeakMap<ErrorData, AgentSessionError>();

  /** Keeps the instance, with its cause, of an error in the state. */
  remember(data: ErrorData, error: AgentSessionError): void {
    this.instances.set(data, error);
  }

  /** Returns the instance of an error in the state: the one that was remembered, else one that is made of the data. */
  of(data: ErrorData): AgentSessionError {
    let error = this.instances.get(data);
    if (error === undefined) this.instances.set(data, (error = fromErrorData(data)));
    return error;
  }
}
