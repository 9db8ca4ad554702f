import { describe, expect, test } from 'vitest';
import { ExtensionOrder } from './extension-order.js';

interface Step {
  readonly type: 'extensionRequested' | 'extensionResolved' | 'ownerChanged' | 'roundStarted';
  readonly [field: string]: unknown;
}

const limits = { onTrip: 'ask', maxRounds: 2, session: { maxTokens: 9 } };
const asked = (more: Readonly<Record<string, unknown>> = {}): Step => ({
  type: 'extensionRequested',
  request: { id: 'e', limit: 'maxRounds', spent: 2, allowed: 2, suggested: 2, ...more },
});
const extended = (amount: number, allowed: number, requestId = 'e'): Step => ({
  type: 'extensionResolved',
  requestId,
  limit: 'maxRounds',
  decision: 'extended',
  amount,
  allowed,
});
const ended = (limit = 'maxRounds'): Step => ({
  type: 'extensionResolved',
  requestId: 'e',
  limit,
  decision: 'ended',
});
const owner: Step = { type: 'ownerChanged' };
const round: Step = { type: 'roundStarted' };

function problemsOf(steps: readonly Step[], given: Readonly<Record<string, unknown>> = limits) {
  const order = new ExtensionOrder(given);
  const problems: string[] = [];
  const complain = (problem: string) => void problems.push(problem);
  for (const step of steps) {
    if (step.type === 'ownerChanged') order.interrupted();
    else if (step.type === 'roundStarted') order.started(complain);
    else if (step.type === 'extensionRequested') order.requested(step as never, complain);
    else order.resolved(step as never, complain);
  }
  return problems;
}

describe('the order of requests to extend a limit', () => {
  test.each<readonly [string, readonly Step[]]>([
    ['one that is extended, and the next', [asked(), extended(3, 5), round, asked({ spent: 5, allowed: 5 })]],
    ['one that is ended', [asked(), ended()]],
    ['one that another owner opens again', [asked(), owner, asked(), extended(1, 3), round]],
    [
      'more than was permitted is spent',
      [asked({ limit: 'session.maxTokens', spent: 20, allowed: 9 }), ended('session.maxTokens')],
    ],
  ])('permits %s', (_name, steps) => {
    expect(problemsOf(steps)).toEqual([]);
  });

  test.each<readonly [string, readonly Step[], string]>([
    ['a second request', [asked(), asked()], 'request e is open'],
    ['another request of a new owner', [asked(), owner, asked({ id: 'f' })], 'request e is open'],
    ['a request that comes again twice', [asked(), owner, asked(), asked()], 'request e is open'],
    ['another limit than the given one', [asked({ spent: 3, allowed: 3 })], 'maxRounds is 2, not 3'],
    [
      'a limit without its extension',
      [asked(), extended(3, 5), asked({ spent: 5 })],
      'maxRounds is 5, not 2',
    ],
    ['a limit that has not tripped', [asked({ spent: 1 })], 'only 1 of 2 are spent'],
    ['a request that suggests nothing', [asked({ suggested: 0 })], 'it suggests nothing'],
    ['an answer to no request', [extended(1, 3)], 'request e is not open'],
    ['an answer to another request', [asked(), extended(1, 3, 'f')], 'request f is not open'],
    ['an answer about another limit', [asked(), ended('maxCost')], 'the request is about maxRounds'],
    ['an extension of nothing', [asked(), extended(0, 2)], 'it gives nothing'],
    ['a wrong sum', [asked(), extended(2, 5)], '2 more are not 5'],
    ['a step that starts', [asked(), round], 'the user is asked for more'],
  ])('complains about %s', (_name, steps, problem) => {
    expect(problemsOf(steps)).toEqual([problem]);
  });

  test('complains about a request in a turn whose limits do not ask', () => {
    expect(problemsOf([asked()], { ...limits, onTrip: 'stop' })).toEqual(['the turn does not ask for more']);
  });
});
