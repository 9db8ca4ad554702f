import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { TurnOutcome } from '../conversation/turn-record.js';
import type { Operation } from '../operations/operation.js';
import type { Journal } from '../ports/journal.js';
import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import type { TurnJournal } from '../turn/turn-request.js';
import type { JournalHost, JournalWriter, Outage } from './journal-writer.js';
import type { Link } from './session-log.js';

/** What happens to the turns of a session because of its journal, see {@link JournalHost}. */
export interface JournalEvents extends Pick<JournalHost, 'fenced' | 'savedAgain'> {
  /** As {@link JournalHost.putDown}. Returns false if no turn runs. */
  putDown(error: AgentSessionError): boolean;
}

/** The right to write to a journal. */
interface JournalLease extends Pick<TurnJournal, 'owned'> {
  /** Gives the right up, after the last write. */
  release?(): Promise<void>;
}

/** Passes the operations of a session to its journal. The code that writes is loaded before the session opens. */
export class SessionJournal implements TurnJournal, JournalHost {
  /** The writer, and the lease of its journal; null without a journal. */
  private target: { readonly writer: JournalWriter; readonly lease: JournalLease } | null = null;
  /** `handed-over`: to another session, or this is being done. An error: another writer owns the session. */
  private owner: 'here' | 'handed-over' | AgentSessionError = 'here';
  /** Increases by one with each journal, and with each turn that is put down. */
  private tenure = 0;

  /** @param createWriter creates the writer; called only when the code of the writer is loaded */
  constructor(
    private readonly createWriter: (journal: Journal, ports: Ports, host: JournalHost) => JournalWriter,
    /** null if there is none yet: operations are dropped. */
    journal: Journal | null,
    private readonly ports: Ports,
    readonly link: Signal<Link>,
    private readonly events: JournalEvents,
  ) {
    if (journal !== null) this.writeTo(journal, { owned: () => {} });
  }

  get isFenced(): boolean {
    return this.owner !== 'here';
  }

  /** The error with which every command rejects because another writer owns the session; null while no other writer does. */
  get fencedBy(): AgentSessionError | null {
    return typeof this.owner === 'string' ? null : this.owner;
  }

  /** While commands are refused because the journal takes no writes: the error, and the end of this time. Otherwise null. */
  get outage(): Outage | null {
    return this.writer?.outage ?? null;
  }

  /** With the option `whenUnsaved: 'stop'`: if a write is refused now or later, puts the running turn down without a further wait. */
  stopHolding(): void {
    this.writer?.stopHolding();
  }

  fenced(error: AgentSessionError): void {
    this.owner = error;
    this.events.fenced(error);
  }

  putDown(error: AgentSessionError): void {
    // The code of the turn that still runs may not move effects any more.
    if (this.events.putDown(error)) this.tenure++;
  }

  savedAgain(epoch: number): void {
    this.events.savedAgain(epoch);
  }

  private writeTo(journal: Journal, lease: JournalLease): void {
    this.target = { writer: this.createWriter(journal, this.ports, this), lease };
  }

  private get writer(): JournalWriter | undefined {
    return this.target?.writer;
  }

  /** Stops writing, because another writer owns the session. */
  fence(error: AgentSessionError): void {
    this.writer?.fence(error);
  }

  /**
   * Writes the remaining operations for the session that goes on with the log. Facts that follow are dropped. If the write is refused,
   * resolves with false, and this session goes on.
   */
  async handOver(): Promise<boolean> {
    const writing = this.barrier();
    this.owner = 'handed-over';
    try {
      await writing;
      return true;
    } catch {
      // Another session may have taken the log meanwhile.
      if (this.fencedBy === null) this.owner = 'here';
      return false;
    }
  }

  /** Writes to another journal, from the next operation on. */
  attach(journal: Journal, lease: JournalLease): void {
    this.owner = 'here';
    this.tenure++;
    this.writeTo(journal, lease);
  }

  /**
   * Returns the journal for one turn. After another session has owned the log, or the turn was put down, this journal is fenced forever,
   * even if this session owns the log again.
   */
  forTurn(): TurnJournal {
    const { tenure } = this;
    const isPast = () => tenure !== this.tenure;
    const isFenced = () => isPast() || this.isFenced;
    return {
      barrier: () => (isPast() ? past() : this.barrier()),
      owned: () => (isPast() ? past() : this.owned()),
      recorded: () => (isPast() ? past() : this.recorded()),
      get isFenced() {
        return isFenced();
      },
    };
  }

  /** Takes an operation that has been folded. */
  take(operation: Operation): void {
    this.writer?.take(operation);
  }

  barrier(): void | Promise<void> {
    return this.writer?.barrier();
  }

  recorded(): void | Promise<void> {
    return this.writer?.recorded();
  }

  owned(): void | Promise<void> {
    const recording = this.recorded();
    const check = () => this.target?.lease.owned();
    return recording === undefined ? check() : recording.then(check);
  }

  /** Writes the end of a turn. If the write is refused, the promise rejects with an error that has the outcome of the turn. */
  end(outcome: TurnOutcome | null): Promise<void> | undefined {
    return this.writer?.end(outcome);
  }

  /** Writes the remaining operations, stops, and gives the lease up. */
  async close(): Promise<void> {
    const { target } = this;
    await target?.writer.close();
    await target?.lease.release?.();
  }
}

/**
 * Returns the promise for a turn that waits for its journal after another session has taken over the turn, or the turn was put down. The
 * rejection may be ignored.
 */
function past(): Promise<void> {
  const message = 'The turn was left: another writer owned this session, or its log took no writes.';
  const promise = Promise.reject<void>(
    new AgentSessionError('storage', message, { details: { reason: 'fenced' } }),
  );
  promise.catch(() => {});
  return promise;
}
