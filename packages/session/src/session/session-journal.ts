import type { TurnOutcome } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Operation } from '../operations/operation.js';
import type { Journal } from '../ports/journal.js';
import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import type { TurnJournal } from '../turn/turn-request.js';
import type { JournalHost, JournalWriter } from './journal-writer.js';
import type { Link } from './session-log.js';

/** Hands the operations of a session to its journal. The code that writes is loaded before the session is open. */
export class SessionJournal implements TurnJournal {
  /** The error with which every command rejects since another writer owns the session; null while none does. */
  fencedBy: AgentSessionError | null = null;
  private writer: JournalWriter | null = null;
  /** Whether the log was handed over to another session, or is about to be. */
  private isHandedOver = false;
  /** Rises with each journal. */
  private tenure = 0;
  owned: TurnJournal['owned'] = () => {};

  /**
   * @param createWriter its code is loaded
   * @param fenced is called once, when another writer owns the session
   */
  constructor(
    private readonly createWriter: (journal: Journal, ports: Ports, host: JournalHost) => JournalWriter,
    /** null while there is none: operations are dropped. */
    journal: Journal | null,
    private readonly ports: Ports,
    readonly link: Signal<Link>,
    readonly fenced: (error: AgentSessionError) => void,
  ) {
    if (journal !== null) this.writeTo(journal);
  }

  get isFenced(): boolean {
    return this.fencedBy !== null || this.isHandedOver;
  }

  private writeTo(journal: Journal): void {
    this.writer = this.createWriter(journal, this.ports, this);
  }

  /** Stops, since another writer owns the session. */
  fence(error: AgentSessionError): void {
    this.writer?.fence(error);
  }

  /**
   * Writes the rest, for the session that goes on with the log: facts that follow are dropped. Resolves with false, and goes on, where
   * the rest is refused.
   */
  async handOver(): Promise<boolean> {
    const writing = this.barrier();
    this.isHandedOver = true;
    try {
      await writing;
      return true;
    } catch {
      this.isHandedOver = false;
      return false;
    }
  }

  /**
   * Goes on with another journal, from the next operation on.
   *
   * @param owned see `TurnJournal.owned`
   */
  attach(journal: Journal, owned: TurnJournal['owned']): void {
    this.owned = owned;
    this.fencedBy = null;
    this.isHandedOver = false;
    this.tenure++;
    this.writeTo(journal);
  }

  /** Returns the journal for a turn: fenced for ever once another session has owned the log, also when this one owns it again. */
  forTurn(): TurnJournal {
    const { tenure } = this;
    const isPast = () => tenure !== this.tenure;
    const isFenced = () => isPast() || this.isFenced;
    return {
      barrier: () => (isPast() ? past() : this.barrier()),
      owned: () => (isPast() ? past() : this.owned()),
      get isFenced() {
        return isFenced();
      },
    };
  }

  /** Takes an operation, which has been folded. */
  take(operation: Operation): void {
    this.writer?.take(operation);
  }

  barrier(): void | Promise<void> {
    return this.writer?.barrier();
  }

  /** Writes the end of a turn. The promise rejects with the outcome of the turn where it is refused. */
  end(outcome: TurnOutcome | null): Promise<void> | undefined {
    return this.writer?.end(outcome);
  }

  /** Writes the rest, and stops. */
  async close(): Promise<void> {
    await this.writer?.close();
  }
}

/** The end of a wait in a turn that another session has decided about. It may be ignored. */
function past(): Promise<void> {
  const message = 'This session was owned by another writer since the turn began.';
  const promise = Promise.reject<void>(
    new AgentSessionError('storage', message, { details: { reason: 'fenced' } }),
  );
  promise.catch(() => {});
  return promise;
}
