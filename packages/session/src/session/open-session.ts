import { emitOwnerChanged } from './emit-owner-changed.js';
import { LogSession } from './log-session.js';
import { readOnlyLine } from './line.js';
import type { OpenParts } from './open-parts.js';
import { reactToInterruption } from './react-to-interruption.js';
import { readLogWith, type ReadLog } from '../log/read-log.js';
import { setLink } from './set-link.js';

/** Opens a session from the option `restored` if the app gave one. Otherwise loads the session from its log. */
export async function openSession(parts: OpenParts): Promise<void> {
  const { restored } = parts.options;
  if (restored) openRestored(parts, readLogWith(restored, parts.readSaved));
  else await new LogSession(parts).open();
}

function openRestored(parts: OpenParts, log: ReadLog): void {
  const { core, lane, ports, opened } = parts;
  core.replace(log.state);
  if (log.problem === null) {
    emitOwnerChanged(parts, { epoch: log.epoch + 1, reason: 'opened' });
    opened();
    setLink(lane.link, { open: true }, ports);
    reactToInterruption(parts);
  } else {
    core.publish();
    lane.line = readOnlyLine(log.problem);
    opened();
    setLink(lane.link, { role: 'read-only', open: true }, ports);
    ports.reportError(log.problem);
  }
}
