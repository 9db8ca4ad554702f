import { wasResumed } from '../state/interruption.js';
import { isAgentSessionError, type ErrorCode } from '../errors/agent-session-error.js';
import type { OpenParts } from './open-parts.js';
import { preloadResume } from './resume-code.js';

/**
 * Loads the code that ends interrupted work, and ends it by the option `onInterrupted`, in the background: the state shows the end. `resume`
 * does so once for a turn and its point, so that a turn which breaks its session does not break each next one.
 */
export function reactToInterruption({ core, options, ports, session }: OpenParts): void {
  const { onInterrupted = 'wait' } = options;
  const { interrupted } = core.current;
  if (interrupted === null) return;
  preloadResume(ports.clock);
  if (onInterrupted === 'wait') return;
  if (onInterrupted === 'resume' && wasResumed(core.current)) return;
  session[onInterrupted]().catch((error: unknown) => {
    // The end of a turn is in the state, and another command may have come first.
    const isEnd = isAgentSessionError(error) && ends.includes(error.code);
    if (core.current.interrupted !== null && !isEnd) core.reportError(error);
  });
}

const ends: readonly ErrorCode[] = ['cancelled', 'disposed', 'already-running'];
