import type { AgentSession } from '@handrail/session';
import { selectionOf, type Kept } from '@handrail/session/binding';
import { useEffect, useMemo, useRef } from 'react';
import { useSignalValue } from './use-signal-value.js';

/**
 * What `select` makes of a session. The signals that it reads are tracked, and no others: the component renders again
 * when the result changes.
 *
 * `select` may be an inline function that closes over props: each render uses its own. It must be pure. One that keeps
 * its identity (declared outside of the component, or memoised) also keeps its subscription from render to render.
 *
 * @param isEqual whether two results are the same to you; then the earlier one is kept. Default `Object.is`, so a
 *   `select` that makes a new object or array wants one
 * @example
 * function Send({ session, draft }: { session: AgentSession; draft: string }) {
 *   const canSend = useSession(session, (of) => !of.isRunning.value && draft !== '');
 *   return <button disabled={!canSend}>Send</button>;
 * }
 */
export function useSession<T>(
  session: AgentSession,
  select: (session: AgentSession) => T,
  isEqual: (a: T, b: T) => boolean = Object.is,
): T {
  // What is on the screen: an equal result of the next `select` keeps its identity.
  const shown = useRef<Kept<T>>(null);
  // Computed and not called: a render that React throws away leaves nothing behind, and one that it repeats gets the
  // same result.
  const selection = useMemo(
    () => selectionOf(session, select, isEqual, () => shown.current),
    [session, select, isEqual],
  );
  const value = useSignalValue(selection);
  useEffect(() => {
    shown.current = { value };
  }, [value]);
  return value;
}
