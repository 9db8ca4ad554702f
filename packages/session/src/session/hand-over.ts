import { undoNotes } from '../state/undo-notes.js';
import { bindSteps } from '../undo/bind-steps.js';
import { acts, movesEffects, type ReceivedCommand } from './command-messages.js';
import type { OpenParts } from './open-parts.js';

/**
 * Whether a writer gives its log to the sender of a command, which then carries it out itself: when the writer is idle, so that tools run
 * where the user looks. A command that takes effects back stays where the code for that is.
 */
export function handsOver(command: ReceivedCommand, parts: OpenParts): boolean {
  if (!command.canMove || !acts(command) || !isIdle(parts)) return false;
  return !(movesEffects(command) && holdsClosures(parts));
}

/** Whether no work of the session would be cut, and nothing in it waits for its log. */
function isIdle({ core, host, lane }: OpenParts): boolean {
  const { queue, queuePaused } = core.current;
  const startsNext = queue.length > 0 && !queuePaused;
  return (
    lane.link.peek().saved && !lane.isCarryingOut && !lane.isBusy && !startsNext && host.runningCalls === 0
  );
}

/** Whether another session would have no code for an effect that this one can take back, or make again. */
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
