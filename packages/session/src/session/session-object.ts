import { asInstance, keepRaw } from '../signals/keep-raw.js';
import type { Signals } from '../signals/projection.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession, DisposeOptions } from './agent-session.js';
import { command } from './command.js';
import type { CommandName } from './command-table.js';
import type { SessionHandle } from './session-handle.js';

type Shared =
  | keyof Signals
  | 'link'
  | 'state'
  | 'operations$'
  | 'attend'
  | 'save'
  | 'dispose'
  | typeof Symbol.asyncDispose;

/**
 * Returns the object of a session: its signals, and its methods.
 *
 * @param passed the commands that the object only passes on
 * @param own the other methods
 */
export function sessionObject<Session extends AgentSession, Passed extends CommandName>(
  handle: SessionHandle,
  passed: readonly Passed[],
  own: Omit<Session, Shared | Passed>,
): Session {
  const { link, outputs } = handle;
  const session: object = {
    ...outputs.projection.signals,
    link: keepRaw(link),
    get state() {
      return outputs.shown.snapshot();
    },
    operations$: outputs.stream.operations$,
    ...Object.fromEntries(passed.map((name) => [name, handle.method(name)])),
    attend: attendMethod(handle),
    save: () => untracked(() => handle.line.save()),
    dispose: (options?: DisposeOptions) => untracked(() => handle.dispose(options)),
    ...own,
  };
  return asInstance(keepRaw(withAsyncDispose<Session>(session as Session)));
}

/**
 * Returns the method `attend`. Each call is a separate attendant, so several views count separately. The session that carries out the
 * commands of other sessions calls the method with the name of their attendant; that parameter is not part of the public type.
 */
function attendMethod(handle: SessionHandle): AgentSession['attend'] {
  const tell = command((...args: unknown[]) => handle.line.call('attend', args));
  return (requestId: string, named?: unknown, isThere?: unknown) => {
    const attendant = typeof named === 'string' ? named : handle.ports.ids.next('attendant');
    let isHere = isThere !== false;
    void tell(requestId, attendant, isHere);
    return () => {
      if (isHere) void tell(requestId, attendant, false);
      isHere = false;
    };
  };
}

/** Adds `Symbol.asyncDispose`, for `await using session`, if the platform has it. */
function withAsyncDispose<Session extends AgentSession>(
  session: Omit<Session, typeof Symbol.asyncDispose>,
): Session {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as Session;
}
