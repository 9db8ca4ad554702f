import type { CompactionData } from '../conversation/compaction.js';

/**
 * The conversation was compacted: requests have less of it from here on. The operation makes a mark; a second one with the same id replaces the
 * content of the mark, when the model has written a summary or failed to. Between two turns it has no turn, and the mark is the head.
 */
export interface ContextCompacted extends CompactionData {
  readonly type: 'contextCompacted';
  /** The id of the mark. */
  readonly id: string;
  /** Present while the model writes a summary: a second operation follows unless the turn ends first. */
  readonly summarizing?: true;
}

/** A mark was taken back: requests have what it left out. */
export interface ContextUncompacted {
  readonly type: 'contextUncompacted';
  /** The id of the mark. */
  readonly id: string;
}
