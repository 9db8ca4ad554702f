import { childrenOf } from '../children/children-of.js';
import { consentOf } from '../consent/turn-consent.js';
import { extensionsOf } from '../extension/turn-extensions.js';
import { reviewOf } from '../review/turn-review.js';
import type { MakeParts } from '../turn/turn-context.js';
import type { PartSettings, StructuredStages } from '../turn/turn-parts.js';

/** Returns the function that makes the parts of a turn. It is the only place where the features of a turn are chosen. */
export function turnPartsOf(
  { hooks, compaction, discovery, agents }: PartSettings,
  structured: StructuredStages | null,
): MakeParts {
  return (turn) => ({
    consent: consentOf(turn),
    extensions: turn.settings.limits.onTrip === 'ask' ? extensionsOf(turn) : null,
    review: turn.options?.commit === 'review' ? reviewOf(turn) : null,
    hooks,
    compaction,
    structured,
    discovery,
    agents,
    children: childrenOf(turn, agents, turnPartsOf),
    gate: null,
  });
}
