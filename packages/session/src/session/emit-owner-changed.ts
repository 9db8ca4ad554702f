import type { OwnerChanged } from '../operations/session-operations.js';
import { bindSteps } from '../undo/bind-steps.js';
import { undoNotes } from '../state/undo-notes.js';
import type { OpenParts } from './open-parts.js';

/** Emits the fact that the session owns the log from which its state was read, with the effects that this session can still take back. */
export function emitOwnerChanged(
  { core, host, options }: Pick<OpenParts, 'core' | 'host' | 'options'>,
  owner: Pick<OwnerChanged, 'epoch' | 'reason'>,
): void {
  host.shared?.undoStack.forget();
  host.putDown = null;
  const revertible = bindSteps(undoNotes(core.current), host.tools(), options.history);
  core.emitSession({ type: 'ownerChanged', ...owner, revertible });
}
