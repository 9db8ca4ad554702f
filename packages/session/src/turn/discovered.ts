import { defer, EMPTY, mergeMap, type Observable } from 'rxjs';
import type { Turn } from './turn-context.js';

/**
 * Chooses the tools with which a turn begins, after the code of staged discovery is loaded. Completes at once for a turn that gets all
 * tools. A cancel ends the wait.
 */
export function discovered(turn: Turn): Observable<never> {
  const { discovery } = turn.settings;
  // A turn of `generate` calls no tool.
  if (discovery === null || turn.structured !== null) return EMPTY;
  return defer(() => {
    const code = discovery.code.get(turn.ports.clock);
    return code instanceof Promise ? code : [code];
  }).pipe(
    mergeMap(({ stagedTools }) => {
      const emit = turn.sink.emit.bind(turn.sink);
      turn.discovery = stagedTools({ ...turn, emit }, discovery);
      turn.tools = turn.discovery?.tools ?? turn.tools;
      return EMPTY;
    }),
    turn.cancellation.untilCancelled(),
  );
}
