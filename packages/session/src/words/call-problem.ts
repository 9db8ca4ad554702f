import type { ToolResultOutcome } from '@banister/provider';
import { isErrorOutcome } from '@banister/provider/internal/messages/content';
import type { ToolCallView } from '../conversation/turn-record.js';
import type { CallProblem } from './word-table.js';

const ofOutcome: { readonly [Outcome in ToolResultOutcome]?: CallProblem } = {
  failed: 'tool-failed',
  thrown: 'tool-threw',
  denied: 'tool-refused',
  conflict: 'tool-conflict',
  'timed-out': 'timed-out',
  unusable: 'unusable',
  interrupted: 'interrupted',
  // In conversations of version 0.1, a rejected call has no reason.
  rejected: 'not-run',
};

/** Returns why a call did not run, or failed; null if it succeeded, or has not ended. */
export function problemOf({ state, result, rejection }: ToolCallView): CallProblem | null {
  if (state === 'interrupted') return 'interrupted';
  if (rejection !== undefined) return rejection;
  return result !== undefined && isErrorOutcome(result.outcome) ? (ofOutcome[result.outcome] ?? null) : null;
}

/**
 * Returns the English sentence, if the guard and the tool have none of their own. The text of the result is not used, because it is for the
 * model.
 */
export function englishOf(problem: CallProblem, { readOnly }: ToolCallView): string {
  return (readOnly && englishOfReads[problem]) || englishProblems[problem];
}

/** Returns the joined texts of the result of a call. */
export function textOfResult({ result }: ToolCallView): string {
  return (result?.content ?? [])
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();
}

const englishProblems: { readonly [Code in CallProblem]: string } = {
  'unknown-tool': 'It did not run: there is no such tool.',
  'invalid-arguments': 'It did not run: its values do not fit.',
  middleware: 'It did not run: a rule of this app rejected it.',
  denied: 'It did not run: it is not allowed here.',
  declined: 'It did not run: you declined it.',
  'confirmation-timeout': 'It did not run: there was no answer in time.',
  'confirmation-failed': 'It did not run: the question could not be answered.',
  cancelled: 'It did not run: the turn was cancelled.',
  'not-run': 'It did not run: the turn ended before.',
  repeated: 'It did not run: the same call was made before.',
  conflict: 'It did not run: what it would change is different now.',
  'validator-unavailable': 'It did not run: its values could not be checked.',
  'tool-failed': 'It did not work.',
  'tool-threw': 'It ran into an error.',
  'tool-refused': 'It refused.',
  'tool-conflict': 'It was not done: something changed in the meantime.',
  'timed-out': 'It took too long, and may have done a part of its work.',
  unusable: 'It ran, but its result cannot be used.',
  interrupted: 'It was interrupted, and may or may not have acted.',
};

/** The sentences for calls that change nothing, so they cannot have done a part of their work. */
const englishOfReads: { readonly [Code in CallProblem]?: string } = {
  'timed-out': 'It took too long.',
  interrupted: 'It was interrupted.',
};
