import type { AgentSession } from '@banister/session';
import { selectionOf, type PreviousResult } from '@banister/session/binding';
import { useEffect, useMemo, useRef } from 'react';
import { useSignalValue } from './use-signal-value.js';

/**
 * Returns the result of `select` for a session. Only the signals that it reads are tracked: the component
 * renders again when the result changes.
 *
 * `select` must be pure. It may be an inline function that closes over props, because each render uses its
 * own function. A function with a stable identity (declared outside of the component, or memoised) also keeps
 * its subscription from render to render.
 *
 * @param isEqual whether two results are equal; if so, the earlier result is kept. Default `Object.is`; pass
 * a function if `select`
 *   returns a new object or array each time
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
  // The result on the screen. If the next result is equal, this object is kept.
  const shown = useRef<PreviousResult<T>>(null);
  // A computed signal is read without a subscription. So a render that React discards needs no clean-up, and
  // a repeated render gets the same result.
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
