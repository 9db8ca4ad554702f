import { AgentSessionError, effect, toStored, type AgentSession, type Operation } from '@banister/session';
import { foldedState, RECORD_VERSION } from '@banister/session/follow';
import type { TransportItem } from './transport.js';

/** The number of operations that wait for a slow reader; with one more it gets a snapshot instead. */
const MOST_WAITING = 10_000;

/**
 * Returns the operations of a session after one of them, each as a record with its number as the revision, and a snapshot where the next one
 * is not there. Throws `disposed` when the session is disposed.
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
        yield { version: RECORD_VERSION, revision, epoch: 0, operations: toStored([operation]) };
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

  /** Resolves when the session has read its log, when it is over, and when the signal fires. */
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

  /** Returns the state with all operations that wait. */
  snapshot() {
    this.waiting = [];
    const snapshot = foldedState(this.session.state);
    return { snapshot, revision: snapshot.sequence };
  }

  stop(): void {
    this.subscription.unsubscribe();
    this.stopEffect();
    this.signal.removeEventListener('abort', this.aborted);
  }

  private add(operation: Operation): void {
    // The last one stays: it is not the next one of the reader, which so gets a snapshot.
    if (this.waiting.length === MOST_WAITING) this.waiting = [];
    this.waiting.push(operation);
    this.ring();
  }
}

function disposed(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session is disposed.');
}
