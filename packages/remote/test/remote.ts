import {
  createAgentSession,
  immediate,
  type LocalAgentSession,
  type Operation,
  type SchemaValidator,
  type SessionOptions,
} from '@banister/session';
import { direct, remoteSession, type RemoteSession, type Transport } from '@banister/remote';
import {
  createVirtualClock,
  scriptedProvider,
  type AnswerSource,
  type VirtualClock,
} from '@banister/testing';

/** Returns a copy as JSON: the form in which a value crosses a process boundary. */
export function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** A transport as to another machine: it copies everything that it takes and returns. */
export function copying(inner: Transport): Transport {
  return {
    async *read(after, signal) {
      for await (const item of inner.read(after, signal)) yield jsonCopy(item);
    },
    command: async (message, signal) => jsonCopy(await inner.command(jsonCopy(message), signal)),
  };
}

/** Accepts all arguments. The built-in validators are loaded, and a virtual clock cannot wait for a dynamic import. */
export const noValidator: SchemaValidator = { compile: () => () => [] };

/** Loads the code of branch commands, for the same reason. Call it before the tests of a file. */
export async function preloadBranches(): Promise<void> {
  const session = createAgentSession({ provider: scriptedProvider([]) });
  await session.regenerate().catch(() => {});
  await session.dispose();
}

/** A session that other tests of this folder follow. */
export function hostSession(
  answers: readonly AnswerSource[],
  { ports, ...options }: Partial<SessionOptions> = {},
  clock = createVirtualClock(1_000_000),
) {
  const provider = scriptedProvider(answers);
  const session = createAgentSession({
    provider,
    ...options,
    ports: { clock, scheduler: immediate(), validator: noValidator, ...ports },
  });
  return { session, provider, clock, transport: copying(direct(session, { ports: { clock } })) };
}

/** A remote session, with everything that a test observes. */
export function remote(transport: Transport, clock: VirtualClock) {
  const reported: unknown[] = [];
  const session = remoteSession(transport, {
    ports: {
      clock,
      random: () => 1,
      scheduler: immediate(),
      reportError: (error) => reported.push(error),
    },
  });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  return { session, operations, reported };
}

/** Returns whether a remote session has the state of its host. */
export function isLevel(remote: RemoteSession, host: LocalAgentSession): boolean {
  return remote.state.sequence === host.state.sequence;
}
