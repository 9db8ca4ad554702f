import type { Ports } from '../ports/ports.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession } from './agent-session.js';
import type { SessionLane } from './session-lane.js';
import type { SessionCore } from './session-core.js';
import type { SessionOptions } from './session-options.js';

/** The parts of a session that opens a log. */
export interface OpenParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly lane: SessionLane;
  readonly options: SessionOptions;
  readonly ports: Ports;
  /** Its commands, for followers. */
  readonly session: AgentSession;
  /** Is called when the log was read, and commands can be carried out. */
  opened(): void;
}
