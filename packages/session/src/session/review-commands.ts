import { nothingUndone, type UndoReport } from '../conversation/turn-record.js';
import { checked } from '../errors/checked.js';
import { filled, list, only, optional } from '../json/shape.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { SessionCore } from './session-core.js';
import type { TurnRunner } from './turn-runner.js';

/** The parts of a session that decide about effects under review. */
export interface ReviewParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly runner: TurnRunner;
}

const idsShape = only({ ids: optional(list(filled)) });

/**
 * Decides about effects under review: of a running turn, or of one that was interrupted.
 *
 * @param reopen opens the review of an interrupted turn again
 */
export async function decide(
  parts: ReviewParts,
  decision: 'accept' | 'reject',
  ids: readonly string[] | undefined,
  reopen: () => Promise<void>,
): Promise<UndoReport> {
  const { core, host } = parts;
  checked(idsShape, { ids }, `The ids of ${decision}`);
  if (core.current.interrupted?.at === 'review') await reopen();
  const { review } = host;
  return review === null ? nothingUndone : decided(parts, review.decide(decision, ids));
}

/** Resolves with the report of a decision; after the end of its turn where it was the last one. */
async function decided(
  { core, host, runner }: ReviewParts,
  deciding: Promise<UndoReport>,
): Promise<UndoReport> {
  const { ended } = runner;
  const report = await new Promise<UndoReport>((resolve, reject) => {
    deciding.then(resolve, reject);
    // Another session decides about the turn.
    ended.catch(reject);
  });
  if (host.review !== null) return report;
  const terminal = await ended;
  if (terminal?.type === 'failed') throw core.errors.of(terminal.error);
  return report;
}
