import type { UsageReport } from './usage-report.js';

/**
 * The steps that make a request shorter without a model. Each names the last message that it changes; one that was not needed is absent.
 * A later step changes a part of the messages of the one before it.
 */
export interface ContextSteps {
  /** Long results of tools, images and files: a line stands in place of each. */
  readonly results: string;
  /** Calls and their results: a note with one line for each call stands in their place. */
  readonly calls?: string;
  /** Whole messages: one note stands in place of all of them. */
  readonly messages?: string;
}

/** The content of a mark at which the conversation was compacted: requests behind it have less than the conversation. */
export interface CompactionData {
  /** The last message that it covers. */
  readonly upTo: string;
  /** Messages that it covers and leaves as they are: the last ones of the user. */
  readonly kept: readonly string[];
  /** Present unless `summary` is. */
  readonly stripped?: ContextSteps;
  /** The text that stands in place of all messages that it covers, written by the model. */
  readonly summary?: string;
  /** The reason why there is no summary, as a sentence; absent where none was needed, and where a mark before it says that there is no room. */
  readonly failure?: string;
  /** The size of the next request, as estimated. */
  readonly tokens: { readonly before: number; readonly after: number };
  /** The last message of the conversation at that time. */
  readonly last: string;
  /** Usage of the summary, where it is that of no turn. */
  readonly usage?: UsageReport;
}

/**
 * A mark at which the conversation was compacted. The conversation itself stays whole: only requests are shorter. A view draws it as one line
 * behind `turnId`, or inside of it.
 */
export interface Compaction extends CompactionData {
  readonly id: string;
  /** The last turn before it, or the turn inside of which it is; null where no turn is before it. */
  readonly turnId: string | null;
  /** The round of that turn before whose answer it is, 1-based; absent behind the turn. */
  readonly round?: number;
}

/** A mark as the record of a turn, or the tree, keeps it. */
export interface KeptCompaction extends Compaction {
  /** Present where it was taken back. */
  readonly takenBack?: true;
}
