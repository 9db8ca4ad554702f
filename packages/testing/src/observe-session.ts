import {
  createMirror,
  type AgentSession,
  type MirrorOptions,
  type Operation,
  type OperationOf,
  type OperationType,
  type SessionState,
} from '@banister/session';
import { apply, isTerminal } from '@banister/session/operations';
import { createOrderChecker } from './order/order-checker.js';
import { validateHistory } from './validate-history.js';
import type { VirtualClock } from './virtual-clock.js';

export interface ObserveOptions {
  /** The session's clock. An idle session must have no open timer. */
  readonly clock?: VirtualClock | undefined;
  /** The words of the session, if its signals do not show the English words. */
  readonly words?: MirrorOptions['words'];
}

/** The operations of a session. Each is checked when it is delivered. */
export interface Observation {
  /** All operations since the start of the observation. */
  readonly operations: readonly Operation[];
  /** The types of these operations, for a test of their order. */
  readonly types: readonly OperationType[];
  /** All violations up to now; {@link observe} lists the checks. */
  readonly problems: readonly string[];
  /** Resolves with the first operation of this type since the start of the observation. */
  until<T extends OperationType>(type: T): Promise<OperationOf<T>>;
  /** Resolves with the first operation that `matches`. Rejects if the session or the observation ends before it. */
  until(matches: (operation: Operation) => boolean): Promise<Operation>;
  /** Throws if there was a violation. */
  check(): void;
  /** Stops observing, and checks. */
  dispose(): void;
}

/**
 * Observes a session and checks what must always hold:
 *
 * - the operations follow the grammar of the order checker;
 * - after every operation a real API would accept the conversation: every tool call has exactly one result;
 * - applying the operations gives the state that the session shows;
 * - when a turn ends, nothing is left open in the state, in the signals, or on the clock.
 *
 * Call it before the first turn. It does not change the session.
 *
 * @example
 * const observed = observe(session);
 * await session.send('Hello');
 * console.log(observed.types.at(-1)); // 'completed'
 * observed.dispose(); // throws when an invariant was broken
 */
export function observe(session: AgentSession, { clock, words }: ObserveOptions = {}): Observation {
  const operations: Operation[] = [];
  const problems: string[] = [];
  const waits = createWaits(operations);
  const checker = createOrderChecker();
  let folded: SessionState = session.state;

  const follow = (operation: Operation): void => {
    operations.push(operation);
    problems.push(...checker.check(operation));
    const before = folded;
    try {
      folded = apply(folded, operation);
    } catch (error) {
      problems.push(`#${operation.sequence} ${operation.type}: it cannot be folded: ${String(error)}`);
    }
    problems.push(...problemsAfter(operation, before, folded));
    waits.resolve(operation);
  };

  const subscription = session.operations$.subscribe({
    next: follow,
    error: (error) => problems.push(`operations$ must never error, and did: ${String(error)}`),
    complete: () => waits.end('The session was disposed'),
  });

  const check = (): void => {
    const open = session.state.isRunning ? [] : openTimers(clock);
    const now = [...problems, ...differences(session, folded, words), ...open];
    if (now.length > 0) throw new Error(['The session broke its contract:', ...now].join('\n- '));
  };

  return {
    operations,
    get types() {
      return operations.map((operation) => operation.type);
    },
    problems,
    until: waits.until,
    check,
    dispose() {
      subscription.unsubscribe();
      waits.end('The observation was disposed');
      check();
    },
  };
}

/** Promises of operations that have not been delivered yet. */
interface Waits {
  readonly until: Observation['until'];
  /** Resolves the promises that this operation matches. */
  resolve(operation: Operation): void;
  /** Rejects every open promise, and every later promise. */
  end(reason: string): void;
}

interface Wait {
  readonly matches: (operation: Operation) => boolean;
  readonly resolve: (operation: Operation) => void;
  readonly reject: (error: Error) => void;
}

/** @param operations the delivered operations; `until` searches them first */
function createWaits(operations: readonly Operation[]): Waits {
  const waits = new Set<Wait>();
  let over = false;

  const until = (wanted: OperationType | ((operation: Operation) => boolean)): Promise<Operation> => {
    const matches = typeof wanted === 'function' ? wanted : ({ type }: Operation) => type === wanted;
    const known = operations.find(matches);
    if (known !== undefined) return Promise.resolve(known);
    if (over) return Promise.reject(new Error('The observation is over, and the operation never came.'));
    return new Promise((resolve, reject) => waits.add({ matches, resolve, reject }));
  };

  return {
    // One implementation for both forms: the type of an operation determines the operation.
    until: until as Observation['until'],
    resolve(operation) {
      for (const wait of waits) {
        if (!wait.matches(operation)) continue;
        waits.delete(wait);
        wait.resolve(operation);
      }
    },
    end(reason) {
      over = true;
      for (const wait of waits) wait.reject(new Error(`${reason} before the operation came.`));
      waits.clear();
    },
  };
}

/** Returns the invariants that an operation broke, given the states before and after it. */
function problemsAfter(operation: Operation, before: SessionState, after: SessionState): readonly string[] {
  const { conversation } = after;
  const problems = conversation === before.conversation ? [] : validateHistory(conversation.messages);
  // A subscriber of the terminal operation may start the next turn, so only the folded state must be idle here.
  const open = isTerminal(operation) ? notIdle(after) : [];
  return [...problems, ...open].map((one) => `#${operation.sequence} ${operation.type}: ${one}`);
}

function notIdle(state: SessionState): readonly string[] {
  const { isRunning, phase, liveTurn, activeToolCalls, pendingConfirmations } = state;
  return [
    ...(isRunning ? ['isRunning is true after the turn'] : []),
    ...(phase === 'idle' ? [] : [`phase is "${phase}" after the turn`]),
    ...(liveTurn === null ? [] : ['liveTurn is set after the turn']),
    ...(activeToolCalls.length === 0 ? [] : ['activeToolCalls is not empty after the turn']),
    ...(pendingConfirmations.length === 0 ? [] : ['pendingConfirmations is not empty after the turn']),
  ];
}

/** Returns the differences between the session and the state folded from its operations. */
function differences(
  session: AgentSession,
  folded: SessionState,
  words: ObserveOptions['words'],
): readonly string[] {
  const { state } = session;
  const problems: string[] = [];
  if (JSON.stringify(folded) !== JSON.stringify(state)) {
    const fields = keysOf(folded).filter((key) => JSON.stringify(folded[key]) !== JSON.stringify(state[key]));
    problems.push(`folding the operations does not give the state; see ${fields.join(', ')}`);
  }
  // While a turn runs, signals may be a frame behind; an idle session has published everything.
  if (state.isRunning) return problems;
  const shown = words && createMirror(state, { words }).signals;
  const unpublished = plainSignals.filter(
    (key) => JSON.stringify(session[key].peek()) !== JSON.stringify(shown ? shown[key].peek() : state[key]),
  );
  if (unpublished.length > 0) problems.push(`signals are behind the state: ${unpublished.join(', ')}`);
  return problems;
}

/** Signals that show the same as the state, in the words of the session. */
const plainSignals = [
  'isRunning',
  'phase',
  'currentText',
  'currentThinking',
  'turns',
  'liveTurn',
  'conversation',
  'activeToolCalls',
  'lastUsageReport',
  'lastOutcome',
  'canUndo',
  'canRedo',
] as const;

function keysOf(state: SessionState): readonly (keyof SessionState)[] {
  return Object.keys(state) as (keyof SessionState)[];
}

function openTimers(clock: VirtualClock | undefined): readonly string[] {
  return clock === undefined || clock.pending === 0
    ? []
    : [`open timers though nothing runs: ${clock.pending}`];
}
