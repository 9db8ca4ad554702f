// The default scheduler: when signals publish with no port given, with a frame clock and without one.
import { gate, say, scriptedProvider, type Gate } from '@banister/testing';
import { createAgentSession, effect, preloadTurns, type AgentSession } from '@banister/session';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** A session on the default ports that stops at the gate after `a`, `b` and `c`, and the texts that it published. */
async function streaming(): Promise<{ session: AgentSession; more: Gate; seen: string[] }> {
  const more = gate();
  const session = createAgentSession({ provider: scriptedProvider([say(['a', 'b', 'c', more, 'd'])]) });
  const seen: string[] = [];
  effect(() => void seen.push(session.currentText.value));
  void session.send('Go');
  await more.reached;
  return { session, more, seen };
}

beforeEach(async () => {
  await preloadTurns();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('without a frame clock', () => {
  it('deltas are published at once, then every 16 ms, and no timer outlives the turn', async () => {
    const { session, more, seen } = await streaming();
    expect(seen).toEqual(['', 'a']);
    vi.advanceTimersByTime(15);
    expect(seen).toEqual(['', 'a']);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(['', 'a', 'abc']);
    more.open();
    await vi.waitUntil(() => !session.isRunning.value, 30_000);
    expect(vi.getTimerCount()).toBe(0);
    await session.dispose();
  });
});

describe('with a frame clock', () => {
  /** Frames that the test fires, as a page does; without that there are none, as in a hidden tab. */
  function stubFrames(): { fire: () => void; readonly waiting: number } {
    const waiting = new Map<number, () => void>();
    let last = 0;
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
      waiting.set(++last, callback);
      return last;
    });
    vi.stubGlobal('cancelAnimationFrame', (handle: number) => waiting.delete(handle));
    return {
      fire() {
        const due = [...waiting.values()];
        waiting.clear();
        for (const callback of due) callback();
      },
      get waiting() {
        return waiting.size;
      },
    };
  }

  it('deltas are published with the frame, and the timer for hidden tabs is cancelled', async () => {
    const frames = stubFrames();
    const { session, more, seen } = await streaming();
    vi.advanceTimersByTime(16);
    expect(seen).toEqual(['', 'a']);
    frames.fire();
    expect(seen).toEqual(['', 'a', 'abc']);
    // The publication opened the next frame, in which nothing has changed. One timer is the turn's own.
    expect([frames.waiting, vi.getTimerCount()]).toEqual([1, 2]);
    frames.fire();
    expect([frames.waiting, vi.getTimerCount()]).toEqual([0, 1]);
    more.open();
    await vi.waitUntil(() => !session.isRunning.value, 30_000);
    await session.dispose();
  });

  it('a hidden tab, which gets no frames, publishes after 100 ms, and the frame is cancelled', async () => {
    const frames = stubFrames();
    const { session, more, seen } = await streaming();
    vi.advanceTimersByTime(99);
    expect(seen).toEqual(['', 'a']);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(['', 'a', 'abc']);
    expect([frames.waiting, vi.getTimerCount()]).toEqual([1, 2]);
    more.open();
    await vi.waitUntil(() => !session.isRunning.value, 30_000);
    expect([frames.waiting, vi.getTimerCount()]).toEqual([0, 0]);
    await session.dispose();
  });
});
