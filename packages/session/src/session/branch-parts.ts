import { cancelledError } from '../errors/cancelled-error.js';
import type { BranchStepParts } from './branch-steps.js';
import type { InterruptedParts } from './end-interruption.js';
import type { ResumeCode } from './resume-code.js';
import type { SessionLane } from './session-lane.js';

/** The parts of a session that its branch commands and `generate` use. */
export interface BranchParts extends BranchStepParts, InterruptedParts {
  readonly lane: SessionLane;
  /** Returns the code that ends interrupted work; a promise of it where it has to be fetched. */
  interruptionCode(signal: AbortSignal): ResumeCode | Promise<ResumeCode>;
}

/** Throws `storage` where another writer owns the session. */
export function assertWriter({ core: { journal } }: Pick<BranchParts, 'core'>): void {
  if (journal?.isFenced) throw journal.fencedBy;
}

/**
 * Waits until the journal has the change of a command. It stands also where the write is refused, which the link of the session shows; another
 * writer that took over does not have it.
 */
export async function stored({ core: { journal } }: Pick<BranchParts, 'core'>): Promise<void> {
  try {
    await journal?.barrier();
  } catch (error) {
    if (journal?.isFenced) throw error;
  }
}

/** Ends interrupted work, as every command does that begins something else. */
export async function abandonInterrupted(parts: BranchParts): Promise<void> {
  const { core, signal } = parts;
  if (core.current.interrupted !== null) {
    const { abandon } = await parts.interruptionCode(signal);
    // Another writer may have ended it.
    if (core.current.interrupted !== null) await abandon(parts);
  }
  if (signal.aborted) throw cancelledError();
}
