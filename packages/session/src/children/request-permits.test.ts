import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { RequestPermits } from './request-permits.js';

/** Takes permits, or gives back what the take of this number got. */
const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.record({ back: fc.nat({ max: 20 }) })), {
  maxLength: 60,
});

function compare(
  most: number,
  taken: readonly (typeof steps extends fc.Arbitrary<infer S> ? S : never)[number][],
) {
  const permits = new RequestPermits(most);
  const granted: number[] = [];
  const backs: (() => void)[] = [];
  // The model: who holds a permit, and who waits, in order.
  const holders = new Set<number>();
  const queue: number[] = [];
  const expected: number[] = [];
  const fill = () => {
    while (holders.size < most && queue.length > 0) {
      const next = queue.shift()!;
      holders.add(next);
      expected.push(next);
    }
  };
  for (const step of taken) {
    if (step === 'take') {
      const number = backs.length;
      backs.push(permits.take(() => granted.push(number)));
      queue.push(number);
    } else {
      backs[step.back]?.();
      if (step.back < backs.length) {
        holders.delete(step.back);
        if (queue.includes(step.back)) queue.splice(queue.indexOf(step.back), 1);
      }
    }
    fill();
    expect(granted).toEqual(expected);
    expect(holders.size).toBeLessThanOrEqual(most);
  }
}

describe('the permits for requests of child turns', () => {
  it('agents C25 at most so many are taken at once, and the others wait in order of arrival', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), steps, compare),
      propertyRun('request permits', 2_000),
    );
  });

  it('agents C25 a request that is cancelled while it waits gets no permit, and gives none back', () => {
    const permits = new RequestPermits(1);
    const granted: string[] = [];
    const first = permits.take(() => granted.push('first'));
    const second = permits.take(() => granted.push('second'));
    permits.take(() => granted.push('third'));
    second();
    expect(granted).toEqual(['first']);
    first();
    first();
    permits.take(() => granted.push('fourth'));
    expect(granted).toEqual(['first', 'third']);
  });
});
