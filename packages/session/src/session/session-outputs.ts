import { ErrorInstances } from '../errors/error-instances.js';
import type { Ports } from '../ports/ports.js';
import { Projection, type Attachments } from '../signals/projection.js';
import type { StateSource } from '../state/state-source.js';
import { OperationStream } from './operation-stream.js';

/** The ends of a session that its readers hold: signals and operations. They exist before the session has its state. */
export interface SessionOutputs {
  readonly projection: Projection;
  readonly stream: OperationStream;
  /** The instances of the errors in the state. */
  readonly errors: ErrorInstances;
}

/** Creates the outputs of a session, which show this state at first. */
export function createOutputs(
  source: StateSource,
  { scheduler, reportError }: Pick<Ports, 'scheduler' | 'reportError'>,
  { respond, words }: Pick<Attachments, 'respond' | 'words'>,
): SessionOutputs {
  const errors = new ErrorInstances();
  return {
    projection: new Projection(source, scheduler, { respond, errors, reportError, words }),
    stream: new OperationStream(reportError),
    errors,
  };
}
