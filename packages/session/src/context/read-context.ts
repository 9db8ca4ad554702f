import type { Clock } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { oneLine } from '@banister/provider/internal/messages/foreign-text';
import { map, merge, toArray, type Observable, type ObservableInput } from 'rxjs';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import { fromAsync } from '../operations/from-async.js';
import type { ContextCache } from './context-cache.js';
import type { ContextSource } from './context-source.js';

/** The result of reading all sources. */
interface ContextReading {
  /** One line for each source that answered, in the order of the sources. */
  readonly lines: readonly string[];
  readonly diagnostics: readonly ContextDiagnostic[];
}

/** The line or the diagnostic of one source; `index` is its position in the list. */
type SourceReading = { readonly index: number } & (
  { readonly line: string } | { readonly diagnostic: ContextDiagnostic }
);

/** The parts of a session that reading sources needs. */
interface ContextReader {
  readonly clock: Clock;
  readonly cache: ContextCache;
  /** The time limit of each source, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Reads the sources at the same time, each for at most `timeoutMs` milliseconds. A source with a valid cached line is not read. Never
 * errors. Unsubscribing drops the results.
 */
export function readContext(
  sources: readonly ContextSource[],
  reader: ContextReader,
): Observable<ContextReading> {
  const lines = sources.filter(({ policy }) => policy !== 'onDemand');
  return merge(...lines.map((source, index) => readSource(source, index, reader))).pipe(
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
  { clock, cache, timeoutMs }: ContextReader,
): ObservableInput<SourceReading> {
  const known = cache.lineOf(source, clock.now());
  if (known !== undefined) return [{ index, line: known }];
  return fromAsync<SourceReading>(async (subscriber) => {
    const finish = (result: SourceReading) => {
      subscriber.next(result);
      subscriber.complete();
    };
    const failed = (message: string) => finish({ index, diagnostic: { source: source.id, message } });
    subscriber.add(clock.schedule(() => failed(`no answer within ${timeoutMs} ms`), timeoutMs));
    try {
      const keep = cache.reading(source, clock.now());
      const text = await source.summary();
      const line = oneLine(`[${source.id}]: ${String(text)}`);
      if (!subscriber.closed) keep(line);
      finish({ index, line });
    } catch (error) {
      failed(messageOf(error));
    }
  });
}
