import { batch, signal, type AgentSessionError, type Ports } from '@handrail/session';
import { keepRaw } from '@handrail/session/follow';

/** `connecting` until the session is read, `offline` after a failure until the next attempt succeeds. */
export type ConnectionState = 'online' | 'connecting' | 'offline';

/** The two directions of a transport, which fail by themselves. */
type Direction = 'reading' | 'sending';

/** The state of the connection, as signals. */
export class Connection {
  readonly state = keepRaw(signal<ConnectionState>('connecting'));
  readonly error = keepRaw(signal<AgentSessionError | null>(null));
  private readonly failures = new Map<Direction, AgentSessionError>();
  private isOpen = false;

  constructor(private readonly ports: Pick<Ports, 'reportError'>) {}

  /** An item was read. */
  opened(): void {
    if (this.isOpen && !this.failures.has('reading')) return;
    this.isOpen = true;
    this.succeeded('reading');
  }

  /** The reading has ended. */
  ended(): void {
    this.isOpen = false;
    this.publish();
  }

  succeeded(direction: Direction): void {
    this.failures.delete(direction);
    this.publish();
  }

  failed(direction: Direction, error: AgentSessionError): void {
    this.failures.set(direction, error);
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
