import type { Ports } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession } from './agent-session.js';

/** The arguments that tell the session of the writer whether a view is at a question. */
type Attendance = [requestId: string, attendant: string, isThere: boolean];

/**
 * Returns the method `attend`. Each call is a separate attendant, so several views count separately. The session that carries out the
 * commands of other sessions calls the method with the name of their attendant; that parameter is not part of the public type.
 */
export function attendMethod(
  ports: Pick<Ports, 'ids'>,
  tell: (args: Attendance) => Promise<void>,
): AgentSession['attend'] {
  return (requestId: string, named?: unknown, isThere?: unknown) => {
    const attendant = typeof named === 'string' ? named : ports.ids.next('attendant');
    const say = (...args: Attendance) => untracked(() => tell(args).catch(() => {}));
    let isHere = isThere !== false;
    void say(requestId, attendant, isHere);
    return () => {
      if (isHere) void say(requestId, attendant, false);
      isHere = false;
    };
  };
}
