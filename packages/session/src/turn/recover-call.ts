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

/** Runs instead of the executor of a call that ran before its turn was interrupted. */
export type RecoveredExecutor = (context: ToolContext) => unknown;

/**
 * Checks the arguments of an interrupted call, then asks its tool whether the call ran. If the tool fails, or does not answer in time, the
 * answer is `unknown`.
 *
 * @param found called with the tool's answer; not called if the arguments do not fit any more
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

/** Returns an executor that returns the recorded result of the call. It records the effects of the call if the log has none of them. */
function executorOf(turn: Turn, { requested }: BatchCall, recovered: Recovered): RecoveredExecutor {
  const { ran, undo = [] } = Object(recovered) as Partial<Extract<Recovered, { ran: unknown }>>;
  const known = effectsOf(turn.current(), turn.effectsOf).some(({ callId }) => callId === requested.callId);
  return (context) => {
    // The promises are not awaited: the barrier of the result covers them.
    if (!known) for (const entry of [undo].flat()) void context.undo(entry as never);
    return ran;
  };
}
