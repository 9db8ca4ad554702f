import type { ErrorCode } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { wasResumed } from '../state/interruption.js';
import type { LoggedParts } from './open-parts.js';
import { preloadResume } from './resume-code.js';

/**
 * Loads the code that ends interrupted work, and ends the work in the background as the option `onInterrupted` says. The state shows the
 * end. For a turn interrupted at the same point, `resume` is called only once, so that a turn that breaks its session does not also break
 * every later session.
 */
export function reactToInterruption(
  { core, options, ports, session }: LoggedParts,
  onInterrupted = options.onInterrupted ?? 'wait',
): void {
  const { interrupted } = core.current;
  if (interrupted === null) return;
  preloadResume(ports.clock);
  if (onInterrupted === 'wait') return;
  if (onInterrupted === 'resume' && wasResumed(core.current)) return;
  session[onInterrupted]().catch((error: unknown) => {
    // Not reported: the state shows the end of a turn, and another command may have been called first.
    const isEnd = isAgentSessionError(error) && ends.includes(error.code);
    if (core.current.interrupted !== null && !isEnd) core.reportError(error);
  });
}

const ends: readonly ErrorCode[] = ['cancelled', 'disposed', 'already-running'];
