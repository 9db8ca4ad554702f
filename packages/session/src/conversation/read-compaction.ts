import { orNull, text } from '@banister/provider/internal/json/shape';
import { count, list, record } from './saved-shape.js';

/** The fields that the mark of a compaction must have, and the fields that it may have: see `Compaction`. */
export const compactionFields = [
  {
    id: text,
    turnId: orNull(text),
    upTo: text,
    kept: list(text),
    tokens: record({ before: count, after: count }),
    last: text,
  },
  {
    round: count,
    stripped: record({ results: text }, { calls: text, messages: text }),
    summary: text,
    failure: text,
  },
] as const;
