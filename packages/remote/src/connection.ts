import type { AgentSessionError, Ports } from '@banister/session';
import { batch, signal } from '@banister/session/signals';
import { keepRaw } from '@banister/session/follow';

/** `connecting` until the session has been read; `offline` after a failure, until the next attempt succeeds. */
export type ConnectionState = 'online' | 'connecting' | 'offline';

/** The two directions of a transport. Each can fail on its own. */
type Direction = 'reading' | 'sending';

/** The state of the connection, as signals. */
export class Connection {
  readonly state = keepRaw(signal<ConnectionState>('connecting'));
  readonly error = keepRaw(signal<AgentSessionError | null>(null));
  private readonly failures = new Map<Direction, AgentSessionError>();
  private isOpen = false;

  constructor(private readonly ports: Pick<Ports, 'reportError'>) {}

  /** Called after each item that was read. */
  read(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.failures.delete('reading');
    this.publish();
  }

  /** @param failure null if reading ended without an error */
  readingEnded(failure: AgentSessionError | null): void {
    this.isOpen = false;
    if (failure !== null) this.failures.set('reading', failure);
    this.publish();
  }

  sent(): void {
    if (this.failures.delete('sending')) this.publish();
  }

  notSent(failure: AgentSessionError): void {
    this.failures.set('sending', failure);
    this.publish();
  }

  private publish(): void {
    const [failure = null] = this.failures.values();
    try {
      batch(() => {
        this.state.value = failure !== null ? 'offline' : this.isOpen ? 'online' : 'connecting';
        this.error.value = failure;
      });
    } catch (error) {
      // An effect of the app threw.
      this.ports.reportError(error);
    }
  }
}
