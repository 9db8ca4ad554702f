import type { ShownTurns } from '../state/shown-turns.js';
import type { CancelOptions } from './agent-session.js';
import type { HeldTurn } from './held-turn.js';
import { withoutFiles } from './read-input.js';
import type { SessionMethods, SessionParts } from './session-methods.js';

/** The methods of a session for turns that were sent before it was open. */
export interface HeldTurns {
  /**
   * Starts a turn that was sent before the session was open; one that has ended begins to be recorded. Returns a promise where calls behind it have to
   * wait for the end of interrupted work.
   *
   * @param hide returns the turns that are shown from now on
   */
  beginHeld(turn: HeldTurn, hide: () => ShownTurns | null): Promise<void> | void;
  /**
   * Ends a turn that is recorded.
   *
   * @param cancel of the session, which ends another turn where this one could not begin
   */
  endHeld(turn: HeldTurn, cancel?: CancelOptions): void;
}

/** Returns the methods of a session for turns that were sent before it was open. */
export function heldTurns(
  { lane, core, commands, runner }: Pick<SessionParts, 'lane' | 'core' | 'commands' | 'runner'>,
  methods: SessionMethods,
): HeldTurns {
  return {
    beginHeld(turn, hide) {
      const { sent, input, ids, end, record } = turn;
      // A message whose files were not read is in no record.
      const isRecorded = end !== null && record !== null;
      const begin = () => {
        core.show(hide());
        if (end === null) return sent.begin(methods, [input, sent.options, ids]);
        // Its signal may have fired.
        const options = { ...sent.options, signal: undefined };
        try {
          // The session that owns the log has its own turns.
          if (!isRecorded || lane.wayOf('send') !== 'begin') return;
          turn.running = runner.open(runner.prepare(withoutFiles(input), options, ids));
        } catch {
          // It could not have begun: its options are wrong, or an earlier call runs a turn.
        }
      };
      if (!isRecorded || lane.at !== 'interrupted') return begin();
      // As each turn that is sent.
      return commands.interrupted('abandon').then(begin, begin);
    },
    endHeld({ end, running }, cancel) {
      if (!running) {
        if (cancel && lane.isHere) methods.cancel(cancel).catch(() => {});
      } else if ('error' in end!) running.fail(end.error);
      else running.cancel(end!.cancel);
    },
  };
}
