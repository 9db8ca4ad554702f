import type { BoardPace } from '../board/board-domain.js';
import { fastPace, humanPace, slowPace, type Pace } from '../offline/pace.js';

/** The pace of the demo: of the model that writes, and of the board that works. */
export interface DemoPace {
  readonly model: Pace;
  readonly board: BoardPace;
}

/** For tests, so that they do not wait. */
const fast: DemoPace = { model: fastPace, board: { change: 40, publish: 200 } };

const paces: Readonly<Record<string, DemoPace>> = {
  fast,
  slow: { model: slowPace, board: { change: 2000, publish: 8000 } },
  // For tests that act while a tool works, no matter how long they take, and then hurry.
  held: { model: slowPace, board: { change: 240_000, publish: 240_000 } },
};

const human: DemoPace = { model: humanPace, board: { change: 350, publish: 1200 } };

/**
 * Returns the pace in the page's address: `?pace=slow`, or `?pace=fast&work=slow` for a board that is slower
 * than the model; by default a pace at which a person can read along. It belongs to the page, and is read at
 * every pause.
 */
export function paceIn(query: URLSearchParams): DemoPace {
  const pace = query.get('pace');
  return { model: { ...named(pace).model }, board: { ...named(query.get('work') ?? pace).board } };
}

function named(name: string | null): DemoPace {
  return (name !== null && Object.hasOwn(paces, name) ? paces[name] : undefined) ?? human;
}

/**
 * Makes everything from here on fast, including a running turn. For tests that have seen the part for which
 * they began slowly.
 */
export function hurry(pace: DemoPace): void {
  Object.assign(pace.model, fast.model);
  Object.assign(pace.board, fast.board);
}
