import type { BoardPace } from '../board/board-domain.js';
import { fastPace, humanPace, slowPace, type Pace } from '../offline/pace.js';

/** How fast everything goes: the model that writes, and the board that works. */
export interface DemoPace {
  readonly model: Pace;
  readonly board: BoardPace;
}

const paces: Readonly<Record<string, DemoPace>> = {
  fast: { model: fastPace, board: { change: 40, publish: 200 } },
  slow: { model: slowPace, board: { change: 2000, publish: 8000 } },
};

/** The pace that the page's address asks for: `?pace=slow`; by default that of a person who reads along. */
export function paceIn(query: URLSearchParams): DemoPace {
  const asked = query.get('pace');
  return (
    (asked !== null && Object.hasOwn(paces, asked) ? paces[asked] : undefined) ?? {
      model: humanPace,
      board: { change: 350, publish: 1200 },
    }
  );
}
