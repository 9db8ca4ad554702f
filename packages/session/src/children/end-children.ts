import type { AgentSessionError } from '@banister/provider';
import type { ChildFact } from '../operations/operation.js';
import { recordOf } from '../state/child-state.js';
import type { Turn } from '../turn/turn-context.js';
import type { Runs } from './runs.js';

/**
 * Ends the open child turns inside a turn where they are: the deepest child turn first, in one synchronous step. It also ends the child
 * turns of an earlier session.
 */
export function endChildren({ root, open }: Runs, turnId: string, error: AgentSessionError): void {
  const children = root.current().fold.turn?.children ?? {};
  const isInside = (path: readonly string[]) => turnId === root.id || path.slice(0, -1).includes(turnId);
  const inside = Object.values(children)
    .filter((one) => isInside(one.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  for (const { path } of inside) {
    const id = path.at(-1)!;
    open.get(id)?.stop();
    open.delete(id);
    removeMessages(root, id);
    const emit = (inner: ChildFact) => root.sink.emit({ type: 'subagent', path, inner });
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

/** Removes the messages from the queue that were to join a child turn, because the child turn ends. */
export function removeMessages({ host, current }: Pick<Turn, 'host' | 'current'>, child: string): void {
  const next = () => current().queue.find((item) => item.child === child);
  for (let item = next(); item !== undefined; item = next())
    host.emit({ type: 'dequeued', id: item.id, reason: 'removed' });
}
