import type { AgentSessionError } from '@banister/provider';
import { isLimitError } from '../limits/spending.js';
import type { ChildFact, TurnFact } from '../operations/operation.js';
import { recordOf } from '../state/child-state.js';
import { closingFacts, endingFacts, openCallFacts } from '../turn/settle.js';
import type { Turn } from '../turn/turn-context.js';
import type { RunningChild, Runs } from './runs.js';

/**
 * Ends the open child turns inside a turn where they are: the deepest child turn first, in one synchronous step. A limit stops a child turn,
 * which keeps its effects. It also ends the child turns of an earlier session.
 */
export function endChildren({ root, open }: Runs, turnId: string, error: AgentSessionError): void {
  const children = root.current().fold.turn?.children ?? {};
  const isInside = (path: readonly string[]) => turnId === root.id || path.slice(0, -1).includes(turnId);
  const inside = Object.values(children)
    .filter((one) => isInside(one.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  for (const { path } of inside) {
    const id = path.at(-1)!;
    const child = open.get(id);
    child?.stop();
    open.delete(id);
    removeMessages(root, id);
    const emit = (inner: ChildFact) => root.sink.emit({ type: 'subagent', path, inner });
    if (child !== undefined && isLimitError(error) && child.turn.current().fold.turn?.closing === null) {
      stopped(child.turn, error, emit);
      continue;
    }
    const state = root.current();
    for (const { agent, id: requestId, call } of state.pendingConfirmations)
      if (agent?.child === id)
        emit({
          type: 'confirmationResolved',
          requestId,
          callId: call.id,
          decision: 'cancelled',
          by: 'cancel',
          deadlines: {},
        });
    const { usage, budget } = recordOf(state, children[id]!);
    const spent = { usage, rounds: budget.rounds.spent, budget, report: null };
    emit(
      error.code === 'cancelled'
        ? { type: 'cancelled', ...spent }
        : { type: 'failed', ...spent, error: error.toJSON() },
    );
  }
}

/** Emits the facts that stop a child turn by a limit of a turn above. It keeps its effects. */
function stopped(
  child: RunningChild['turn'],
  error: AgentSessionError,
  emit: (fact: ChildFact) => void,
): void {
  const { code, message, details } = error;
  const stop = { kind: 'limit', message, limit: { code, details }, above: true } as const;
  const facts: readonly (() => readonly TurnFact[])[] = [
    () => closingFacts(child),
    () => openCallFacts(child, error),
    () => [{ type: 'commitStarted', ending: { kind: 'stopped', stop } }],
    () => endingFacts(child, child.transaction.kept()),
  ];
  for (const next of facts) for (const fact of next()) emit(fact as ChildFact);
}

/** Removes the messages from the queue that were to join a child turn, because the child turn ends. */
export function removeMessages({ host, current }: Pick<Turn, 'host' | 'current'>, child: string): void {
  const next = () => current().queue.find((item) => item.child === child);
  for (let item = next(); item !== undefined; item = next())
    host.emit({ type: 'dequeued', id: item.id, reason: 'removed' });
}
