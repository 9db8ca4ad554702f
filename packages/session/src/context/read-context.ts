import { map, merge, toArray, type Observable } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import { fromAsync } from '../operations/from-async.js';
import type { Clock } from '../ports/clock.js';
import type { ContextSource } from './context-source.js';

/** The result of reading all sources. */
export interface ContextReading {
  /** One line for each source that answered, in their order. */
  readonly lines: readonly string[];
  readonly diagnostics: readonly ContextDiagnostic[];
}

/** The line or the diagnostic of one source; `index` is its place in the list. */
type SourceReading = { readonly index: number } & (
  { readonly line: string } | { readonly diagnostic: ContextDiagnostic }
);

/** Reads all sources side by side, each for at most `timeoutMs` milliseconds. Never errors. Unsubscribing drops their results. */
export function readContext(
  sources: readonly ContextSource[],
  clock: Clock,
  timeoutMs: number,
): Observable<ContextReading> {
  return merge(...sources.map((source, index) => readSource(source, index, clock, timeoutMs))).pipe(
    toArray(),
    map((readings) => {
      readings.sort((a, b) => a.index - b.index);
      return {
        lines: readings.flatMap((reading) => ('line' in reading ? [reading.line] : [])),
        diagnostics: readings.flatMap((reading) => ('diagnostic' in reading ? [reading.diagnostic] : [])),
      };
    }),
  );
}

function readSource(
  source: ContextSource,
  index: number,
  clock: Clock,
  timeoutMs: number,
): Observable<SourceReading> {
  return fromAsync(async (subscriber) => {
    const finish = (result: SourceReading) => {
      subscriber.next(result);
      subscriber.complete();
    };
    const failed = (message: string) => finish({ index, diagnostic: { source: source.id, message } });
    subscriber.add(clock.schedule(() => failed(`no answer within ${timeoutMs} ms`), timeoutMs));
    try {
      const text = await source.summary();
      finish({ index, line: `[${source.id}]: ${String(text).replace(/\s*\n\s*/g, ' ')}` });
    } catch (error) {
      failed(messageOf(error));
    }
  });
}
