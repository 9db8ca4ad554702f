import type { AgentSession } from '@banister/session';
import { selectionOf, type PreviousResult } from '@banister/session/binding';
import { useEffect, useMemo, useRef } from 'react';
import { useSignalValue } from './use-signal-value.js';

/**
 * Returns the result of `select` for a session. Only the signals that it reads are tracked: the component renders again when the
 * result changes.
 *
 * `select` must be pure. It may be an inline function that closes over props: each render uses its own. A function that keeps its
 * identity (declared outside of the component, or memoised) also keeps its subscription from render to render.
 *
 * @param isEqual whether two results are equal; the earlier one is kept then. Default `Object.is`; a `select` that returns a new
 *   object or array needs another one
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
  // The result on the screen: an equal one of the next `select` keeps its identity.
  const shown = useRef<PreviousResult<T>>(null);
  // A computed signal is read, and no subscription made: a render that React discards needs no clean-up, and a repeated one gets
  // the same result.
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
