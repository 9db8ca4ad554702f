import type { Clock } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { Lease, LoadedLog, SessionLog } from './session-log.js';

/** The lease of a log that has no `leaseMs`, in milliseconds. */
const LEASE_MS = 5_000;
/** How long a session reads the messages that arrived while its page slept, in milliseconds. */
export const READ_MS = 50;

/** If the writer does not renew its lease for this time, another session may take over the log. In milliseconds. */
export function leaseMsOf({ leaseMs = LEASE_MS }: Pick<SessionLog, 'leaseMs'>): number {
  return leaseMs;
}

/** The time between two renewals of a writer, and between two claims of a follower, in milliseconds. */
export function renewalMs(leaseMs: number): number {
  return leaseMs / 3;
}

interface ClaimsOptions {
  readonly log: SessionLog;
  readonly id: string;
  readonly owner: string;
  readonly clock: Clock;
  /** Returns true if the session can become the writer now. */
  isReady(): boolean;
  /** Returns true if a command of this session is waiting; the last writer may have begun it. */
  hasCommands(): boolean;
  /** Called with the lease that the session waited for, and the content of the log. */
  succeed(lease: Lease, loaded: LoadedLog): void;
}

/**
 * What a session does in order to get the lease.
 * - `none`: it has the lease, or has not begun to wait for the lease
 * - `waiting`: the next claim follows at a time, or when the log says that the lease is free. `stop` keeps that claim from following
 * - `claiming`: with `steal`, another claim follows, which takes the lease of this epoch away from its holder
 */
type Attempt =
  | { readonly at: 'none'; readonly stop?: undefined; readonly steal?: undefined }
  | { readonly at: 'waiting'; readonly stop: () => void; readonly steal?: undefined }
  | { readonly at: 'claiming'; readonly stop?: undefined; readonly steal?: number | undefined };

/** Claims the lease of a log for one session. */
export class Claims {
  private attempt: Attempt = { at: 'none' };
  /** A lease of this session that another session is taking, or has taken. */
  private past: Lease | null = null;
  /** The epoch of the lease because of which the last claim failed. */
  private rival: number | undefined;
  private releasing: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ClaimsOptions) {}

  /**
   * Claims the lease; resolves with null while another session holds it.
   *
   * @param steal the epoch of a lease that is taken away
   */
  async claim(steal?: number): Promise<Lease | null> {
    const { log, id, owner } = this.options;
    // If the release came after the claim, other sessions would see this session as gone.
    await this.releasing;
    try {
      const lease = await log.claim(id, owner, leaseMsOf(log), { steal });
      this.past = null;
      return lease;
    } catch (error) {
      if (!isAgentSessionError(error) || error.details['reason'] !== 'held') throw error;
      this.rival = error.details['epoch'] as number;
      this.release(this.past);
      this.past = null;
      return null;
    }
  }

  release(lease: Lease | null): void {
    if (lease !== null) this.releasing = this.options.log.release(lease).catch(() => {});
  }

  /**
   * Leaves a lease to another session. Until that session claims it, the lease keeps other sessions away, and this session can claim it
   * again.
   */
  leave(lease: Lease): void {
    this.past = lease;
  }

  /** Waits for the lease, and claims it each time that it may be free, until a claim succeeds. */
  wait(): void {
    // If no other session has taken the lease that this session left, this session can claim it again.
    if (this.past !== null || !this.options.log.freed) this.startTimer();
    else this.waitFreed();
  }

  stop(): void {
    this.go({ at: 'none' });
    this.release(this.past);
    this.past = null;
  }

  /**
   * If the session waits for the lease, claims it at once.
   *
   * @param steal the epoch of a lease that is taken away
   */
  now(steal?: number): void {
    // Another session may have claimed the lease first, and may end soon.
    void this.claimNow(() => this.startTimer(), steal);
  }

  /**
   * Takes away the lease because of which the last claim failed, as its holder does not answer. A lease that was claimed since then is not
   * taken.
   */
  steal(): void {
    this.now(this.rival);
  }

  private go(attempt: Attempt): void {
    this.attempt.stop?.();
    this.attempt = attempt;
  }

  private startTimer(): void {
    const { log, clock } = this.options;
    const claim = () => this.claimSoon(() => void this.claimNow(() => this.wait()));
    this.go({ at: 'waiting', stop: clock.schedule(claim, renewalMs(leaseMsOf(log))) });
  }

  /** Reads the last writer's messages before claiming: after a sleep of this page, the session often notices the free lease first. */
  private claimSoon(claim: () => void): void {
    const { clock, hasCommands } = this.options;
    if (hasCommands()) this.go({ at: 'waiting', stop: clock.schedule(claim, READ_MS) });
    else claim();
  }

  private waitFreed(): void {
    const { log, id } = this.options;
    const waiting = new AbortController();
    const { signal } = waiting;
    this.go({ at: 'waiting', stop: () => waiting.abort() });
    log.freed!(id, signal).then(
      () => signal.aborted || this.claimSoon(() => this.now()),
      () => signal.aborted || this.startTimer(),
    );
  }

  /**
   * Claims the lease, if the session waits for it.
   *
   * @param again called if the lease is held by another session
   */
  private async claimNow(again: () => void, steal?: number): Promise<void> {
    const { attempt } = this;
    if (attempt.at === 'none') return;
    // A second claim would take the lease away from the first.
    if (attempt.at === 'claiming') return this.go({ at: 'claiming', steal: steal ?? attempt.steal });
    let next = steal;
    do {
      this.go({ at: 'claiming' });
      await this.claimOnce(next);
      next = this.attempt.steal;
    } while (next);
    if (this.attempt.at === 'claiming') again();
  }

  private async claimOnce(steal: number | undefined): Promise<void> {
    const { log, id, isReady, succeed } = this.options;
    if (!isReady()) return;
    let lease: Lease | null = null;
    let loaded: LoadedLog;
    try {
      lease = await this.claim(steal);
      if (lease === null) return;
      loaded = await log.load(id);
    } catch {
      // The log does not answer at the moment.
      return this.release(lease);
    }
    if (this.attempt.at !== 'claiming') return this.release(lease);
    this.go({ at: 'none' });
    succeed(lease, loaded);
  }
}
