import type { OwnerChanged } from '../operations/session-operations.js';
import { lazyHandlers } from '../state/lazy-handlers.js';
import { bindSteps } from '../undo/bind-steps.js';
import type { OpenParts } from './open-access.js';
import type { Opening } from './opening.js';
import { readLog, type ReadLog } from './read-log.js';
import { ReadOnly } from './read-only.js';
import { setLink } from './set-link.js';

/** Opens the log of a session. */
export async function openSession(parts: OpenParts, opening: Opening): Promise<void> {
  if (opening.signal.aborted) return;
  const { core, options } = parts;
  core.addHandlers(lazyHandlers);
  if (options.restored) openRestored(parts, opening, readLog(options.restored));
}

/** Shows a log that the app has loaded. */
function openRestored(parts: OpenParts, opening: Opening, log: ReadLog): void {
  const { core, access, ports } = parts;
  core.replace(log.state);
  if (log.problem === null) {
    takeOver(parts, opening, { epoch: log.epoch + 1, reason: 'opened' });
    setLink(access.link, { open: true }, ports);
  } else {
    core.publish();
    opening.finish(new ReadOnly(log.problem));
    setLink(access.link, { role: 'read-only', open: true }, ports);
    ports.reportError(log.problem);
  }
}

/** Makes the session the owner of the log that it shows. */
function takeOver(
  { core, tools, options }: OpenParts,
  opening: Opening,
  owner: Pick<OwnerChanged, 'epoch' | 'reason'>,
): void {
  const revertible = bindSteps(Object.values(core.current.fold.undo), tools, options.history);
  core.emitSession({ type: 'ownerChanged', ...owner, revertible });
  opening.finish(null);
}
