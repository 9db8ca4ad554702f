import { effect, signal, type AgentSession, type Operation, type ReadonlySignal } from '@handrail/session';

/** How many operations are shown; the stream itself is not bounded. */
const SHOWN = 60;
/** Length of the window over which rates are counted, in milliseconds. */
const WINDOW = 1000;

export interface MeterReading {
  readonly operationsPerSecond: number;
  readonly publicationsPerSecond: number;
}

/** Watches a session: its last operations, and how many publications they cause. */
export interface OperationMeter {
  readonly operations: ReadonlySignal<readonly Operation[]>;
  readonly reading: ReadonlySignal<MeterReading>;
  stop(): void;
}

/** Starts watching. It has no effect on the session. */
export function createOperationMeter(session: AgentSession): OperationMeter {
  const operations = signal<readonly Operation[]>([]);
  const reading = signal<MeterReading>({ operationsPerSecond: 0, publicationsPerSecond: 0 });
  let arrived: readonly Operation[] = [];
  let operationCount = 0;
  let publicationCount = 0;

  const subscription = session.operations$.subscribe((operation) => {
    operationCount++;
    arrived = [...arrived.slice(1 - SHOWN), operation];
  });
  // The effect runs once for each batch in which one of these changed: that is one publication.
  const stopCounting = effect(() => {
    void session.phase.value;
    void session.liveTurn.value;
    void session.turns.value;
    publicationCount++;
  });
  const list = setInterval(() => {
    operations.value = arrived;
  }, 100);
  const rates = setInterval(() => {
    reading.value = { operationsPerSecond: operationCount, publicationsPerSecond: publicationCount };
    operationCount = publicationCount = 0;
  }, WINDOW);

  return {
    operations,
    reading,
    stop() {
      subscription.unsubscribe();
      stopCounting();
      clearInterval(list);
      clearInterval(rates);
    },
  };
}
