import { sentence } from '@banister/provider/internal/errors/sentence';
import { oneLine } from '@banister/provider/internal/messages/foreign-text';

// What the library tells models about a structured output, like `model-words.ts`. The chunk of the stages of `generate` contains these texts.
export const outputTool = 'Gives the answer, whole, in one call.';
export const outputAfterWork = 'Give the result of your work now, in the form that is asked for.';
export const outputRepair = (issues: readonly string[]) =>
  `${sentence(`The answer does not fit its JSON Schema: ${oneLine(issues.join('; '))}`)} Answer again, with the whole corrected JSON.`;
