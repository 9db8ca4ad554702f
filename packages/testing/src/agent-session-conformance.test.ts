import { createAgentSession, type AgentSession, type SessionOptions } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { recordingRunner } from '../test/recording-runner.js';
import { agentSessionConformance, type AgentSessionConformanceOptions } from './agent-session-conformance.js';
import type { SessionFact } from './session/session-fact.js';
import { sessionFacts } from './session/session-facts.js';

/** How long a broken session may take, in milliseconds. A fact that waits forever fails after this time. */
const SOON = 1_500;

/** Runs the suite against a session with other members. Resolves with the facts that failed and the titles of those that were skipped. */
async function outcomeOf(
  spoil: (session: AgentSession) => Partial<AgentSession>,
  only: readonly SessionFact[],
  options: AgentSessionConformanceOptions = {},
) {
  const failed: SessionFact[] = [];
  const runner = recordingRunner();
  const make = (given: SessionOptions) => {
    const session = createAgentSession(given);
    const spoiled = spoil(session);
    return {
      session: new Proxy<AgentSession>(session, {
        get: (_target, name): unknown => Reflect.get(name in spoiled ? spoiled : session, name),
      }),
    };
  };
  agentSessionConformance('spoiled', make, runner, { patienceMs: SOON, ...options });
  for (const [title, body] of runner.bodies) {
    const { fact } = sessionFacts.find(({ description }) => description === title)!;
    if (!only.includes(fact)) continue;
    try {
      await body();
    } catch {
      failed.push(fact);
    }
  }
  return { failed, skipped: runner.skipped };
}

describe('the suite for sessions', () => {
  test('has exactly one fact for each name', () => {
    const names = sessionFacts.map(({ fact }) => fact);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(sessionFacts.map(({ description }) => description)).size).toBe(names.length);
  });

  test('reports a declared gap as skipped, with its reason', async () => {
    const { skipped } = await outcomeOf(() => ({}), [], { skip: { dispose: 'it never ends' } });
    expect(skipped).toHaveLength(1);
    expect(skipped[0]).toMatch(/\(gap: it never ends\)$/);
  });

  const spoils: readonly (readonly [
    string,
    SessionFact,
    (session: AgentSession) => Partial<AgentSession>,
  ])[] = [
    [
      'sends each message twice',
      'busy',
      ({ send }) => ({ send: (...args) => (void send(...args), send(...args)) }),
    ],
    ['ignores the limits of a send', 'limits', ({ send }) => ({ send: (input) => send(input) })],
    ['ignores the signal of a send', 'aborted-signal', ({ send }) => ({ send: (input) => send(input) })],
    [
      'shows a turn late',
      'running-at-once',
      ({ edit }) => ({
        edit: (...args) => {
          const late = Promise.resolve().then(() => edit(...args));
          late.catch(() => {});
          return late;
        },
      }),
    ],
    [
      'keeps the effects of a turn that is cancelled',
      'cancel',
      ({ cancel }) => ({ cancel: () => cancel({ sideEffects: 'keep' }) }),
    ],
    [
      'cancels the whole turn in place of one child turn',
      'child-cancel',
      ({ cancel }) => ({ cancel: () => cancel() }),
    ],
    [
      'undoes the whole turn in place of one child turn',
      'child-undo',
      ({ undo }) => ({ undo: (options) => undo({ ...options, child: undefined }) }),
    ],
    [
      'loses the agent of a question',
      'child-question',
      ({ pendingConfirmation: shown }) => ({
        pendingConfirmation: Object.create(shown, {
          value: { get: () => shown.value && { ...shown.value, agent: undefined } },
        }) as typeof shown,
      }),
    ],
    ['undoes without force and target', 'nothing-to-undo', ({ undo }) => ({ undo: () => undo() })],
    [
      'loses a message of the queue',
      'queue',
      ({ requeue }) => ({ requeue: (id, change) => requeue(id, { ...change, before: null }) }),
    ],
    [
      'regenerates and keeps the effects',
      'regenerate',
      ({ regenerate }) => ({ regenerate: () => regenerate({ effects: 'keep' }) }),
    ],
    ['never ends', 'dispose', () => ({ dispose: () => Promise.resolve() })],
    [
      'has a state of its own each time',
      'immutable',
      (session) => ({
        get state() {
          return { ...session.state };
        },
      }),
    ],
  ];
  test.each(spoils)('finds a session that %s', async (_name, fact, spoil) => {
    expect((await outcomeOf(spoil, [fact])).failed).toEqual([fact]);
    expect((await outcomeOf(() => ({}), [fact])).failed).toEqual([]);
  });
});
