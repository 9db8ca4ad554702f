import { lazyHandlers } from '../state/lazy-handlers.js';
import { becomeOwner } from './become-owner.js';
import { LogSession } from './log-session.js';
import type { OpenParts } from './open-access.js';
import type { Opening } from './opening.js';
import { reactToInterruption } from './react-to-interruption.js';
import { readLog, type ReadLog } from './read-log.js';
import { ReadOnly } from './read-only.js';
import { setLink } from './set-link.js';

/** Opens the log of a session: the one that the app has loaded, or the one that the session is kept in. */
export async function openSession(parts: OpenParts, opening: Opening): Promise<void> {
  if (opening.signal.aborted) return;
  const { core, options } = parts;
  core.addHandlers(lazyHandlers);
  if (options.restored) openRestored(parts, opening, readLog(options.restored));
  else await new LogSession(parts, opening).open();
}

function openRestored(parts: OpenParts, opening: Opening, log: ReadLog): void {
  const { core, access, ports } = parts;
  core.replace(log.state);
  if (log.problem === null) {
    becomeOwner(parts, { epoch: log.epoch + 1, reason: 'opened' });
    opening.finish(null);
    setLink(access.link, { open: true }, ports);
    reactToInterruption(parts);
  } else {
    core.publish();
    opening.finish(new ReadOnly(log.problem));
    setLink(access.link, { role: 'read-only', open: true }, ports);
    ports.reportError(log.problem);
  }
}
