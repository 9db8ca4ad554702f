import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { ContextCache } from '../context/context-cache.js';
import { findTurn } from '../state/tree.js';
import { undoOf } from '../state/undo-notes.js';
import { createArgumentChecker } from '../tools/argument-checker.js';
import { readRevisions } from '../undo/revisions.js';
import { TurnTransaction, type CommittedHandle } from '../undo/turn-transaction.js';
import { ClosureHistory } from '../undo/closure-history.js';
import { UndoStack } from '../undo/undo-stack.js';
import { turnLog } from './turn-log.js';
import { committedCalls, restoredCalls, unknownCalls } from './restored-turn.js';
import type { SharedParts, TurnRequest } from './turn-request.js';

/** What the shared parts of a session are created from. */
export type SharedRequest = Pick<TurnRequest, 'ports' | 'history' | 'current' | 'host'> & {
  readonly settings: Pick<TurnRequest['settings'], 'limits'>;
};

/** Creates the parts that the turns of a session share. The first turn calls it, or an undo before the first turn. */
export function createSharedParts(request: SharedRequest): SharedParts {
  const { ports, current, host } = request;
  const contextCache = new ContextCache();
  const read = () => {
    const { domains, removed } = host.tools();
    // Errors are ignored, because the app may have destroyed the object behind a removed domain.
    const past = removed.length === 0 ? {} : readRevisions(removed, () => {});
    return { ...past, ...readRevisions(domains, (error) => ports.reportError(error)) };
  };
  return {
    arguments: createArgumentChecker(ports),
    contextCache,
    undoStack: new UndoStack(
      current,
      read,
      (turnId) => restoredHandle(request, turnId),
      () => contextCache.changed(),
      (tool) => host.tools().kept.get(tool)?.tool.undo?.keepsEdits === true,
    ),
    readRevisions: read,
  };
}

/** Returns the handle of a turn that an earlier session committed. Throws `undo-failed` if the app's history cannot restore the turn. */
function restoredHandle(request: SharedRequest, turnId: string): CommittedHandle {
  const { ports, history = new ClosureHistory(), current, host, settings } = request;
  const { revertTimeoutMs } = settings.limits;
  const { clock, validator } = ports;
  const log = turnLog(turnId, request, {
    emit: (fact) => host.emit({ ...fact, target: turnId }),
    owned: () => host.owned(),
    unknown: () => unknownCalls(findTurn(current(), turnId)?.turn),
  });
  const transaction = new TurnTransaction(history, log, { clock, validator, revertTimeoutMs });
  try {
    const { undoing } = current().fold;
    const redoes = undoing?.direction === 'redo' && undoing.target === turnId;
    const turn = committedCalls(undoOf(current(), turnId)!, findTurn(current(), turnId)?.turn.effects);
    return transaction.restore(restoredCalls(turn, host.tools()), redoes);
  } catch (error) {
    const message = sentence(`The undo history could not restore the turn: ${messageOf(error)}`);
    throw new AgentSessionError('undo-failed', message, { cause: error });
  }
}
