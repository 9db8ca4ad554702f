import type { UsageReport } from '@banister/provider';

/**
 * The steps that make a request shorter without a model. Each step names the last message that it changes; a step that was not needed is
 * absent. A later step changes only messages that the earlier step has changed.
 */
export interface ContextSteps {
  /** Long results of tools, images and files: each is replaced by a line. */
  readonly results: string;
  /** Calls and their results: they are replaced by a note with one line for each call. */
  readonly calls?: string;
  /** Whole messages: all of them are replaced by one note. */
  readonly messages?: string;
}

/** The content of the mark of a compaction: requests after it contain less than the conversation. */
export interface CompactionData {
  /** The last message that the mark covers. */
  readonly upTo: string;
  /** The messages that the mark covers but leaves as they are: the last messages of the user. */
  readonly kept: readonly string[];
  /** Present if there is no `summary`. */
  readonly stripped?: ContextSteps;
  /** The text that the model wrote to replace all covered messages. */
  readonly summary?: string;
  /** Why there is no summary, as a sentence. Absent if no summary was needed, and if an earlier mark already says that there is no room. */
  readonly failure?: string;
  /** The estimated size of the next request. */
  readonly tokens: { readonly before: number; readonly after: number };
  /** The id of the last message of the conversation at that time. */
  readonly last: string;
  /** Usage of the summary, if it belongs to no turn. */
  readonly usage?: UsageReport;
}

/**
 * The mark of a compaction. The conversation itself stays whole: only requests are shorter. A view draws the mark as one line after
 * `turnId`, or inside it.
 */
export interface Compaction extends CompactionData {
  readonly id: string;
  /** The last turn before the mark, or the turn that contains it; null if no turn is before it. */
  readonly turnId: string | null;
  /** The round of that turn before whose answer the mark is, 1-based. Absent if the mark is after the turn. */
  readonly round?: number;
}

/** A mark in the form in which the record of a turn, or the tree, keeps it. */
export interface KeptCompaction extends Compaction {
  /** Present if the mark was taken back. */
  readonly takenBack?: true;
}
