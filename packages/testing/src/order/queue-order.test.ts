import { describe, expect, test } from 'vitest';
import type { Operation } from '@banister/session';
import { checkOrder } from './order-checker.js';

type Fact = { readonly type: string; readonly [field: string]: unknown };

const line = { spent: 0, left: null };
const budget = { rounds: line, toolCalls: line, timeMs: line, tokens: line, cost: line };
const report = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Also' }] };

const queued = (id: string, steering = false): Fact => ({
  type: 'queued',
  id,
  input: 'Hi',
  steering,
  before: null,
});
const given = (id: string): Fact => ({ ...queued(id), given: true });
const dequeued = (id: string, target?: string): Fact => ({
  type: 'dequeued',
  id,
  reason: target === undefined ? 'removed' : 'started',
  target,
});
const steered = (id: string, round = 1): Fact => ({ type: 'steered', turnId: 't1', id, message, round });
const owner: Fact = { type: 'ownerChanged', epoch: 2, reason: 'opened', revertible: [] };

const started = (turnId = 't1'): readonly Fact[] => [
  { type: 'turnStarted', turnId, input: message, limits: {}, provider: { id: 'p', model: 'm' }, budget },
  { type: 'messagesAppended', turnId, messages: [message] },
];
/** A round whose answer is complete. */
const round = (number: number): readonly Fact[] => [
  { type: 'roundStarted', turnId: 't1', round: number, budget, contextPressure: null },
  { type: 'modelCallStarted', turnId: 't1', attempt: 1, model: 'm' },
  {
    type: 'modelCallFinished',
    turnId: 't1',
    attempt: 1,
    usage: null,
    stopReason: 'stop',
    error: null,
    budget,
  },
];
const closed = (number: number): Fact => ({
  type: 'roundCompleted',
  turnId: 't1',
  round: number,
  usage: null,
  totalUsage: null,
  toolCalls: 0,
  budget,
});
/** The facts of a child turn that runs in a call of the turn. */
const calling: readonly Fact[] = [
  { type: 'roundStarted', turnId: 't1', round: 1, budget, contextPressure: null },
  { type: 'modelCallStarted', turnId: 't1', attempt: 1, model: 'm' },
  { type: 'toolCallPartial', turnId: 't1', callId: 'c', tool: 'a.b', index: 0, delta: '{}' },
  { type: 'modelCallFinished', turnId: 't1', attempt: 1, usage: null, error: null, budget },
  {
    type: 'toolsRequested',
    turnId: 't1',
    calls: [{ callId: 'c', tool: 'a.b', argumentsText: '{}', arguments: {} }],
  },
  { type: 'toolStarted', turnId: 't1', callId: 'c', tool: 'a.b', arguments: {}, edited: false, budget },
];
const leaf = (child: string, { turnId: _turnId, ...inner }: Fact): Fact => ({
  type: 'subagent',
  turnId: 't1',
  path: [child],
  inner,
});
const childStarted = (child: string): readonly Fact[] => [
  leaf(child, {
    type: 'turnStarted',
    input: message,
    limits: {},
    provider: { id: 'p', model: 'm' },
    budget,
    agent: 'a',
    callId: 'c',
    key: child,
  }),
  leaf(child, { type: 'messagesAppended', messages: [message] }),
  ...[...round(1), closed(1)].map((fact) => leaf(child, fact)),
];
const forChild = (id: string, child: string): Fact => ({ ...queued(id, true), child });
const failedChild = (child: string): readonly Fact[] =>
  [
    { type: 'rollbackStarted' },
    { type: 'rolledBack', report, moved: {} },
    { type: 'failed', rounds: 1, error: { code: 'server', message: '', retry: 'now', details: {} }, report },
  ].map((fact) => leaf(child, fact));
const committed: readonly Fact[] = [
  { type: 'commitStarted', turnId: 't1', ending: { kind: 'completed' } },
  {
    type: 'committed',
    turnId: 't1',
    effects: [],
    unknown: [],
    undoable: false,
    redoable: false,
    domains: [],
  },
];
const completed = (rounds: number): Fact => ({
  type: 'completed',
  turnId: 't1',
  usage: null,
  rounds,
  budget,
  text: '',
  messages: [],
});
const failed: readonly Fact[] = [
  { type: 'rollbackStarted', turnId: 't1' },
  { type: 'rolledBack', turnId: 't1', report, moved: {} },
  { type: 'failed', turnId: 't1', usage: null, rounds: 0, budget, report, error: {} },
];

function problemsOf(facts: readonly Fact[], first = 1): readonly string[] {
  const operations = facts.map((fact, index) => ({ ...fact, sequence: first + index, at: 0 }));
  return checkOrder(operations as unknown as readonly Operation[]);
}

describe('valid streams', () => {
  test.each<[string, readonly Fact[]]>([
    ['a message that is changed and removed', [queued('a'), queued('a'), dequeued('a')]],
    ['a message that begins a turn', [queued('a'), dequeued('a', 't1'), ...started(), ...failed]],
    [
      'a message that joins a turn after its first answer',
      [
        ...started(),
        ...round(1),
        queued('a', true),
        closed(1),
        steered('a'),
        ...round(2),
        ...committed,
        closed(2),
        completed(2),
      ],
    ],
    [
      'a message that was removed when the final answer was closed for it',
      [...started(), queued('a', true), ...round(1), closed(1), dequeued('a'), ...committed, completed(1)],
    ],
    [
      'a message that did not join, and begins the next turn',
      [...started(), queued('a', true), ...failed, dequeued('a', 't2'), ...started('t2')],
    ],
    ['a message with an id of the app that is changed and removed', [given('a'), queued('a'), dequeued('a')]],
    [
      'agents K7 an id of the app that is given again after its turn could not start',
      [given('a'), { ...dequeued('a'), reason: 'refused' }, given('a')],
    ],
    [
      'agents C37 a message that joins a child turn, beside a message for the turn',
      [
        ...started(),
        ...calling,
        queued('t', true),
        ...childStarted('x'),
        forChild('a', 'x'),
        { ...forChild('a', 'x'), input: 'Changed' },
        leaf('x', steered('a')),
        ...failedChild('x'),
      ],
    ],
    [
      'agents C37 a message that leaves the queue before its child turn ends',
      [
        ...started(),
        ...calling,
        ...childStarted('x'),
        forChild('a', 'x'),
        dequeued('a'),
        ...failedChild('x'),
      ],
    ],
    ['a message whose turn did not begin', [queued('a'), dequeued('a', 't1'), owner, dequeued('a')]],
  ])('%s', (_name, facts) => {
    expect(problemsOf(facts)).toEqual([]);
  });

  test('accepts a message that was queued before the stream', () => {
    expect(problemsOf([dequeued('a')], 5)).toEqual([]);
  });
});

describe('invalid streams', () => {
  test.each<[string, readonly Fact[], string]>([
    [
      'a message leaves the queue once',
      [queued('a'), dequeued('a'), dequeued('a')],
      'message a is not in the queue',
    ],
    [
      'a message joins once',
      [...started(), queued('a', true), ...round(1), closed(1), steered('a'), steered('a')],
      'message a is not in the queue',
    ],
    [
      'agents K7 an id of the app counts once, also after the message was removed',
      [given('a'), dequeued('a'), given('a')],
      'message a was in the queue before',
    ],
    ['no message steers without a turn', [queued('a', true)], 'there is no turn that it could join'],
    [
      'a message for a turn of its own does not join',
      [...started(), queued('a'), ...round(1), closed(1), steered('a')],
      'message a waits for a turn of its own',
    ],
    [
      'a message that steers begins no turn',
      [...started(), queued('a', true), dequeued('a', 't2')],
      'message a steers the running turn',
    ],
    [
      'a message does not begin to steer',
      [...started(), queued('a'), queued('a', true)],
      'message a waits for a turn of its own',
    ],
    [
      'the turn of a message begins with the next operation',
      [queued('a'), dequeued('a', 't1'), ...started('t2')],
      'turn t1 of message a has not begun',
    ],
    [
      'no message joins an open round',
      [...started(), queued('a', true), ...round(1), steered('a')],
      'round 1 is open',
    ],
    [
      'a message names the round that it follows',
      [...started(), queued('a', true), ...round(1), closed(1), steered('a', 2)],
      'it follows round 2, and the last one is 1',
    ],
    [
      'no message joins before the first round',
      [...started(), queued('a', true), steered('a', 0)],
      'it follows round 0',
    ],
    [
      'no message joins after the commit has begun',
      [...started(), queued('a', true), ...round(1), closed(1), ...committed, steered('a')],
      'it comes after committed',
    ],
    [
      'agents C37 a message for a child turn does not join the turn',
      [...started(), ...round(1), closed(1), forChild('a', 'x'), steered('a')],
      'message a steers child turn x',
    ],
    [
      'agents C37 a message for a child turn does not join another one',
      [
        ...started(),
        ...calling,
        ...childStarted('x'),
        ...childStarted('y'),
        forChild('a', 'x'),
        leaf('y', steered('a')),
      ],
      'message a steers child turn x',
    ],
    [
      'agents C37 a message for the turn does not join a child turn',
      [...started(), ...calling, ...childStarted('x'), queued('a', true), leaf('x', steered('a'))],
      'message a steers the turn of the user',
    ],
    [
      'agents C37 no message waits for a child turn that has ended',
      [...started(), ...calling, ...childStarted('x'), forChild('a', 'x'), ...failedChild('x')],
      'message a still steers child turn x',
    ],
    [
      'agents C37 a message for a child turn steers',
      [...started(), { ...forChild('a', 'x'), steering: false }],
      'message a waits for a turn of its own',
    ],
    [
      'a final answer is completed',
      [...started(), ...round(1), ...committed, completed(1)],
      'roundCompleted must come right before it',
    ],
  ])('%s', (_name, facts, problem) => {
    expect(problemsOf(facts)).toEqual([expect.stringContaining(problem)]);
  });
});
