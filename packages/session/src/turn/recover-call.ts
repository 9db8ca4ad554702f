import type { Observable, Subscriber } from 'rxjs';
import { fromAsync } from '../operations/from-async.js';
import type { TurnFact } from '../operations/operation.js';
import { effectsOf } from '../state/undo-notes.js';
import type { Recovered, ToolContext } from '../tools/tool.js';
import { bounded } from '../undo/bounded.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import { readied } from './check-calls.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { Turn } from './turn-context.js';

/** What stands in the place of the executor of a call that ran before its turn was interrupted. */
export type RecoveredExecutor = (context: ToolContext) => unknown;

/**
 * Asks the tool of a call that was cut whether it ran, once its arguments are checked. A tool that fails, or does not answer in time, knows
 * nothing.
 *
 * @param found is called with what the tool knows; not for a call whose arguments do not fit any more
 */
export function recoverCall(
  turn: Turn,
  call: BatchCall,
  found: (recovered: Recovered, executor: RecoveredExecutor) => TurnFact | null,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    const refused = await readied(turn, call);
    const recovered = refused === null ? await look(turn, call.ready!, facts) : null;
    const fact = recovered === null ? refused : found(recovered, executorOf(turn, call, recovered));
    if (fact !== null) facts.next(fact);
  }).pipe(turn.cancellation.untilCancelled());
}

async function look(
  turn: Turn,
  { id, tool, value }: ReadyCall,
  facts: Subscriber<TurnFact>,
): Promise<Recovered> {
  const { recover, timeoutMs = turn.settings.limits.toolTimeoutMs } = tool.tool;
  const controller = new AbortController();
  const end = () => controller.abort();
  facts.add(end);
  try {
    const { signal } = controller;
    const idempotencyKey = idempotencyKeyOf(turn.id, id);
    const asked = async () => recover!(value as never, { callId: id, idempotencyKey, signal });
    const answer = await bounded(asked(), timeoutMs, turn.ports.clock, `recover of ${tool.id}`);
    if (answer === 'unknown' || answer === 'not-run' || 'ran' in Object(answer)) return answer;
    throw new TypeError(`recover of ${tool.id} answered none of { ran }, "not-run" and "unknown"`);
  } catch (error) {
    if (!facts.closed) turn.ports.reportError(error);
    return 'unknown';
  } finally {
    end();
  }
}

/** Returns the result that the call had, and records its effects where the log has none of it. */
function executorOf(turn: Turn, { requested }: BatchCall, recovered: Recovered): RecoveredExecutor {
  const { ran, undo = [] } = Object(recovered) as Partial<Extract<Recovered, { ran: unknown }>>;
  const known = effectsOf(turn.current(), turn.id).some(({ callId }) => callId === requested.callId);
  return (context) => {
    // Their barrier follows with the result.
    if (!known) for (const entry of [undo].flat()) void context.undo(entry as never);
    return ran;
  };
}
