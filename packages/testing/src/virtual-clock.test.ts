import { describe, expect, test } from 'vitest';
import { createVirtualClock } from './virtual-clock.js';

describe('a virtual clock', () => {
  test('stands still until it is advanced', async () => {
    const clock = createVirtualClock(1_000);
    expect(clock.now()).toBe(1_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_250);
  });

  test('fires due timers in order of time, and timers of the same time in the order in which they were set', async () => {
    const clock = createVirtualClock();
    const fired: string[] = [];
    clock.schedule(() => fired.push(`c@${clock.now()}`), 30);
    clock.schedule(() => fired.push(`a@${clock.now()}`), 10);
    clock.schedule(() => fired.push(`b@${clock.now()}`), 10);
    await clock.advance(29);
    expect(fired).toEqual(['a@10', 'b@10']);
    await clock.advance(1);
    expect(fired).toEqual(['a@10', 'b@10', 'c@30']);
  });

  test('fires timers that are set during the advance', async () => {
    const clock = createVirtualClock();
    const fired: number[] = [];
    clock.schedule(() => clock.schedule(() => fired.push(clock.now()), 5), 10);
    await clock.advance(20);
    expect(fired).toEqual([15]);
    expect(clock.now()).toBe(20);
  });

  test('lets promises settle before the first timer and after each', async () => {
    const clock = createVirtualClock();
    const events: string[] = [];
    const afterMany = async (event: string) => {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      events.push(event);
    };
    void afterMany('settled').then(() => clock.schedule(() => events.push('first'), 0));
    clock.schedule(() => {
      events.push('second');
      void afterMany('settled again');
    }, 1);
    clock.schedule(() => events.push('third'), 2);
    await clock.advance(2);
    expect(events).toEqual(['settled', 'first', 'second', 'settled again', 'third']);
  });

  test('forgets a cancelled timer', async () => {
    const clock = createVirtualClock();
    const cancel = clock.schedule(() => expect.unreachable(), 1);
    expect(clock.pending).toBe(1);
    cancel();
    cancel();
    expect(clock.pending).toBe(0);
    await clock.advance(10);
  });

  test('fires a timer once', async () => {
    const clock = createVirtualClock();
    let fired = 0;
    clock.schedule(() => fired++, 1);
    await clock.advance(10);
    await clock.advance(10);
    expect(fired).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('treats an invalid delay as 0, and never fires a timer with an infinite delay', async () => {
    const clock = createVirtualClock();
    const fired: string[] = [];
    clock.schedule(() => fired.push('negative'), -5);
    clock.schedule(() => fired.push('NaN'), NaN);
    clock.schedule(() => expect.unreachable(), Infinity);
    await clock.advance(0);
    expect(fired).toEqual(['negative', 'NaN']);
    expect(clock.pending).toBe(0);
  });

  test('runs all timers, no matter when they are due', async () => {
    const clock = createVirtualClock();
    let fired = 0;
    clock.schedule(() => clock.schedule(() => fired++, 86_400_000), 1);
    await clock.runAll();
    expect(fired).toBe(1);
    expect(clock.now()).toBe(86_400_001);
  });

  test('throws for a timer that sets itself again forever', async () => {
    const clock = createVirtualClock();
    const again = () => void clock.schedule(again, 0);
    again();
    await expect(clock.runAll()).rejects.toThrow('sets itself again');
  });

  test('runs two simultaneous advances one after another', async () => {
    const clock = createVirtualClock();
    const fired: number[] = [];
    clock.schedule(() => fired.push(clock.now()), 15);
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(fired).toEqual([15]);
    expect(clock.now()).toBe(20);
  });

  test('passes on errors of timers, and stays usable', async () => {
    const clock = createVirtualClock();
    clock.schedule(() => {
      throw new Error('Broken.');
    }, 1);
    await expect(clock.advance(1)).rejects.toThrow('Broken.');
    await clock.advance(1);
    expect(clock.now()).toBe(2);
  });
});
