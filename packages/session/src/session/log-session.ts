import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { warn } from '../ports/warn.js';
import { toStored } from '../operations/to-stored.js';
import { Claims, leaseMsOf, renewalMs } from '../log/claims.js';
import { CommandHost } from './command-host.js';
import { CommandLog } from './command-log.js';
import type { ReceivedCommand } from './command-messages.js';
import { foldForeign } from '../log/fold-foreign.js';
import { followedState } from './followed-state.js';
import { Follower } from './follower.js';
import { handsOver } from './hand-over.js';
import { LogJournal } from '../log/log-journal.js';
import { interruptOpenWork } from './interrupt-open-work.js';
import { LogTail, readAfter, wholeNews } from '../log/log-tail.js';
import { evicted, isLogGone } from '../log/lost-log.js';
import type { OpenParts } from './open-parts.js';
import { postWhenListening } from '../log/post-when-listening.js';
import { reactToInterruption } from './react-to-interruption.js';
import { readLogWith, type LogPlace } from '../log/read-log.js';
import { preloadResume } from './resume-code.js';
import { readOnlyLine, type Line } from './line.js';
import type { Lease, Link, LoadedLog, LogChannel, SessionLog } from '../log/session-log.js';
import { Receipts, setReceipts } from './receipts.js';
import { setLink } from './set-link.js';
import { snapshotting } from '../log/snapshotting.js';
import { emitOwnerChanged } from './emit-owner-changed.js';
import { within } from '../log/within.js';

/** The longest time for opening a log, and for releasing it, in milliseconds. */
const OPEN_MS = 5_000;

/**
 * What a session is for its log, and the function that ends what goes on for this by itself. A journal holds its lease until it is ended.
 * - with `journal`: the writer. `stop` stops carrying out the commands of followers
 * - with `tail`: a follower. `behind` returns the domains whose state in this page differs from the state in the log
 * - otherwise the log is not open, or is lost. `stop` keeps the session from reading the log again
 */
type Role = { readonly stop?: () => void } & (
  | { readonly journal: LogJournal; readonly tail?: undefined; readonly behind?: undefined }
  | { readonly tail: LogTail; readonly behind: () => readonly string[]; readonly journal?: undefined }
  | { readonly journal?: undefined; readonly tail?: undefined; readonly behind?: undefined }
);

/**
 * Connects a session to its log. The session writes to the log, or follows the session that writes. It becomes the writer when the last
 * writer has ended, does not answer, or gives the log to it. It gives the log away when it is idle and a follower begins a command.
 */
export class LogSession {
  private readonly log: SessionLog;
  private readonly id: string;
  private readonly owner: string;
  private readonly channel: LogChannel | undefined;
  /** Fires when the session is disposed. */
  private readonly signal: AbortSignal;
  private role: Role = {};
  private readonly claims: Claims;
  private readonly commands: CommandLog;
  private readonly receipts: Receipts;

  constructor(private readonly parts: OpenParts) {
    const { core, options, ports, lane, session } = parts;
    this.log = options.log!;
    this.id = options.id!;
    this.owner = ports.ids.next('owner');
    const channel = this.log.channel?.(this.id);
    this.channel = channel && postWhenListening(channel);
    this.signal = lane.signal;
    this.claims = new Claims({
      log: this.log,
      id: this.id,
      owner: this.owner,
      clock: ports.clock,
      // An undo that began earlier in this session may still run.
      isReady: () => !lane.isBusy,
      hasCommands: () => this.follower?.hasCommands ?? false,
      succeed: (lease, loaded) => this.succeed(lease, loaded),
    });
    this.commands = new CommandLog(core, lane, session);
    this.receipts = new Receipts(session, { log: this.commands });
    setReceipts(session, this.receipts);
    // From then on, arriving commands are left to the next writer.
    const { signal } = this;
    signal.addEventListener('abort', () => this.stop(signal.reason as AgentSessionError));
  }

  /** The line to the session that owns the log; null if there is none. */
  private get follower(): Follower | null {
    const { line } = this.parts.lane;
    return line instanceof Follower ? line : null;
  }

  private become(role: Role): void {
    this.role.stop?.();
    this.role = role;
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
    if (connected === null || this.signal.aborted) {
      // The lease may arrive later; then it is released.
      connecting.then(({ lease }) => this.claims.release(lease)).catch(() => {});
      if (!this.signal.aborted) this.goOnInMemory(failure);
    } else if (connected.lease === null) this.follow(connected.loaded);
    else this.write(connected.lease, connected.loaded, 'opened');
  }

  /** Claims and reads the log. Without a lease if another session has it. */
  private async connect(): Promise<{ lease: Lease | null; loaded: LoadedLog }> {
    const lease = await this.claims.claim();
    try {
      return { lease, loaded: await this.log.load(this.id) };
    } catch (error) {
      this.claims.release(lease);
      throw error;
    }
  }

  /** Becomes the writer after another session. */
  private succeed(lease: Lease, loaded: LoadedLog): void {
    const { role } = this;
    if (role.tail?.isAheadOf(loaded)) {
      this.claims.release(lease);
      return this.endWithoutLog(evicted(this.id), role.tail.epoch);
    }
    this.become({});
    this.write(lease, loaded, 'hand-over', role.behind);
  }

  /** Makes the session the writer. */
  private write(
    lease: Lease,
    loaded: LoadedLog,
    reason: 'opened' | 'hand-over',
    behind = (): readonly string[] => [],
  ): void {
    const { parts, log } = this;
    const { core, ports } = parts;
    const read = readLogWith(loaded, this.parts.readSaved);
    if (read.problem !== null) {
      this.claims.release(lease);
      this.follower?.abort(read.problem);
      this.commands.abort(read.problem);
      core.replace(read.state);
      return this.stayReadOnly(read.problem);
    }
    if (reason === 'opened') core.replace(read.state);
    else this.catchUp(loaded);
    const fenced = (error: AgentSessionError) => this.fence(journal, error);
    const journal: LogJournal = new LogJournal({
      log,
      lease,
      ttlMs: leaseMsOf(log),
      clock: ports.clock,
      toStored,
      fenced,
    });
    this.become({ journal });
    core.journal!.attach(snapshotting(journal, core, loaded), {
      owned: () => journal.owned(),
      release: () => this.release(journal),
    });
    emitOwnerChanged(parts, { epoch: lease.epoch, reason });
    const { follower } = this;
    this.useLine(null);
    setLink(parts.lane.link, { role: 'writer', open: true, saved: true, behind: behindLog(behind()) }, ports);
    follower?.takeOver();
    this.listen(journal);
    reactToInterruption(parts);
  }

  /** Starts to carry out the commands of followers. */
  private listen(journal: LogJournal): void {
    const { channel, receipts } = this;
    const { core } = this.parts;
    if (!channel) return;
    const host = new CommandHost({
      channel,
      epoch: journal.lease.epoch,
      receipts,
      reportError: (error) => core.reportError(error),
      handOver: (command) => this.handOver(command, journal),
      replaced: () => void this.role.journal?.renew(),
      owned: () => this.role.journal?.owned(),
    });
    this.become({ journal, stop: () => host.stop() });
  }

  /** Makes the session a follower of the session that writes. */
  private follow(loaded: LoadedLog): void {
    const { core } = this.parts;
    const read = readLogWith(loaded, this.parts.readSaved);
    core.replace(read.state);
    if (read.problem !== null) return this.stayReadOnly(read.problem);
    core.publish();
    this.followFrom({ revision: loaded.revision, epoch: read.epoch });
  }

  /** @param last the last record that the state includes */
  private followFrom(last: LogPlace): void {
    const { core, ports, lane } = this.parts;
    const follower = this.follower ?? this.createFollower();
    // The writer may end during a turn, and this session may have to go on with it.
    preloadResume(ports.clock);
    const tail: LogTail = new LogTail({
      read: (after, signal) => readAfter(this.log, this.id, after, signal),
      clock: ports.clock,
      core,
      readSaved: this.parts.readSaved,
      beforeFold: (operations) => this.follower?.beforeFold(operations),
      beforeReplace: (state) => this.follower?.beforeReplace(state),
      unreadable: (problem) =>
        isLogGone(problem) ? this.endWithoutLog(problem, tail.epoch) : this.end(problem),
    });
    this.become({ tail, behind: followedState(this.parts), stop: () => tail.stop() });
    this.useLine(follower ?? readOnlyLine(withoutChannel()));
    setLink(
      lane.link,
      { role: follower ? 'follower' : 'read-only', open: true, saved: true, behind: undefined },
      ports,
    );
    tail.start(last);
    this.claims.wait();
  }

  private createFollower(): Follower | null {
    const { channel, owner, log } = this;
    const { core, ports } = this.parts;
    if (!channel) return null;
    return new Follower({
      channel,
      core,
      owner,
      nextId: () => ports.ids.next('command'),
      epoch: () => this.role.tail?.epoch ?? 0,
      carryOut: (command, run, aborted) => this.commands.carryOut(command, run, aborted),
      released: (epoch) => this.claims.now(epoch),
      watch: {
        clock: ports.clock,
        silenceMs: leaseMsOf(log),
        silent: () => this.claims.steal(),
      },
    });
  }

  /** If this session is idle, gives the log to the sender of a command. Returns whether it does. */
  private handOver(command: ReceivedCommand, journal: LogJournal): boolean {
    if (!handsOver(command, this.parts)) return false;
    this.become({ journal });
    // From now on the commands of this session wait in the follower.
    this.parts.lane.line = this.createFollower();
    void this.giveLease(journal, command.id);
    return true;
  }

  private async giveLease(journal: LogJournal, command: string): Promise<void> {
    const isWritten = await this.parts.core.journal!.handOver();
    // Meanwhile another session took the log, or this session was disposed.
    if (this.role.journal !== journal || this.signal.aborted) return;
    if (!isWritten) return this.goOn(journal);
    const { lease } = journal;
    this.claims.leave(lease);
    const revision = journal.end();
    this.channel!.post({ left: true, to: command, epoch: lease.epoch });
    this.followFrom({ revision, epoch: lease.epoch });
  }

  /** Stays the writer, because the remaining operations could not be written for the next writer. */
  private goOn(journal: LogJournal): void {
    const { follower } = this;
    this.parts.lane.line = null;
    follower!.takeOver();
    this.listen(journal);
  }

  /** Folds the end of a log that this session followed. If a snapshot has replaced records, the state is read from the log again. */
  private catchUp(loaded: LoadedLog): void {
    const { core } = this.parts;
    const operations = loaded.records.flatMap((record) => record.operations);
    let isWhole = true;
    try {
      const news = wholeNews(core, operations);
      this.follower?.beforeFold(news);
      if (news.length > 0) foldForeign(core, news);
    } catch {
      isWhole = false;
    }
    if (!isWhole || (loaded.snapshot?.sequence ?? 0) > core.state.sequence)
      core.replace(readLogWith(loaded, this.parts.readSaved).state);
  }

  /** Called when another session has taken over the log, or the session was removed. */
  private fence(journal: LogJournal, error: AgentSessionError): void {
    const { lease } = journal;
    const revision = journal.end();
    this.become({});
    this.claims.leave(lease);
    this.parts.core.journal!.fence(error);
    if (isLogGone(error)) this.endWithoutLog(error, lease.epoch);
    else void this.rejoin({ revision, epoch: lease.epoch });
  }

  /** @param last the last record that this session wrote */
  private async rejoin(last: LogPlace): Promise<void> {
    if (this.signal.aborted) return;
    const { clock } = this.parts.ports;
    const loaded = await within(this.log.load(this.id), OPEN_MS, clock, this.signal).catch(() => null);
    if (this.signal.aborted) return;
    if (loaded === null) {
      const again = () => void this.rejoin(last);
      this.become({ stop: clock.schedule(again, renewalMs(leaseMsOf(this.log))) });
    } else if (loaded.revision < last.revision) this.endWithoutLog(evicted(this.id), last.epoch);
    else this.follow(loaded);
  }

  /**
   * Runs without the log, because the log cannot be opened. With the option `whenUnsaved: 'stop'`, commands are refused until the log can be
   * read.
   */
  private goOnInMemory(cause: unknown): void {
    const { lane, ports, options } = this.parts;
    const stops = options.whenUnsaved === 'stop';
    const problem = toSessionError(cause, 'storage', 'The log of this conversation could not be opened.');
    this.useLine(stops ? readOnlyLine(problem) : null);
    setLink(lane.link, { role: stops ? 'read-only' : 'writer', open: true, saved: false }, ports);
    ports.reportError(problem);
    if (stops) void this.rejoin({ revision: 0, epoch: 0 });
  }

  /** Stops following a log that cannot be read to its end. */
  private end(problem: AgentSessionError): void {
    this.stop(problem);
    this.stayReadOnly(problem);
  }

  /** @param epoch the epoch of the last owner */
  private endWithoutLog(problem: AgentSessionError, epoch: number): void {
    this.stop(problem);
    const { core, ports } = this.parts;
    interruptOpenWork(core, ports.clock, epoch + 1);
    this.stayReadOnly(problem);
  }

  private stayReadOnly(problem: AgentSessionError): void {
    const { core, lane, ports } = this.parts;
    core.publish();
    this.useLine(readOnlyLine(problem));
    setLink(lane.link, { role: 'read-only', open: true, saved: !isLogGone(problem) }, ports);
    ports.reportError(problem);
  }

  /** Passes commands over a line from now on; null to carry the commands out here. The first call opens the session. */
  private useLine(line: Line | null): void {
    const { lane, opened } = this.parts;
    const isOpening = lane.line === undefined;
    lane.line = line;
    if (isOpening) opened();
  }

  /** @param reason the error of waiting commands */
  private stop(reason: AgentSessionError): void {
    this.claims.stop();
    this.role.stop?.();
    this.follower?.abort(reason);
    this.commands.abort(reason);
  }

  /** Releases the lease of a journal when the session has ended, unless the lease is lost or was given away. */
  private async release(journal: LogJournal): Promise<void> {
    if (this.role.journal !== journal) return;
    const { clock } = this.parts.ports;
    const released = journal.close().then(() => true);
    if (await within(released, OPEN_MS, clock)) this.channel?.post({ left: true });
  }
}

function withoutChannel(): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    'This conversation is open elsewhere. It can be read here, and not be changed.',
    { retry: 'after-action', details: { reason: 'open-elsewhere' } },
  );
}

/** Returns the field `behind` of the link of a writer. Warns if the list is not empty. */
function behindLog(domains: readonly string[]): Link['behind'] {
  if (domains.length === 0) return undefined;
  warn(
    `This tab writes now, and its state of ${domains.join(', ')} differs from the tab before: share it, see docs/tabs.md.`,
  );
  return domains;
}
