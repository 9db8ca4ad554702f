import type { TurnOutcome } from '../conversation/turn-record.js';
import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { Operation } from '../operations/operation.js';
import type { Journal } from '../ports/journal.js';
import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import type { TurnJournal } from '../turn/turn-request.js';
import type { JournalWriter } from './journal-writer.js';
import { logCode } from './log-code.js';
import type { Link } from './session-log.js';

/** Hands the operations of a session to its journal. The code that writes is loaded late; until then the operations are kept. */
export class SessionJournal implements TurnJournal {
  /** The error with which every command rejects since another writer owns the session; null while none does. */
  fencedBy: AgentSessionError | null = null;
  private readonly kept: Operation[] = [];
  private writer: JournalWriter | null = null;

  /** @param fenced is called once, when another writer owns the session */
  constructor(
    /** null while there is none: operations are dropped. */
    private journal: Journal | null,
    private readonly ports: Ports,
    readonly link: Signal<Link>,
    readonly fenced: (error: AgentSessionError) => void,
  ) {}

  get isFenced(): boolean {
    return this.fencedBy !== null;
  }

  /** Loads the code that writes. Returns nothing once it is there, else a promise, which rejects as that of `LazyCode`. */
  load(): void | Promise<void> {
    if (this.writer !== null || this.journal === null) return;
    const code = logCode.get(this.ports.clock);
    if (code instanceof Promise) return code.then(() => this.load());
    this.writer = new code.JournalWriter(this.journal, this.ports, this);
    for (const operation of this.kept.splice(0)) this.writer.take(operation);
  }

  /** Stops, since another writer owns the session. */
  fence(error: AgentSessionError): void {
    this.writer?.fence(error);
  }

  /** Goes on with another journal, from the next operation on. */
  attach(journal: Journal): void {
    this.journal = journal;
    this.writer = null;
    this.fencedBy = null;
    this.kept.length = 0;
  }

  /** Takes an operation, which has been folded. */
  take(operation: Operation): void {
    if (this.journal === null) return;
    if (this.writer === null) this.kept.push(operation);
    else this.writer.take(operation);
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
    await this.load();
    await this.writer?.close();
  }
}

/** The link of a session that writes, or that has no journal. */
export const connected: Link = { role: 'writer', open: true, saved: true };
