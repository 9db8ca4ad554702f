import type { Provider } from '@handrail/session';
import { readAsk } from './read-ask.js';
import type { Fault } from './fault.js';
import { nextStep } from './next-step.js';
import type { Pace } from './pace.js';
import { streamStep } from './stream-step.js';

export interface OfflineOptions {
  readonly pace: Pace;
  /** The fault to show, if any. */
  readonly fault: Fault;
}

/**
 * A small model without a key, a network or any understanding: it matches plain commands against rules. It speaks the
 * same protocol as a real one, with thinking, text and tool calls in fragments, and it knows only what the request says.
 */
export function offline({ pace, fault }: OfflineOptions): Provider {
  return {
    id: 'offline',
    model: 'rules-1',
    capabilities: { images: false },
    stream(request, signal) {
      const step = nextStep(readAsk(request));
      return streamStep(step, { pace, fault, signal, inputTokens: tokensIn(request) });
    },
  };
}

/** A rough count, four characters to the token, so that there is some usage to show. */
function tokensIn(request: unknown): number {
  return Math.ceil(JSON.stringify(request).length / 4);
}
