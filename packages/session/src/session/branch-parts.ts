import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import type { BranchStepParts } from './branch-steps.js';
import type { InterruptedParts } from './end-interruption.js';
import type { ResumeCode } from './resume-code.js';
import type { SessionLane } from './session-lane.js';

/** The parts of a session that its branch commands and `generate` use. */
export interface BranchParts extends BranchStepParts, InterruptedParts {
  readonly lane: SessionLane;
  /** Returns the code that ends interrupted work, or a promise if the code has to be loaded first. */
  interruptionCode(signal: AbortSignal): ResumeCode | Promise<ResumeCode>;
}

/** Throws `storage` if another writer owns the session. */
export function assertWriter({ core: { journal } }: Pick<BranchParts, 'core'>): void {
  if (journal?.isFenced) throw journal.fencedBy;
}

/**
 * Waits until the journal has written the change of a command. If the write is refused, the change stays, and the link of the session shows
 * the refusal. If another writer has taken over, `stored` rejects, because that writer does not have the change.
 */
export async function stored({ core: { journal } }: Pick<BranchParts, 'core'>): Promise<void> {
  try {
    await journal?.barrier();
  } catch (error) {
    if (journal?.isFenced) throw error;
  }
}

/** Ends interrupted work. Every command that begins other work does this first. */
export async function abandonInterrupted(parts: BranchParts): Promise<void> {
  const { core, signal } = parts;
  if (core.current.interrupted !== null) {
    const { abandon } = await parts.interruptionCode(signal);
    // Another writer may have ended the interrupted work meanwhile.
    if (core.current.interrupted !== null) await abandon(parts);
  }
  if (signal.aborted) throw cancelledError();
}
