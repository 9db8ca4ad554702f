import { undoNotes } from '../state/undo-notes.js';
import { bindSteps } from '../undo/bind-steps.js';
import { acts, movesEffects, type ReceivedCommand } from './command-messages.js';
import type { OpenParts } from './open-parts.js';

/**
 * Returns true if a writer gives its log to the sender of a command, which then carries out the command itself. An idle writer does so, so
 * that tools run in the page that the user looks at. If effects are to be taken back, or a turn waits for its model, the writer keeps the
 * log, unless the other session can take the effects back too.
 */
export function handsOver(command: ReceivedCommand, parts: OpenParts): boolean {
  if (!command.canMove || !acts(command) || !isIdle(parts)) return false;
  const needsEffects = movesEffects(command) || parts.host.putDown !== null;
  return !(needsEffects && holdsClosures(parts));
}

/** Returns true if a hand-over would interrupt no work of the session, and nothing waits for the log. */
function isIdle({ core, host, lane }: OpenParts): boolean {
  const { queue, queuePaused } = core.current;
  const startsNext = queue.length > 0 && !queuePaused;
  return (
    lane.link.peek().saved && !lane.isCarryingOut && !lane.isBusy && !startsNext && host.runningCalls === 0
  );
}

/** Returns true if this session can take back or make again an effect for which another session would have no code. */
function holdsClosures({ core, host, options }: OpenParts): boolean {
  const notes = undoNotes(core.current);
  const keyOf = (callId: string, step: number) => `${callId} ${step}`;
  const bound = new Set(
    bindSteps(notes, host.tools(), options.history).map(({ callId, step }) => keyOf(callId, step)),
  );
  return notes.some(({ undo }) =>
    undo.calls.some(({ callId, steps }) =>
      steps.some(
        ({ step, state, irreversible }) =>
          !irreversible && state !== 'lost' && !bound.has(keyOf(callId, step)),
      ),
    ),
  );
}
