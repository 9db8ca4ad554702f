import * as told from '../conversation/model-words.js';
import type { ToolInterrupted } from '../operations/tool-operations.js';
import { textResult } from '../tools/tool-result.js';

/** What the model reads as the results of calls whose executors are not called again. */
const results = {
  unknown: told.mayHaveActed,
  skipped: told.notRerun,
} as const;

/** Returns the fact of the decision about a call that was running when its session ended. */
export function interruptedFact(callId: string, decision: 'rerun' | keyof typeof results): ToolInterrupted {
  return decision === 'rerun'
    ? { type: 'toolInterrupted', callId, decision }
    : { type: 'toolInterrupted', callId, decision, result: textResult('interrupted', results[decision]) };
}
