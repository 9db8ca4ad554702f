import { checked } from '@banister/provider/internal/errors/checked';
import { filled, list, only, optional } from '@banister/provider/internal/json/shape';
import { nothingUndone, type UndoReport } from '../conversation/turn-record.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { SessionCore } from '../session/session-core.js';
import type { TurnRunner } from '../session/turn-runner.js';

/** The parts of a session that decisions about effects under review need. */
interface ReviewParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly runner: TurnRunner;
  /** Opens the review of an interrupted turn again. */
  reopenReview(): Promise<void>;
}

const idsShape = only({ ids: optional(list(filled)) });

/** Accepts effects under review, see `AgentSession.accept`. */
export function accept(parts: ReviewParts, ids?: readonly string[]): Promise<UndoReport> {
  return decide(parts, 'accept', ids);
}

/** Takes back effects under review, see `AgentSession.reject`. */
export function reject(parts: ReviewParts, ids?: readonly string[]): Promise<UndoReport> {
  return decide(parts, 'reject', ids);
}

/** Decides about effects under review, of a running turn or of an interrupted turn. */
async function decide(
  parts: ReviewParts,
  decision: 'accept' | 'reject',
  ids: readonly string[] | undefined,
): Promise<UndoReport> {
  const { core, host } = parts;
  checked(idsShape, { ids }, `The ids of ${decision}`);
  if (core.current.interrupted?.at === 'review') await parts.reopenReview();
  const { review } = host.desk;
  return review === null ? nothingUndone : decided(parts, review.decide(decision, ids));
}

/** Resolves with the report of a decision. If it was the last decision, resolves after the end of the turn. */
async function decided(
  { core, host, runner }: ReviewParts,
  deciding: Promise<UndoReport>,
): Promise<UndoReport> {
  const { ended } = runner;
  const report = await new Promise<UndoReport>((resolve, reject) => {
    deciding.then(resolve, reject);
    // Another session has taken over the turn, and decides about it.
    ended.catch(reject);
  });
  if (host.desk.review !== null) return report;
  const terminal = (await ended)?.terminal;
  if (terminal?.type === 'failed') throw core.errors.of(terminal.error);
  return report;
}
