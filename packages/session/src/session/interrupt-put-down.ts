import { emitOwnerChanged } from './emit-owner-changed.js';
import type { OpenParts } from './open-parts.js';
import { reactToInterruption } from './react-to-interruption.js';

/**
 * Makes the turn that was put down an interrupted turn, because the log takes writes again. The turn then ends as the option `onInterrupted`
 * says. If the turn was cancelled, its effects are taken back.
 */
export function interruptPutDown(parts: Omit<OpenParts, 'opened'>, epoch: number): void {
  const { core, lane, options } = parts;
  const { liveTurn, fold } = core.current;
  if (liveTurn === null || lane.isBusy) return;
  emitOwnerChanged(parts, { epoch, reason: 'unsaved' });
  // To go on with a cancelled turn is to take it back.
  reactToInterruption(parts, fold.turn?.cancel ? 'resume' : options.onInterrupted);
}
