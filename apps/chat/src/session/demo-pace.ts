import type { BoardPace } from '../board/board-domain.js';
import { fastPace, humanPace, slowPace, type Pace } from '../offline/pace.js';

/** How fast everything goes: the model that writes, and the board that works. */
export interface DemoPace {
  readonly model: Pace;
  readonly board: BoardPace;
}

/** For tests, which should not have to watch. */
const fast: DemoPace = { model: fastPace, board: { change: 40, publish: 200 } };

const paces: Readonly<Record<string, DemoPace>> = {
  fast,
  slow: { model: slowPace, board: { change: 2000, publish: 8000 } },
  // For tests that act while a tool works, however long they take, and hurry then.
  held: { model: slowPace, board: { change: 240_000, publish: 240_000 } },
};

const human: DemoPace = { model: humanPace, board: { change: 350, publish: 1200 } };

/**
 * The pace that the page's address asks for: `?pace=slow`, or `?pace=fast&work=slow` for a board that is slower than the model; by
 * default that of a person who reads along. It is the page's own, and read at every pause.
 */
export function paceIn(query: URLSearchParams): DemoPace {
  const pace = query.get('pace');
  return { model: { ...named(pace).model }, board: { ...named(query.get('work') ?? pace).board } };
}

function named(name: string | null): DemoPace {
  return (name !== null && Object.hasOwn(paces, name) ? paces[name] : undefined) ?? human;
}

/** Makes the rest go fast, a turn that is under way included: for tests that have seen the part for which they began slowly. */
export function hurry(pace: DemoPace): void {
  Object.assign(pace.model, fast.model);
  Object.assign(pace.board, fast.board);
}
