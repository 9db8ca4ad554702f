/** The agent in whose child turn something happens: a question, the decision of a guard, a hook. */
export interface AgentRef {
  /** The id of the agent. */
  readonly id: string;
  /** The title of the agent; absent if it has none. */
  readonly title?: string;
  /** The id of the child turn. */
  readonly child: string;
  /** The ids of the child turns, from the outermost to this child turn. */
  readonly path: readonly string[];
}
