import { createVirtualClock } from '@banister/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { AgentClock } from './agent-clock.js';
import { turnTime } from './turn-time.js';

/** What an agent does, or what happens to all of them. */
type Step =
  | { readonly kind: 'hold' | 'release' | 'think' | 'speak'; readonly agent: number }
  | { readonly kind: 'join' | 'stand' | 'go on' }
  | { readonly kind: 'wait'; readonly ms: number };

const agent = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hold' as const), agent }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), agent }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('think' as const, 'speak' as const), agent }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('join' as const, 'stand' as const, 'go on' as const) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 50 }) }) },
);

/** An agent as the test counts it: it works while it has no hold and does not think. */
interface Counted {
  readonly clock: AgentClock;
  readonly releases: (() => void)[];
  isThinking: boolean;
}

const LIMIT = 300;

function act(agent: Counted, kind: 'hold' | 'release' | 'think' | 'speak'): void {
  const { clock, releases } = agent;
  if (kind === 'hold') releases.push(clock.hold());
  else if (kind === 'release') {
    const release = releases.pop();
    release?.();
    // A second call is not the release of another hold.
    release?.();
  } else {
    agent.isThinking = kind === 'think';
    clock.setThinking(agent.isThinking);
  }
}

/** Carries the steps out, and compares both clocks with a count of their milliseconds after each step. */
async function compare(steps: readonly Step[]): Promise<void> {
  const time = createVirtualClock();
  const clocks = turnTime(time, { timeoutMs: LIMIT, maxThinkingMs: LIMIT }, 0);
  const expired = { timeoutMs: -1, maxThinkingMs: -1 };
  const counts = { timeoutMs: 0, maxThinkingMs: 0 };
  for (const limit of ['timeoutMs', 'maxThinkingMs'] as const)
    clocks[limit].onExpiry(() => (expired[limit] = clocks[limit].elapsed()));
  const join = (): Counted => ({ clock: new AgentClock(clocks), releases: [], isThinking: false });
  const agents = [join()];
  const stands: (() => void)[] = [];
  for (const one of steps) {
    if (one.kind === 'wait') {
      const working = agents.some(({ releases, isThinking }) => releases.length === 0 && !isThinking);
      if (working && stands.length === 0) counts.timeoutMs += one.ms;
      if (agents.some(({ isThinking }) => isThinking) && stands.length === 0) counts.maxThinkingMs += one.ms;
      await time.advance(one.ms);
    } else if ('agent' in one) act(agents[one.agent % agents.length]!, one.kind);
    else if (one.kind === 'join') agents.push(join());
    else if (one.kind === 'go on') stands.pop()?.();
    else {
      const releases = [clocks.timeoutMs.hold(), clocks.maxThinkingMs.hold()];
      stands.push(() => releases.forEach((release) => release()));
    }
    for (const limit of ['timeoutMs', 'maxThinkingMs'] as const) {
      expect(clocks[limit].elapsed()).toBe(counts[limit]);
      expect(expired[limit]).toBe(counts[limit] >= LIMIT ? LIMIT : -1);
    }
  }
}

describe('the time of a turn with several agents', () => {
  it('agents K6 is the time in which at least one agent works, and it expires when that time is up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), compare),
      propertyRun('the time of several agents', 500),
    );
  });

  it('agents K6 stands still while one agent asks and the other thinks, and the time for thinking runs', async () => {
    const time = createVirtualClock();
    const clocks = turnTime(time, { timeoutMs: LIMIT, maxThinkingMs: LIMIT }, 20);
    const first = new AgentClock(clocks);
    const second = new AgentClock(clocks);
    await time.advance(10);
    const release = first.hold();
    await time.advance(10);
    second.setThinking(true);
    await time.advance(10);
    release();
    await time.advance(10);
    expect([clocks.timeoutMs.elapsed(), clocks.maxThinkingMs.elapsed()]).toEqual([50, 20]);
  });
});
