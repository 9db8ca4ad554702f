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

/** Claims the lease of a log for one session. */
export class Claims {
  private isWaiting = false;
  private isClaiming = false;
  /** The epoch of a lease that the next claim takes away from its holder. */
  private stolen: number | undefined;
  /** A lease of this session that another session is taking, or has taken. */
  private past: Lease | null = null;
  /** The epoch of the lease because of which the last claim failed. */
  private heldBack: number | undefined;
  private releasing: Promise<unknown> = Promise.resolve();
  /** Ends the wait for the next claim. */
  private stopWait = () => {};

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
      this.heldBack = error.details['epoch'] as number;
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
    this.isWaiting = true;
    // If no other session has taken the lease that this session left, this session can claim it again.
    if (this.past !== null || !this.options.log.freed) this.startTimer();
    else this.awaitFreed();
  }

  stop(): void {
    this.isWaiting = false;
    this.stopWait();
    this.release(this.past);
    this.past = null;
  }

  /**
   * If the session waits for the lease, claims it at once.
   *
   * @param steal the epoch of a lease that is taken away
   */
  async now(steal?: number): Promise<void> {
    this.stolen = steal ?? this.stolen;
    await this.attempts();
    // Another session may have claimed the lease first, and may end soon.
    if (this.isWaiting && !this.isClaiming) this.startTimer();
  }

  /**
   * Takes away the lease because of which the last claim failed, as its holder does not answer. A lease that was claimed since then is not
   * taken.
   */
  async steal(): Promise<void> {
    await this.now(this.heldBack);
  }

  private startTimer(): void {
    const { log, clock } = this.options;
    this.stopWait();
    const claim = () => this.claimSoon(() => this.timeOut());
    this.stopWait = clock.schedule(claim, renewalMs(leaseMsOf(log)));
  }

  /** Reads the last writer's messages before claiming: after a sleep of this page, the session often notices the free lease first. */
  private claimSoon(attempt: () => Promise<void>): void {
    const { clock, hasCommands } = this.options;
    if (hasCommands()) this.stopWait = clock.schedule(() => void attempt(), READ_MS);
    else void attempt();
  }

  private async timeOut(): Promise<void> {
    await this.attempts();
    if (this.isWaiting && !this.isClaiming) this.wait();
  }

  private awaitFreed(): void {
    const { log, id } = this.options;
    const waiting = new AbortController();
    const { signal } = waiting;
    this.stopWait();
    this.stopWait = () => waiting.abort();
    log.freed!(id, signal).then(
      () => signal.aborted || this.claimSoon(() => this.now()),
      () => signal.aborted || this.startTimer(),
    );
  }

  private async attempts(): Promise<void> {
    // A second claim would take the lease away from the first.
    if (!this.isWaiting || this.isClaiming) return;
    this.isClaiming = true;
    this.stopWait();
    do await this.attempt();
    while (this.isWaiting && this.stolen !== undefined);
    this.isClaiming = false;
  }

  private async attempt(): Promise<void> {
    const { log, id, isReady, succeed } = this.options;
    const { stolen } = this;
    this.stolen = undefined;
    if (!isReady()) return;
    let lease: Lease | null = null;
    let loaded: LoadedLog;
    try {
      lease = await this.claim(stolen);
      if (lease === null) return;
      loaded = await log.load(id);
    } catch {
      // The log does not answer at the moment.
      return this.release(lease);
    }
    if (!this.isWaiting) return this.release(lease);
    this.isWaiting = false;
    succeed(lease, loaded);
  }
}
