import { createCompiledValidator } from '@banister/schema/compiled';
import {
  createAgentSession,
  effect,
  immediate,
  type LocalAgentSession,
  type Operation,
  type SessionOptions,
} from '@banister/session';
import { toStored } from '@banister/session/operations';
import type { Link, LogRecord } from '@banister/session/log';
import {
  createVirtualClock,
  scriptedProvider,
  type AnswerSource,
  type ScriptedProvider,
  type VirtualClock,
} from '@banister/testing';
import { loadMatcher } from '../src/tools/pattern-matcher.js';

/** A session that opens a log, and the parts of it that a test needs. */
export interface OpenedSession {
  readonly session: LocalAgentSession;
  readonly provider: ScriptedProvider;
  readonly clock: VirtualClock;
  readonly operations: readonly Operation[];
  /** The errors that the `reportError` port received. */
  readonly reported: readonly unknown[];
}

/** Creates a session on a scripted provider and a virtual clock, with random ids, which do not repeat those of its log. */
export function createSession(
  answers: readonly AnswerSource[],
  { ports, ...options }: Partial<SessionOptions> = {},
  clock = createVirtualClock(1_000),
): OpenedSession {
  const provider = scriptedProvider(answers);
  const reported: unknown[] = [];
  const session = createAgentSession({
    provider,
    ...options,
    ports: {
      clock,
      scheduler: immediate(),
      validator: createCompiledValidator(loadMatcher),
      reportError: (error) => reported.push(error),
      ...ports,
    },
  });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  return { session, provider, clock, operations, reported };
}

/** Resolves when the link of a session is as wanted. */
export function linked(session: LocalAgentSession, wanted: Partial<Link>): Promise<void> {
  const isWanted = () =>
    Object.entries(wanted).every(([key, value]) => session.link.value[key as keyof Link] === value);
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!isWanted()) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

/** Resolves when the session is open. */
export const opened = (session: LocalAgentSession): Promise<void> => linked(session, { open: true });

/** The records of a log: each has the operations of one list, as a log stores them. */
export function recordsOf(writes: readonly (readonly Operation[])[], epoch = 1): readonly LogRecord[] {
  return writes.map((operations, index) => ({
    version: 1,
    revision: index + 1,
    epoch,
    operations: JSON.parse(JSON.stringify(toStored(operations))) as Operation[],
  }));
}

/** The codes of the errors with which promises reject; `resolved` for one that does not. */
export function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => 'resolved',
    (error: { readonly code?: string }) => error.code,
  );
}
