import { isAgentSessionError } from '../errors/agent-session-error.js';
import type { Clock } from '../ports/clock.js';
import type { Lease, LoadedLog, SessionLog } from './session-log.js';

/** The time after which another session may take the log over, when its writer does not renew the lease, in milliseconds. */
export const LEASE_MS = 5_000;
/** The time between two claims of a follower, in milliseconds. */
export const CLAIM_MS = LEASE_MS / 3;
/** The time in which the messages are read that arrived in a sleep of this page, in milliseconds. */
export const READ_MS = 50;

export interface ClaimsOptions {
  readonly log: SessionLog;
  readonly id: string;
  readonly owner: string;
  readonly clock: Clock;
  /** Whether the session can become the writer now. */
  isReady(): boolean;
  /** Whether a command of this session waits, which the last writer may have begun. */
  hasCommands(): boolean;
  /** Is called with the lease for which the session waited, and the log. */
  succeed(lease: Lease, loaded: LoadedLog): void;
}

/** The claims of one session for the lease of its log. */
export class Claims {
  private isWaiting = false;
  private isClaiming = false;
  /** The epoch of a lease that the next claim takes away from its holder. */
  private stolen: number | undefined;
  /** The lease of this session that another one takes, or has taken. */
  private past: Lease | null = null;
  /** The epoch of the lease that held the last claim back. */
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
    // The release of an earlier lease would hide the sign of life of this one.
    await this.releasing;
    try {
      const lease = await log.claim(id, owner, LEASE_MS, { steal });
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

  /** Leaves a lease to the session that takes it. Until then it keeps others away, and this session can claim again. */
  leave(lease: Lease): void {
    this.past = lease;
  }

  /** Waits for the lease, and claims it as often as it may be free, until it is given. */
  wait(): void {
    this.isWaiting = true;
    // A lease that this session gave away, and that was not taken, is its own again.
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
   * Claims at once, if the session waits.
   *
   * @param steal the epoch of a lease that is taken away
   */
  async now(steal?: number): Promise<void> {
    this.stolen = steal ?? this.stolen;
    await this.attempts();
    // Another session may have been faster, and may be gone soon.
    if (this.isWaiting && !this.isClaiming) this.startTimer();
  }

  /** Takes the lease away that held the last claim back: its holder does not answer. One that was claimed since is left alone. */
  async steal(): Promise<void> {
    await this.now(this.heldBack);
  }

  private startTimer(): void {
    this.stopWait();
    this.stopWait = this.options.clock.schedule(() => this.claimSoon(() => this.timeOut()), CLAIM_MS);
  }

  /** Claims when the messages of the last writer are read: after a sleep of this page, a free lease may be noticed before them. */
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
      // The log does not answer now.
      return this.release(lease);
    }
    if (!this.isWaiting) return this.release(lease);
    this.isWaiting = false;
    succeed(lease, loaded);
  }
}
