import { AgentSessionError, isAgentSessionError } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import { toStored } from '../operations/stored.js';
import { CommandHost } from './command-host.js';
import { foldForeign } from './fold-foreign.js';
import { following } from './following.js';
import { Follower } from './follower.js';
import { LogJournal } from './log-journal.js';
import { LogTail, readAfter } from './log-tail.js';
import type { OpenParts } from './open-access.js';
import type { Opening } from './opening.js';
import { reactToInterruption } from './react-to-interruption.js';
import { readLog } from './read-log.js';
import { ReadOnly } from './read-only.js';
import type { Detour } from './session-access.js';
import type { Lease, LoadedLog, LogChannel, SessionLog } from './session-log.js';
import { setLink } from './set-link.js';
import { lengthOf, snapshotting } from './snapshotting.js';
import { becomeOwner } from './become-owner.js';
import { within } from './within.js';

/** The time after which another session may take the log over, when its writer does not renew the lease, in milliseconds. */
const LEASE_MS = 5_000;
/** The longest time that a log may take to be opened, and to be released, in milliseconds. */
const OPEN_MS = 5_000;
/** The time between two attempts of a follower to take over, in milliseconds. */
const CLAIM_MS = LEASE_MS / 3;

/** A session and its log: it writes there, or follows the session that does, and takes over when that one has ended. */
export class LogSession {
  private readonly log: SessionLog;
  private readonly id: string;
  private readonly owner: string;
  private readonly channel: LogChannel | undefined;
  /** Fires when the session is disposed. */
  private readonly signal: AbortSignal;
  private journal: LogJournal | null = null;
  private host: CommandHost | null = null;
  private follower: Follower | null = null;
  private tail: LogTail | null = null;
  private stopClaimTimer = () => {};
  private isOpening = true;
  private isClaiming = false;
  private isClosed = false;

  constructor(
    private readonly parts: OpenParts,
    private readonly opening: Opening,
  ) {
    const { options, ports, access } = parts;
    this.log = options.log!;
    this.id = options.id!;
    this.owner = ports.ids.next('owner');
    this.channel = this.log.channel?.(this.id);
    this.signal = opening.signal;
    // The commands that arrive from now on are left to the next writer.
    access.leave = () => this.host?.stop();
    access.close = () => this.close();
  }

  /** Opens the log. */
  async open(): Promise<void> {
    const { ports } = this.parts;
    const connecting = this.connect();
    let failure: unknown = new Error(`The log did not open within ${OPEN_MS / 1000} seconds.`);
    const connected = await within(connecting, OPEN_MS, ports.clock, this.signal).catch((error: unknown) => {
      failure = error;
      return null;
    });
    if (connected === null) {
      // The lease may arrive later.
      connecting.then(({ lease }) => this.release(lease)).catch(() => {});
      if (!this.signal.aborted) this.goOnInMemory(failure);
    } else if (connected.lease === null) this.follow(connected.loaded);
    else this.write(connected.lease, connected.loaded, 'opened');
  }

  /** Claims and reads the log; without a lease where another session has it. */
  private async connect(): Promise<{ lease: Lease | null; loaded: LoadedLog }> {
    const lease = await this.claim();
    try {
      return { lease, loaded: await this.log.load(this.id) };
    } catch (error) {
      this.release(lease);
      throw error;
    }
  }

  private claim(): Promise<Lease | null> {
    return this.log.claim(this.id, this.owner, LEASE_MS).catch((error: unknown) => {
      if (isAgentSessionError(error) && error.details['reason'] === 'held') return null;
      throw error;
    });
  }

  private release(lease: Lease | null): void {
    if (lease !== null) this.log.release(lease).catch(() => {});
  }

  /** Makes the session the writer. */
  private write(lease: Lease, loaded: LoadedLog, reason: 'opened' | 'hand-over'): void {
    const { parts, log, channel } = this;
    const { core, ports } = parts;
    const read = readLog(loaded);
    if (read.problem !== null) {
      this.release(lease);
      this.follower?.abort(read.problem);
      core.replace(read.state);
      return this.stayReadOnly(read.problem);
    }
    if (reason === 'opened') core.replace(read.state);
    else this.catchUp(loaded);
    const { clock } = ports;
    const fenced = (error: AgentSessionError) => this.fence(error);
    const journal = new LogJournal({ log, lease, ttlMs: LEASE_MS, clock, toStored, fenced });
    const { snapshot, records } = loaded;
    const length = lengthOf(records.flatMap(({ operations }) => operations));
    const snapshotLength = snapshot === null ? 0 : lengthOf(snapshot);
    this.journal = journal;
    core.journal!.attach(snapshotting(journal, () => core.state, length, snapshotLength));
    void core.journal!.load();
    becomeOwner(parts, { epoch: lease.epoch, reason });
    this.arrive(null);
    setLink(parts.access.link, { role: 'writer', open: true, saved: true }, ports);
    this.follower?.takeOver();
    this.follower = null;
    if (channel) this.host = new CommandHost(channel, parts.session, (error) => core.reportError(error));
    reactToInterruption(parts);
  }

  /** Makes the session a follower of the one that writes. */
  private follow(loaded: LoadedLog): void {
    const { parts, channel } = this;
    const { core, ports, access } = parts;
    const read = readLog(loaded);
    core.replace(read.state);
    if (read.problem !== null) return this.stayReadOnly(read.problem);
    core.publish();
    if (channel) {
      const nextId = () => ports.ids.next('command');
      this.follower = new Follower({ channel, core, nextId, released: () => void this.tryToTakeOver() });
    }
    this.arrive(this.follower ?? new ReadOnly(withoutChannel()));
    setLink(access.link, { role: channel ? 'follower' : 'read-only', open: true, saved: true }, ports);
    this.tail = new LogTail({
      read: (after, signal) => readAfter(this.log, this.id, after, signal),
      clock: ports.clock,
      core,
      beforeFold: (operations) => this.follower?.beforeFold(operations),
      beforeReplace: (state) => this.follower?.beforeReplace(state),
      unreadable: (problem) => {
        this.stop(problem);
        this.stayReadOnly(problem);
      },
    });
    this.tail.start({ revision: loaded.revision, epoch: read.epoch });
    this.startClaimTimer();
  }

  private startClaimTimer(): void {
    this.stopClaimTimer();
    this.stopClaimTimer = this.parts.ports.clock.schedule(() => void this.tryToTakeOver(), CLAIM_MS);
  }

  /** Takes over if no session holds the lease; else tries again later. */
  private async tryToTakeOver(): Promise<void> {
    // A second claim would take the lease away from the first.
    if (this.isClaiming) return;
    this.isClaiming = true;
    this.stopClaimTimer();
    let lease: Lease | null = null;
    try {
      lease = await this.claim();
      if (lease !== null) {
        const loaded = await this.log.load(this.id);
        if (this.tail === null) return this.release(lease);
        this.tail.stop();
        this.tail = null;
        return this.write(lease, loaded, 'hand-over');
      }
    } catch {
      // The log does not answer now.
      this.release(lease);
    } finally {
      this.isClaiming = false;
    }
    if (this.tail !== null) this.startClaimTimer();
  }

  /** Folds the end of a log that this session followed; where a snapshot took its place, the state becomes that of the log. */
  private catchUp(loaded: LoadedLog): void {
    const { core } = this.parts;
    const operations = loaded.records.flatMap((record) => record.operations);
    try {
      const news = following(core.state.sequence, operations);
      this.follower?.beforeFold(news);
      if (news.length > 0) foldForeign(core, news);
      if ((loaded.snapshot?.sequence ?? 0) > core.state.sequence) throw new Error('a snapshot follows');
    } catch {
      core.replace(readLog(loaded).state);
    }
  }

  /** Is called when another session has taken the log over. */
  private fence(error: AgentSessionError): void {
    const { journal } = this.parts.core;
    this.host?.stop();
    this.host = null;
    this.journal = null;
    journal!.fence(error);
    void this.rejoin();
  }

  private async rejoin(): Promise<void> {
    if (this.isClosed) return;
    try {
      const loaded = await this.log.load(this.id);
      if (!this.isClosed) this.follow(loaded);
    } catch {
      if (this.isClosed) return;
      this.stopClaimTimer = this.parts.ports.clock.schedule(() => void this.rejoin(), CLAIM_MS);
    }
  }

  /** Runs without the log, which cannot be opened. */
  private goOnInMemory(cause: unknown): void {
    const { access, ports } = this.parts;
    this.arrive(null);
    setLink(access.link, { open: true, saved: false }, ports);
    ports.reportError(toSessionError(cause, 'storage', 'The log of this conversation could not be opened.'));
  }

  private stayReadOnly(problem: AgentSessionError): void {
    const { core, access, ports } = this.parts;
    core.publish();
    this.arrive(new ReadOnly(problem));
    setLink(access.link, { role: 'read-only', open: true }, ports);
    ports.reportError(problem);
  }

  private arrive(detour: Detour | null): void {
    if (this.isOpening) this.opening.finish(detour);
    else this.parts.access.detour = detour;
    this.isOpening = false;
  }

  /** @param reason the error of commands that wait; default: the session is disposed */
  private stop(reason?: AgentSessionError): void {
    this.stopClaimTimer();
    this.tail?.stop();
    this.tail = null;
    this.host?.stop();
    this.follower?.abort(reason);
  }

  private async close(): Promise<void> {
    this.isClosed = true;
    this.stop();
    if (this.journal === null) return;
    const released = this.journal.close();
    const isReleased = await within(
      released.then(() => true),
      OPEN_MS,
      this.parts.ports.clock,
    );
    if (isReleased) this.channel?.post({ left: true });
  }
}

function withoutChannel(): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    'This conversation is open elsewhere. It can be read here, and not be changed.',
  );
}
