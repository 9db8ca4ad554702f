import type { Turn, MakeParts } from '../turn/turn-context.js';
import type { ChildTransaction } from './child-transaction.js';
import type { OpenChild, PartSettings, StructuredStages } from '../turn/turn-parts.js';

/** Makes the parts of a child turn, as for any turn. */
export type MakeChildParts = (settings: PartSettings, structured: StructuredStages | null) => MakeParts;

/** A child turn that this session runs, with its turn. */
export interface RunningChild extends OpenChild {
  readonly turn: Turn & { readonly transaction: ChildTransaction };
}

/** The child turns of a turn that the user sent. */
export interface Runs {
  readonly root: Turn;
  /** All tools of that turn. Staged discovery offers only some of them to its model. */
  readonly tools: Turn['tools'];
  /** The child turns that run, by id. */
  readonly open: Map<string, RunningChild>;
  readonly makeParts: MakeChildParts;
}

/** Returns the turn with this id: the turn that the user sent, or a child turn that runs. */
export function turnOf({ root, open }: Runs, id: string): Turn {
  return id === root.id ? root : open.get(id)!.turn;
}
