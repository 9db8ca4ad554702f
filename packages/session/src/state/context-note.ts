/** The last count of the conversation's size. */
export interface ContextNote {
  /** The context window of the model in tokens; null if it is unknown. */
  readonly window: number | null;
  /** The tokens of the last request and its answer. */
  readonly tokens: number;
  /** The id of the last message of that request; null if there was no request. */
  readonly after: string | null;
}
