import type { Ports } from '../ports/ports.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession } from './agent-session.js';
import { logCode } from './log-code.js';
import { Opening } from './opening.js';
import type { SessionAccess } from './session-access.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import { connected } from './session-journal.js';
import type { SessionOptions } from './session-options.js';

/** The parts of a session that opens a log. */
export interface OpenParts {
  readonly access: SessionAccess;
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly lifetime: SessionLifetime;
  readonly options: SessionOptions;
  readonly ports: Ports;
  /** Its commands, for followers. */
  readonly session: AgentSession;
}

/** Begins to open the log of a session that has one; commands wait for the end. */
export function openAccess(parts: OpenParts): void {
  const { access, core, options, ports } = parts;
  if (options.restored === undefined && options.log === undefined) return;
  const opening = new Opening(access, core, async (opening) => {
    const { openSession } = await logCode.get(ports.clock);
    await openSession(parts, opening);
  });
  access.link.value = { ...connected, open: false };
  access.detour = opening;
  // In the background. After a failure, the command that needs the session opens it again.
  opening.ready().catch(() => {});
}
