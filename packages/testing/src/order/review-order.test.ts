import { describe, expect, test } from 'vitest';
import type { OperationOf } from '@banister/session';
import { ReviewOrder, type ReviewType } from './review-order.js';

type Checked = OperationOf<ReviewType>;
type Step = Record<string, unknown> & { readonly type: Checked['type'] | 'commitStarted' | 'ownerChanged' };

const effect = (toolCallId: string, ...dependents: readonly string[]) => ({
  toolCallId,
  toolName: 'form.set',
  description: toolCallId,
  changes: [],
  dependents,
});
const opened: Step = { type: 'reviewOpened', effects: [effect('a', 'b'), effect('b')] };
const accepted = (...ids: readonly string[]): Step => ({ type: 'reviewResolved', decision: 'accepted', ids });
const started = (...ids: readonly string[]): Step => ({ type: 'rejectStarted', ids });
const rejected = (ids: readonly string[], done = ids): Step => ({
  type: 'reviewResolved',
  decision: 'rejected',
  ids,
  report: { done: done.map((id) => effect(id)) },
});
const commit = (kind: string): Step => ({ type: 'commitStarted', ending: { kind } });
const owner: Step = { type: 'ownerChanged' };

function problemsOf(steps: readonly Step[], isAskedFor = true): readonly string[] {
  const order = new ReviewOrder(isAskedFor);
  const problems: string[] = [];
  const complain = (problem: string) => void problems.push(problem);
  for (const step of steps) {
    if (step.type === 'ownerChanged') order.interrupted();
    else if (step.type === 'commitStarted') order.committed(step as never, complain);
    else order.check(step as never, complain);
  }
  return problems;
}

describe('the order of a review', () => {
  test.each<readonly [string, readonly Step[]]>([
    ['a commit without a review', [commit('completed')]],
    ['all accepted', [opened, accepted('a', 'b'), commit('completed')]],
    [
      'an accepted one that is taken back with another',
      [opened, accepted('b'), started('b', 'a'), rejected(['b', 'a']), commit('stopped')],
    ],
    [
      'a conflict, then accepted',
      [opened, started('b'), rejected(['b'], []), accepted('a', 'b'), commit('completed')],
    ],
    [
      'opened again by another owner',
      [
        opened,
        accepted('a'),
        owner,
        { type: 'reviewOpened', effects: [effect('b')] },
        accepted('b'),
        commit('completed'),
      ],
    ],
    [
      'a cancel that leaves one open',
      [opened, started('b', 'a'), rejected(['b', 'a'], ['b']), commit('cancelled')],
    ],
    [
      'a review that was abandoned',
      [opened, owner, started('b', 'a'), rejected(['b', 'a']), commit('interrupted')],
    ],
  ])('permits %s', (_name, steps) => {
    expect(problemsOf(steps)).toEqual([]);
  });

  test.each<readonly [string, readonly Step[], string]>([
    ['a review without effects', [{ type: 'reviewOpened', effects: [] }], 'no effects'],
    ['a second one', [opened, opened], 'the review was opened before'],
    [
      'other effects when it is opened again',
      [opened, accepted('a'), owner, opened],
      'it lists other effects than those without a decision',
    ],
    [
      'an unknown dependent',
      [{ type: 'reviewOpened', effects: [effect('a', 'x')] }],
      'the effect of call x is not reviewed',
    ],
    ['a decision about another effect', [opened, started('x')], 'the effect of call x is not reviewed'],
    [
      'an effect that is accepted twice',
      [opened, accepted('a'), accepted('a')],
      'the effect of call a is not open',
    ],
    ['two rejections at once', [opened, started('a'), started('b')], 'other effects are being taken back'],
    ['a rejection of nothing', [opened, started()], 'no effects'],
    ['an acceptance meanwhile', [opened, started('b'), accepted('a')], 'effects are being taken back'],
    [
      'the end of a rejection that did not start',
      [opened, rejected(['a'])],
      'rejectStarted must come before it',
    ],
    [
      'a commit with an open effect',
      [opened, accepted('a'), commit('completed')],
      'the effect of call b is not decided',
    ],
    ['a commit in a rejection', [opened, started('b'), commit('cancelled')], 'effects are being taken back'],
    [
      'a failure that leaves effects without a review',
      [commit('interrupted')],
      'only the end of a review leaves effects there',
    ],
  ])('complains about %s', (_name, steps, problem) => {
    expect(problemsOf(steps)).toEqual([problem]);
  });

  test('complains about a review that was not asked for', () => {
    expect(problemsOf([opened], false)).toEqual(['the turn is not reviewed']);
  });
});
