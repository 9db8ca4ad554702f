import type { Ports } from '../ports/ports.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession } from './agent-session.js';
import type { ReadSaved } from '../log/read-log.js';
import type { SessionLane } from './session-lane.js';
import type { SessionCore } from './session-core.js';
import type { SessionOptions } from './session-options.js';

/** The parts of a session whose log is read, or was read. */
export interface LoggedParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly lane: SessionLane;
  readonly options: SessionOptions;
  readonly ports: Ports;
  /** The session that carries out the commands of followers. */
  readonly session: AgentSession;
}

/** The parts of a session that opening a log needs. */
export interface OpenParts extends LoggedParts {
  readonly readSaved: ReadSaved;
  /** Called when the log was read, and commands can be carried out. */
  opened(): void;
}
