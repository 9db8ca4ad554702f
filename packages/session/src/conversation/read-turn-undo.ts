import { copyOf, textOf } from './saved-json.js';
import { count, flag, listWith, mapOf, objectWith, optional, textOrNumber } from './saved-shape.js';
import type { TurnUndo } from './turn-undo.js';

const step = objectWith({
  step: count,
  description: textOf,
  irreversible: flag,
  state: textOf,
  moves: optional(count),
});
const call = objectWith({ callId: textOf, tool: textOf, irreversible: flag, steps: listWith(step) });
const revisions = mapOf(textOrNumber);
const turnUndo = objectWith({
  domains: listWith(textOf),
  before: revisions,
  after: revisions,
  calls: listWith(call),
});

/** Returns a checked copy of the effects of a turn. Throws `invalid-configuration`, naming the place. */
export function readTurnUndo(value: unknown, at: string): TurnUndo {
  const copy = copyOf(value, at);
  turnUndo(copy, at);
  return copy as TurnUndo;
}
