import { createCompiledValidator } from '@banister/schema/compiled';
import { observe, scriptedProvider, createVirtualClock, createSequentialIds } from '@banister/testing';
import type {
  AnswerSource,
  Observation,
  ScriptedProvider,
  ScriptedProviderOptions,
  VirtualClock,
} from '@banister/testing';
import {
  createAgentSession,
  immediate,
  isAgentSessionError,
  type LocalAgentSession,
  type AgentSessionError,
  type Message,
  type Operation,
  type SessionOptions,
} from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { loadMatcher } from '../src/tools/pattern-matcher.js';

export interface FixtureOptions extends Partial<Omit<SessionOptions, 'provider'>> {
  readonly scripted?: ScriptedProviderOptions;
  /** Whether the test expects errors at the `reportError` port. */
  readonly reportsErrors?: boolean;
  /** Allows answers that no request used, and requests without an answer. */
  readonly looseScript?: boolean;
  /** Skips the check of timers at the end, for tests that leave a deaf tool behind. */
  readonly leavesTimers?: boolean;
}

export interface Fixture extends AsyncDisposable {
  readonly session: LocalAgentSession;
  readonly provider: ScriptedProvider;
  readonly clock: VirtualClock;
  readonly observed: Observation;
  /** The errors that the `reportError` port received. */
  readonly reported: readonly unknown[];
  /** Checks the invariants now: order of operations, fold, history, requests, timers. */
  check(): void;
}

/**
 * A session on a scripted provider and a virtual clock. Every operation goes through the order checker and the fold,
 * every request through the history validator; when the test ends, no timer and no unused answer may be left.
 */
export function fixture(answers: readonly AnswerSource[], options: FixtureOptions = {}): Fixture {
  const { scripted, reportsErrors, looseScript, leavesTimers, ports, ...sessionOptions } = options;
  const provider = scriptedProvider(answers, scripted);
  const clock = createVirtualClock(1_000);
  const reported: unknown[] = [];
  const session = createAgentSession({
    provider,
    ...sessionOptions,
    ports: {
      clock,
      // A resumed conversation has ids already, which sequential ones would repeat.
      ...(options.conversation === undefined ? { ids: createSequentialIds() } : {}),
      random: () => 0.5,
      scheduler: immediate(),
      // The real validator, loaded before: a virtual clock cannot wait for a dynamic import.
      validator: createCompiledValidator(loadMatcher),
      reportError: (error) => reported.push(error),
      ...ports,
    },
  });
  const observed = observe(session, { words: options.words, ...(leavesTimers ? {} : { clock }) });
  const check = () => {
    observed.check();
    if (!looseScript) provider.check();
    const problems = [...provider.faults.filter((fault) => fault.includes('a real API'))];
    if (problems.length > 0) throw new Error(problems.join('\n'));
    if (!reportsErrors && reported.length > 0)
      throw new Error(`Something threw into the error port: ${reported.map(String).join('; ')}`);
  };
  return {
    session,
    provider,
    clock,
    observed,
    reported,
    check,
    async [Symbol.asyncDispose]() {
      await session.dispose();
      observed.dispose();
      check();
      if (!leavesTimers && clock.pending > 0) throw new Error(`${clock.pending} timers outlive the session`);
    },
  };
}

/** One line for each message, for tests that compare a whole conversation. */
export function outline(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, parts }) => {
    const words = parts.map((part) => {
      switch (part.type) {
        case 'text':
          return part.text;
        case 'tool-call':
          return `call ${part.tool}`;
        case 'tool-result':
          return `result ${part.outcome}`;
        default:
          return part.type;
      }
    });
    return `${role}: ${words.join(' | ')}`;
  });
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<AgentSessionError> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (!isAgentSessionError(error)) throw error;
    return error;
  }
  throw new Error(`It should have rejected, and resolved with ${JSON.stringify(value)}.`);
}

/** Calls back at the n-th operation of a type, synchronously. */
export function atOperation(
  session: LocalAgentSession,
  type: Operation['type'],
  act: (operation: Operation) => void,
  nth = 1,
): void {
  let seen = 0;
  session.operations$.subscribe((operation) => {
    if (operation.type === type && ++seen === nth) act(operation);
  });
}

/** The terminal operations so far. */
export function terminals({ observed }: Fixture): readonly Operation['type'][] {
  return observed.operations.filter(isTerminal).map((operation) => operation.type);
}

/** The text of the n-th request's message that holds this call's result. */
export function resultTexts(request: { readonly messages: readonly Message[] }): readonly string[] {
  return request.messages.flatMap((message) =>
    message.parts.flatMap((part) =>
      part.type === 'tool-result'
        ? [
            part.content
              .map((piece) => (piece.type === 'text' ? piece.text : JSON.stringify(piece)))
              .join(' '),
          ]
        : [],
    ),
  );
}

/** The names of the items of a report. */
export function names(items: readonly { readonly description: string }[]): readonly string[] {
  return items.map(({ description }) => description);
}
