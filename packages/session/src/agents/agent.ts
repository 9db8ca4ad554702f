import type { Provider } from '@banister/provider';
import type { CompactionSetting } from '../compaction/compaction.js';
import type { ContextSource } from '../context/context-source.js';
import type { Guard } from '../guards/guard.js';
import type { Middleware } from '../middleware/middleware.js';
import type { AgentLimits } from '../tools/run.js';

/** An agent that works for another agent, inside a call of that agent's turn. */
export interface Agent {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** The name of the agent for the user: `'Release notes'`. Default: the id. */
  readonly title?: string | undefined;
  /** For the model that may delegate a task to the agent. Default: none, and only the code of tools runs the agent. */
  readonly description?: string | undefined;
  /** Its persona. It replaces the option `role` of the session. */
  readonly role: string;
  /** Ids of domains (`'board'`) and of tools (`'docs.search'`) of the session. Default: none. */
  readonly tools?: readonly string[] | undefined;
  /** Default: the provider of the turn. */
  readonly provider?: Provider | undefined;
  /** Called after the guards of the session and of the mode. Default: none. */
  readonly guards?: readonly Guard[] | undefined;
  /** Called after the middleware of the session. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Default: the context sources of the session. */
  readonly context?: readonly ContextSource[] | undefined;
  /** Limits of the agent, in addition to the limits of the turn. Default: none. */
  readonly limits?: AgentLimits | undefined;
  /** Default: the compaction of the session. */
  readonly compaction?: CompactionSetting | null | undefined;
}
