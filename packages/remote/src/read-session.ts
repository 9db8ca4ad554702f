import { AgentSessionError, effect, type AgentSession, type Operation } from '@banister/session';
import { toStored } from '@banister/session/operations';
import { recordVersion, savedState } from '@banister/session/follow';
import type { TransportItem } from './transport.js';

/** The maximal number of operations that wait for a slow reader. If there are more, it gets a snapshot instead. */
const MOST_WAITING = 10_000;

/**
 * Returns the operations of a session after `after`. Each is a record whose revision is the number of the operation. If the next operation
 * is not available, the reader gets a snapshot. Throws `disposed` when the session is disposed.
 *
 * @param after the number of the last operation that the reader has; 0 for none
 */
export async function* readSession(
  session: AgentSession,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TransportItem, void, void> {
  const operations = new WaitingOperations(session, signal);
  try {
    await operations.opened();
    if (signal.aborted) return;
    if (operations.isOver) throw disposed();
    let revision = after;
    if (after > 0 && after === session.state.sequence) yield { alive: true };
    else {
      const item = operations.snapshot();
      ({ revision } = item);
      yield item;
    }
    while (!signal.aborted) {
      const operation = operations.next();
      if (operation === undefined) {
        if (operations.isOver) throw disposed();
        await operations.arrival();
      } else if (operation.sequence === revision + 1) {
        revision = operation.sequence;
        const stored = toStored([operation]);
        yield { version: recordVersion(stored), revision, epoch: 0, operations: stored };
      } else if (operation.sequence > revision) {
        const item = operations.snapshot();
        ({ revision } = item);
        yield item;
      }
    }
  } finally {
    operations.stop();
  }
}

/** The operations of a session that one reader has not read yet. */
class WaitingOperations {
  isOver = false;
  private waiting: Operation[] = [];
  private ring = () => {};
  private readonly subscription;
  private readonly stopEffect;
  private readonly aborted = () => this.ring();

  constructor(
    private readonly session: AgentSession,
    private readonly signal: AbortSignal,
  ) {
    this.subscription = session.operations$.subscribe({
      next: (operation) => this.add(operation),
      complete: () => {
        this.isOver = true;
        this.ring();
      },
    });
    this.stopEffect = effect(() => {
      if (session.link.value.open) this.ring();
    });
    signal.addEventListener('abort', this.aborted);
  }

  /** Resolves when the session has read its log, when the session is over, or when `signal` aborts. */
  async opened(): Promise<void> {
    while (!this.session.link.value.open && !this.isOver && !this.signal.aborted) await this.arrival();
  }

  next(): Operation | undefined {
    return this.waiting.shift();
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.ring = resolve;
    });
  }

  /** Returns the state, which contains all waiting operations. */
  snapshot() {
    this.waiting = [];
    const snapshot = savedState(this.session.state);
    return { snapshot, revision: snapshot.sequence };
  }

  stop(): void {
    this.subscription.unsubscribe();
    this.stopEffect();
    this.signal.removeEventListener('abort', this.aborted);
  }

  private add(operation: Operation): void {
    // Only the newest operation stays: it is not the next operation of the reader, so the reader gets a snapshot.
    if (this.waiting.length === MOST_WAITING) this.waiting = [];
    this.waiting.push(operation);
    this.ring();
  }
}

function disposed(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session is disposed.');
}
