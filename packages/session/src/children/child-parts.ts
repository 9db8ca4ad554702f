import { Observable } from 'rxjs';
import { tripError, type Trip } from '../limits/trip.js';
import type { AgentClock } from '../limits/agent-clock.js';
import type { TurnRevisions } from '../turn/turn-revisions.js';
import type { Turn } from '../turn/turn-context.js';
import type { Extensions } from '../turn/turn-parts.js';
import type { RunningCall } from '../turn/turn-request.js';
import type { ChildSpending } from './child-spending.js';

/** Returns the clock of a child turn, which is a part of its own time and of the time of each turn above. */
export function clockIn(clocks: readonly AgentClock[]): Turn['clock'] {
  return {
    hold: () => {
      const releases = clocks.map((clock) => clock.hold());
      return () => releases.forEach((release) => release());
    },
    setThinking: (isThinking) => clocks.forEach((clock) => clock.setThinking(isThinking)),
  };
}

/** The running calls of a child turn. They are running calls of the turn above too. */
export class ChildCalls extends Map<string, RunningCall> {
  constructor(private readonly above: Map<string, RunningCall>) {
    super();
  }

  override set(callId: string, call: RunningCall): this {
    this.above.set(callId, call);
    return super.set(callId, call);
  }

  override delete(callId: string): boolean {
    this.above.delete(callId);
    return super.delete(callId);
  }
}

/**
 * Returns the revisions of a child turn. What the turn has changed is counted for all its agents, and what a model has read for the agent
 * alone.
 */
export function childRevisions(root: TurnRevisions, current: Turn['current']): TurnRevisions {
  return Object.create(root, {
    of: { value: (domain: string) => current().fold.turn?.revisions?.readByModel[domain] },
    // What a child turn takes back is compared with the revisions before that, and not with those before the turn.
    start: { value: {} },
  }) as TurnRevisions;
}

/**
 * Returns the extensions of a child turn. The user is asked once for more of a limit that counts all agents together. An own limit of the
 * agent stops the child turn.
 */
export function childExtensions(
  root: Extensions,
  child: Pick<Turn, 'cancellation' | 'clock'>,
  spending: ChildSpending,
): Extensions {
  let end: (error: unknown) => void = () => {};
  const shared = (trip: Trip | null) => (trip === null || spending.isOwn(trip) ? null : trip);
  return {
    started: (ended) => {
      end = ended;
      return () => {};
    },
    tripped: (trip) => end(tripError(trip)),
    permitted: (trip) =>
      new Observable<never>((subscriber) => {
        subscriber.add(child.clock.hold());
        root.permitted(() => shared(trip())).subscribe(subscriber);
      }).pipe(child.cancellation.untilCancelled()),
    waits: (trip) => root.waits(shared(trip)),
  };
}
