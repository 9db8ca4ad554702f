import { afterFacts } from './after-facts.js';
import { childFacts } from './child-facts.js';
import { extensionFacts } from './extension-facts.js';
import { questionFacts } from './question-facts.js';
import { reviewFacts } from './review-facts.js';
import type { ProvenSessionFact } from './session-fact.js';
import { turnFacts } from './turn-facts.js';

/** All facts about a session, in the order of the report. */
export const sessionFacts: readonly ProvenSessionFact[] = [
  ...turnFacts,
  ...questionFacts,
  ...extensionFacts,
  ...reviewFacts,
  ...childFacts,
  ...afterFacts,
];
