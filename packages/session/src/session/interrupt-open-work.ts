import type { Clock } from '@banister/provider';
import { undoNotes } from '../state/undo-notes.js';
import { foldForeign } from '../log/fold-foreign.js';
import type { SessionCore } from './session-core.js';

/**
 * Ends the turn, undo or redo that the state shows as running, because no session can write its end: the log is gone. Effects stay as they
 * are.
 */
export function interruptOpenWork(core: SessionCore, clock: Pick<Clock, 'now'>, epoch: number): void {
  const { isRunning, sequence } = core.current;
  if (!isRunning) return;
  const revertible = undoNotes(core.current).flatMap(({ undo }) =>
    undo.calls.flatMap(({ callId, steps }) =>
      steps.filter(({ state }) => state !== 'lost').map(({ step }) => ({ callId, step })),
    ),
  );
  foldForeign(core, [
    { type: 'ownerChanged', epoch, reason: 'removed', revertible, sequence: sequence + 1, at: clock.now() },
  ]);
}
