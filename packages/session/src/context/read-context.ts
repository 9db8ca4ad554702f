import { messageOf } from '../errors/to-session-error.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import type { Clock } from '../ports/clock.js';
import type { ContextSource } from './context-source.js';

export interface ContextReading {
  /** One line for each source that answered, in their order. */
  readonly lines: readonly string[];
  readonly diagnostics: readonly ContextDiagnostic[];
}

/** Reads all sources side by side; each gets `timeoutMs`. Never rejects. */
export async function readContext(
  sources: readonly ContextSource[],
  clock: Clock,
  timeoutMs: number,
): Promise<ContextReading> {
  const answers = await Promise.all(sources.map((source) => readSource(source, clock, timeoutMs)));
  return {
    lines: answers.flatMap((answer) => ('line' in answer ? [answer.line] : [])),
    diagnostics: answers.flatMap((answer) => ('message' in answer ? [answer] : [])),
  };
}

async function readSource(
  source: ContextSource,
  clock: Clock,
  timeoutMs: number,
): Promise<{ readonly line: string } | ContextDiagnostic> {
  let stopTimer = () => {};
  const tooSlow = new Promise<never>((_resolve, reject) => {
    stopTimer = clock.schedule(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const text = await Promise.race([source.summary(), tooSlow]);
    return { line: `[${source.id}]: ${String(text).replace(/\s*\n\s*/g, ' ')}` };
  } catch (error) {
    return { source: source.id, message: messageOf(error) };
  } finally {
    stopTimer();
  }
}
