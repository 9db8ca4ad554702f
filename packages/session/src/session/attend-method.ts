import type { Ports } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession } from './agent-session.js';

/** What the session that carries commands out is told: whether a view is at a question. */
type Attendance = [requestId: string, attendant: string, isThere: boolean];

/**
 * Returns the method `attend`. Each call is another attendant, so that several count. The session that carries the commands of others out calls it
 * with the name of their attendant, which is no part of its public type.
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
