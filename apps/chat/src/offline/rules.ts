import type { ProviderRequest } from '@banister/provider';
import { nextStep, tableStep } from './next-step.js';
import { readAsk } from './read-ask.js';
import type { Step } from './step.js';
import { summaryStep } from './write-summary.js';

export { streamStep } from './stream-step.js';

/** Returns the answer of the rules to a request. */
export function stepFor(request: ProviderRequest): Step {
  const summary = summaryStep(request);
  if (summary !== null) return summary;
  const ask = readAsk(request);
  return request.output === undefined ? nextStep(ask) : tableStep(ask);
}
