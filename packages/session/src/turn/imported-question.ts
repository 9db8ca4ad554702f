import type { GuardQuestion } from '../operations/guard-question.js';

/** Returns the question about a call of an imported conversation. Of the file it contains only the id of the tool. */
export function importedQuestion(tool: string): GuardQuestion {
  return {
    guard: 'banister.import',
    reason: `The call of ${tool} comes from an imported conversation. Run it here?`,
    because: { code: 'imported' },
  };
}
