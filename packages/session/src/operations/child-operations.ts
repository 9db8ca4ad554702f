import type { TurnStarted } from './turn-operations.js';

/** What the first leaf of a child turn says, in addition to the fields of any turn. */
export interface ChildOrigin {
  /** The id of the agent. */
  readonly agent: string;
  /** The title of the agent; absent if it has none. */
  readonly title?: string;
  /** The id of the call that runs the child turn. */
  readonly callId: string;
  /** Names the child turn among the child turns of its call. */
  readonly key: string;
  /** Present if the app gave the key. Otherwise the key is the number of the run among the runs of its call. */
  readonly given?: true;
  /** The name of the conversation that the child turn continues; absent for a conversation of its own. */
  readonly thread?: string;
  /** Present if the child turn reads the conversation above it. */
  readonly reads?: 'conversation';
}

/** A child turn began. It is the first fact of every child turn. */
export interface ChildStarted extends TurnStarted, ChildOrigin {}

/** A fact of a child turn: a turn that runs inside a call of another turn. */
export interface Subagent<Inner> {
  readonly type: 'subagent';
  /** The ids of child turns, from the outermost to the innermost. The fact belongs to the last of them. */
  readonly path: readonly string[];
  /** The fact of the child turn. */
  readonly inner: Inner;
}
