import { list, optional, orNull, text } from '@banister/provider/internal/json/shape';
import { count, record } from './saved-shape.js';

/** The fields of the mark of a compaction, see `Compaction`. */
export const compactionFields = {
  id: text,
  turnId: orNull(text),
  round: optional(count),
  upTo: text,
  kept: list(text),
  stripped: optional(record({ results: text, calls: optional(text), messages: optional(text) })),
  summary: optional(text),
  failure: optional(text),
  tokens: record({ before: count, after: count }),
  last: text,
};
