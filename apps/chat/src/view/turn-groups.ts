import { computed, signal, type AgentSession, type ReadonlySignal } from '@handrail/session';

/** Turns of a group. The browser keeps account of groups, whether they are in sight and how tall they were. */
const SIZE = 20;
/** A view that has just been opened has so many turns at least: more than a screen of them. */
const AT_ONCE = 10;
/** Those that join at a time, few enough that nobody waits for them. */
const AT_A_TIME = 2 * SIZE;

/** Turns that are drawn together, as positions among all turns of a session, the running one included. */
export interface TurnGroup {
  readonly from: number;
  readonly to: number;
}

const known = new WeakMap<AgentSession, ReadonlySignal<readonly TurnGroup[]>>();

/**
 * The groups of turns that are on the page: the last ones at once, earlier ones whenever the browser has nothing else to
 * do, until all are there. So a long conversation opens as fast as a short one, and is searched and read out as a whole.
 *
 * It begins anew when nobody follows it any more.
 */
export function turnGroups(session: AgentSession): ReadonlySignal<readonly TurnGroup[]> {
  let groups = known.get(session);
  if (!groups) known.set(session, (groups = follow(session)));
  return groups;
}

function follow({ turns, liveTurn }: AgentSession): ReadonlySignal<readonly TurnGroup[]> {
  const count = computed(() => turns.value.length + (liveTurn.value ? 1 : 0));
  let stop = () => {};
  /** Where the first group begins; null while there are only the last ones. */
  const begin = signal<number | null>(null, {
    watched: () => void (stop = whenIdle(addEarlier)),
    unwatched: () => {
      stop();
      begin.value = null;
    },
  });
  const addEarlier = () => {
    const earlier = Math.max(0, (begin.peek() ?? beginOfLast(count.peek())) - AT_A_TIME);
    begin.value = earlier;
    if (earlier > 0) stop = whenIdle(addEarlier);
  };
  return computed(() => {
    const first = begin.value ?? beginOfLast(count.value);
    return Array.from({ length: Math.ceil((count.value - first) / SIZE) }, (_, index) => {
      const from = first + index * SIZE;
      return { from, to: Math.min(from + SIZE, count.value) };
    });
  });
}

/** Always where a group begins, so that no turn ever moves from one to another. */
function beginOfLast(count: number): number {
  return Math.floor(Math.max(0, count - AT_ONCE) / SIZE) * SIZE;
}

/** Not every browser tells when it is idle; a moment of nothing will do. */
function whenIdle(callback: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(callback);
  return () => cancelIdleCallback(request);
}
