import type { CompactionData } from '../conversation/compaction.js';

/**
 * The conversation was compacted: from here on requests contain less of it. The operation creates a mark. A second operation with the same
 * id replaces the content of the mark, after the model has written a summary or failed to write one. Between two turns the operation has no
 * turn, and the mark becomes the head.
 */
export interface ContextCompacted extends CompactionData {
  readonly type: 'contextCompacted';
  /** The id of the mark. */
  readonly id: string;
  /** Present while the model writes a summary. A second operation follows, unless the turn ends first. */
  readonly summarizing?: true;
}

/** A mark was taken back: requests contain again what the mark left out. */
export interface ContextUncompacted {
  readonly type: 'contextUncompacted';
  /** The id of the mark. */
  readonly id: string;
}
