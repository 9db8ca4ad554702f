import { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import type { Ports } from '../ports/ports.js';
import { Projection, type Attachments } from '../signals/projection.js';
import type { SessionState } from '../state/session-state.js';
import { ShownState } from '../state/shown-state.js';
import { OperationStream } from './operation-stream.js';

/** The parts of a session that its readers use: signals and operations. They exist before the session has its state. */
export interface SessionOutputs {
  /** The state that readers see. */
  readonly shown: ShownState;
  readonly projection: Projection;
  readonly stream: OperationStream;
  /** The error instances for the errors in the state. */
  readonly errors: ErrorInstances;
}

/** Creates the outputs of a session. At first they show the state of a new session. */
export function createOutputs(
  empty: SessionState,
  { scheduler, reportError }: Pick<Ports, 'scheduler' | 'reportError'>,
  { respond, words }: Pick<Attachments, 'respond' | 'words'>,
): SessionOutputs {
  const errors = new ErrorInstances();
  const shown = new ShownState(empty);
  return {
    shown,
    projection: new Projection(shown, scheduler, { respond, errors, reportError, words }),
    stream: new OperationStream(reportError),
    errors,
  };
}
