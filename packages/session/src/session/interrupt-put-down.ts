import { emitOwnerChanged } from './emit-owner-changed.js';
import type { LoggedParts } from './open-parts.js';
import { reactToInterruption } from './react-to-interruption.js';

/**
 * Makes the turn that was put down an interrupted turn, because the log takes writes again. The option `onInterrupted` then decides about the
 * turn. If the turn was cancelled, its effects are taken back. A turn that waits for its model was not put down, and goes on waiting.
 */
export function interruptPutDown(parts: LoggedParts, epoch: number): void {
  const { core, host, lane, options } = parts;
  const { liveTurn, fold } = core.current;
  if (liveTurn === null || lane.isBusy || host.putDown !== null) return;
  emitOwnerChanged(parts, { epoch, reason: 'unsaved' });
  // Resuming a cancelled turn takes its effects back.
  reactToInterruption(parts, fold.turn?.cancel ? 'resume' : options.onInterrupted);
}
