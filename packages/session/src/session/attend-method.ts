import type { Ports } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession } from './agent-session.js';
import type { SessionAccess } from './session-access.js';

/** Tells the session that carries commands out whether a view is at a question. */
type Tell = (requestId: string, attendant: string, isThere: boolean) => Promise<void>;

/**
 * Returns the method `attend`. Each call is another attendant, so that several count. The session that carries the commands of others out calls it
 * with the name of their attendant, which is no part of its public type.
 *
 * @param tell carries it out in this session
 */
export function attendMethod(
  access: SessionAccess,
  ports: Pick<Ports, 'ids'>,
  tell: Tell,
): AgentSession['attend'] {
  return (requestId: string, named?: unknown, isThere?: unknown) => {
    const attendant = typeof named === 'string' ? named : ports.ids.next('attendant');
    const say = (...args: Parameters<Tell>) =>
      untracked(() => access.pass('attend', args, () => tell(...args)).catch(() => {}));
    let isHere = isThere !== false;
    void say(requestId, attendant, isHere);
    return () => {
      if (isHere) void say(requestId, attendant, false);
      isHere = false;
    };
  };
}
