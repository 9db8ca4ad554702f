import type { CancelOptions } from './agent-session.js';
import type { HeldTurn } from './held-turn.js';
import { withoutFiles } from './read-input.js';
import type { SessionParts } from './here-line.js';
import type { LocalLine } from './session-handle.js';

/** The methods of a session for turns that were sent before the session was open. */
export interface HeldTurns {
  /**
   * Starts a turn that was sent before the session was open. If the turn has already ended, begins to record it. If interrupted work has to
   * end first, returns a promise for which the next calls have to wait.
   */
  beginHeld(turn: HeldTurn): Promise<void> | void;
  /**
   * Ends the recording of a turn that has ended.
   *
   * @param cancel the options of the session's `cancel`, which is called if this turn could not begin
   */
  endHeld(turn: HeldTurn, cancel?: CancelOptions): void;
}

/** Returns the methods of a session for turns that were sent before the session was open. */
export function heldTurns(
  { lane, commands, runner }: Pick<SessionParts, 'lane' | 'commands' | 'runner'>,
  line: LocalLine,
): HeldTurns {
  return {
    beginHeld(turn) {
      const { sent, input, ids, record, stage } = turn;
      const { end } = stage;
      // A message whose files were not read is not recorded.
      const isRecorded = end !== null && record !== null;
      const begin = () => {
        // The turn has its first operation now, or is refused.
        stage.hide();
        if (end === null) return sent.begin(line, [input, sent.options, ids]);
        // The signal is left out, because it may have fired.
        const options = { ...sent.options, signal: undefined };
        try {
          // A session that owns the log elsewhere has its own turns.
          if (!isRecorded || lane.wayOf('send') !== 'begin') return;
          const running = runner.open(runner.prepare(withoutFiles(input), options, ids));
          turn.stage = { ...stage, end, running };
        } catch {
          // The turn could not have begun: its options are wrong, or an earlier call runs a turn.
        }
      };
      if (!isRecorded || lane.at !== 'interrupted') return begin();
      // A turn that is sent abandons interrupted work first, unless that work waits for its model.
      return commands.interrupted('abandon').then(begin, begin);
    },
    endHeld({ stage }, cancel) {
      if (stage.end === null || !stage.running) {
        if (cancel && lane.isHere) line.call('cancel', [cancel]).catch(() => {});
      } else if ('error' in stage.end) stage.running.fail(stage.end.error);
      else void stage.running.cancel(stage.end.cancel);
    },
  };
}
