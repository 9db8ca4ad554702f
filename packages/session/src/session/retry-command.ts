import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { TurnRecord } from '../conversation/turn-record.js';
import { moveTo } from '../state/tree.js';
import type { SendOptions, TurnResult } from './agent-session.js';
import { abandonInterrupted, type BranchParts } from './branch-parts.js';

/** Repeats the last turn, see `AgentSession.retry`. */
export async function retry(parts: BranchParts, options: SendOptions = {}): Promise<TurnResult> {
  const { core, runner, lane, release } = parts;
  const { liveTurn } = core.current;
  if ((liveTurn ?? core.state.turns.at(-1))?.structured !== undefined)
    throw new AgentSessionError(
      'unsupported',
      'retry() does not repeat a turn of generate(): call generate() again.',
    );
  // If the turn cannot be repeated, this throws before the turn is abandoned.
  if (liveTurn !== null) runner.retrySettings(liveTurn, options);
  // Nothing is awaited without interrupted work, so that the turn begins synchronously.
  if (core.current.interrupted !== null) await abandonInterrupted(parts);
  const last = core.state.turns.at(-1);
  if (!isRetryable(last))
    throw new AgentSessionError('nothing-to-retry', 'The last turn neither failed nor was cancelled.');
  release();
  lane.wayOf('retry');
  return runner.start(runner.prepareRetry(last, options, moveTo(last.parentId, core.current)));
}

function isRetryable(turn: TurnRecord | undefined): turn is TurnRecord {
  return turn?.status === 'failed' || turn?.status === 'cancelled';
}
