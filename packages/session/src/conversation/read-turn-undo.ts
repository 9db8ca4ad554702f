import { flag, list, optional, text } from '@banister/provider/internal/json/shape';
import { count, map, record, textOrNumber } from './saved-shape.js';
import type { TurnUndo } from './turn-undo.js';

const step = record({
  step: count,
  description: text,
  paths: optional(list(text)),
  irreversible: flag,
  state: text,
  moves: optional(count),
  imported: optional(flag),
});
const revisions = map(textOrNumber);

/** Reads the effects of a turn. */
export const readTurnUndo = record<TurnUndo>({
  domains: list(text),
  before: revisions,
  after: revisions,
  calls: list(record({ callId: text, tool: text, irreversible: flag, steps: list(step) })),
  unlikePath: optional(list(text)),
});
