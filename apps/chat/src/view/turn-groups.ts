import type { AgentSession, Branch, TurnRecord } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';

/**
 * The number of turns in a group. The browser tracks for each group whether it is in sight and how tall it
 * was.
 */
const SIZE = 20;
/** A newly opened view has at least this many turns, which is more than a screen. */
const AT_ONCE = 10;
/** The number of turns that are added at a time. It is small enough that the page stays responsive. */
const AT_A_TIME = 2 * SIZE;

/** A turn in the list. Its content is drawn by following its record. */
export interface ListedTurn {
  readonly id: string;
  /** Changes while the turn runs. The record of an ended turn does not change. */
  readonly record: ReadonlySignal<TurnRecord>;
  /** The turn has ended, and no other turn has begun. */
  readonly isLast: boolean;
  /**
   * The turn is the last turn, and has just ended: it was not restored, and no switch has brought it back.
   */
  readonly isNews: boolean;
  /** The page was closed while the turn ran. It waits until the user continues or undoes it. */
  readonly isCut: boolean;
  /** The user is editing its message. */
  readonly isEdited: boolean;
  /** Its place among the versions; null if there is only one version. */
  readonly versions: Branch | null;
}

/**
 * Turns that are drawn together. The running turn is in its group from its start, and stays there when it
 * ends.
 */
export interface TurnGroup {
  /** The position of the group's first turn among all turns of the session. */
  readonly from: number;
  readonly turns: readonly ListedTurn[];
}

const known = new WeakMap<AgentSession, ReadonlySignal<readonly TurnGroup[]>>();

/**
 * The groups of turns that are on the page: the last groups at once, and earlier groups whenever the browser
 * is idle, until all are there. So a long conversation opens as fast as a short conversation, and can be
 * searched and read out as a whole.
 *
 * It changes when a turn begins or ends, but not while text streams. It begins anew when its last subscriber
 * has left.
 *
 * @param edited the turn whose message is being edited; the same signal for each call
 */
export function turnGroups(
  session: AgentSession,
  edited: ReadonlySignal<string | null> = noTurn,
): ReadonlySignal<readonly TurnGroup[]> {
  let groups = known.get(session);
  if (!groups) known.set(session, (groups = follow(session, edited)));
  return groups;
}

const noTurn: ReadonlySignal<string | null> = signal(null);

function follow(
  session: AgentSession,
  edited: ReadonlySignal<string | null>,
): ReadonlySignal<readonly TurnGroup[]> {
  const listed = listTurns(session, edited);
  let stop = () => {};
  /** Where the first group begins; null while only the last groups are there. */
  const begin = signal<number | null>(null, {
    watched: () => void (stop = whenIdle(addEarlier)),
    unwatched: () => {
      stop();
      begin.value = null;
    },
  });
  const addEarlier = () => {
    const earlier = Math.max(0, (begin.peek() ?? beginOfLast(listed.peek().length)) - AT_A_TIME);
    begin.value = earlier;
    if (earlier > 0) stop = whenIdle(addEarlier);
  };
  let before: ReadonlyMap<number, TurnGroup> = new Map();
  return computed(() => {
    const all = listed.value;
    const first = begin.value ?? beginOfLast(all.length);
    const groups = Array.from({ length: Math.ceil((all.length - first) / SIZE) }, (_, index) => {
      const from = first + index * SIZE;
      const turns = all.slice(from, from + SIZE);
      const known = before.get(from);
      return known && isSame(known.turns, turns) ? known : { from, turns };
    });
    before = new Map(groups.map((group) => [group.from, group]));
    return groups;
  });
}

/** Returns all turns of a session, including the running turn. */
function listTurns(
  session: AgentSession,
  edited: ReadonlySignal<string | null>,
): ReadonlySignal<readonly ListedTurn[]> {
  const { turns, liveTurn, interrupted, branches } = session;
  /** The turn that ran last; null when the conversation ends with another turn. */
  let ran: string | null = null;
  let before: readonly ListedTurn[] = [];
  const liveId = computed(() => liveTurn.value?.id ?? null);
  const live = computed(() => {
    const id = liveId.value;
    return id === null ? null : { id, record: runningRecord(id) };
  });
  /** Returns the record of a running turn. After the turn's end the signal holds the settled record. */
  const runningRecord = (id: string) =>
    computed(() => {
      const running = liveTurn.value;
      return running?.id === id ? running : turns.value.findLast((ended) => ended.id === id)!;
    });
  return computed(() => {
    const running = live.value;
    const versions = branches.value;
    ran = running?.id ?? (turns.value.at(-1)?.id === ran ? ran : null);
    const ended = turns.value.map((record, index, { length }): ListedTurn => {
      const { id } = record;
      const isLast = running === null && index === length - 1;
      return kept(before[index], {
        id,
        record: settledRecord(record),
        isLast,
        isNews: isLast && id === ran,
        isCut: false,
        isEdited: id === edited.value,
        versions: versions[id] ?? null,
      });
    });
    before = ended;
    if (running === null) return ended;
    return [
      ...ended,
      {
        ...running,
        isLast: false,
        isNews: false,
        isCut: interrupted.value !== null,
        isEdited: false,
        versions: versions[running.id] ?? null,
      },
    ];
  });
}

/** Returns the same object for an unchanged turn, so that a view skips it and groups of such turns. */
function kept(before: ListedTurn | undefined, turn: ListedTurn): ListedTurn {
  const names = Object.keys(turn) as (keyof ListedTurn)[];
  return before && names.every((name) => before[name] === turn[name]) ? before : turn;
}

function isSame(before: readonly ListedTurn[], turns: readonly ListedTurn[]): boolean {
  return before.length === turns.length && turns.every((turn, index) => turn === before[index]);
}

const settled = new WeakMap<TurnRecord, ReadonlySignal<TurnRecord>>();

/**
 * Returns the same signal for the same record, so that a turn is not drawn again when another turn begins.
 */
function settledRecord(record: TurnRecord): ReadonlySignal<TurnRecord> {
  let known = settled.get(record);
  if (!known) settled.set(record, (known = signal(record)));
  return known;
}

/** Returns a position at which a group begins, so that no turn ever moves from one group to another. */
function beginOfLast(count: number): number {
  return Math.floor(Math.max(0, count - AT_ONCE) / SIZE) * SIZE;
}

/** Falls back to a short timer in browsers without `requestIdleCallback`. */
function whenIdle(callback: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(callback);
  return () => cancelIdleCallback(request);
}
