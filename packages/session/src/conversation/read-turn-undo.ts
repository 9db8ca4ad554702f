import { filled, flag, text } from '@banister/provider/internal/json/shape';
import { count, list, map, record, textOrNumber } from './saved-shape.js';
import type { TurnUndo } from './turn-undo.js';

const step = record(
  { step: count, description: text, irreversible: flag, state: text },
  { paths: list(text), moves: count, imported: flag },
);
const revisions = map(textOrNumber);

/** Reads the effects of a turn. */
export const readTurnUndo = record<TurnUndo>(
  {
    domains: list(text),
    before: revisions,
    after: revisions,
    calls: list(
      record({ callId: text, tool: text, irreversible: flag, steps: list(step) }, { child: filled }),
    ),
  },
  { unlikePath: list(text) },
);
