// Each call of a turn to its log is answered later than the 5 seconds that a session waits.
import type { SessionLog } from '@banister/session';
import { createVirtualClock } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { eachLog, newLog } from './each-log.js';
import { removeFiles } from './temporary-folder.js';
import { expectNothingLost, makePage, turn } from './faulty-turns.js';

afterAll(removeFiles);

/**
 * A log whose call with this number is answered late. `when`: the call is made at once, or as late as its
 * answer.
 */
function slowLog(log: SessionLog, at: number, when: 'at once' | 'late', until: Promise<void>) {
  let count = 0;
  let open = 0;
  let waiting = 0;
  const wait = async () => {
    waiting++;
    await until;
    waiting--;
  };
  const slow =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const isSlow = ++count === at;
      open++;
      try {
        if (isSlow && when === 'late') await wait();
        const result = await call(...args);
        if (isSlow) await wait();
        return result;
      } finally {
        open--;
      }
    };
  const { claim, append, load, snapshot, renew, release } = log;
  const slowed: SessionLog = {
    ...log,
    claim: slow(claim),
    append: slow(append),
    load: slow(load),
    snapshot: slow(snapshot),
    renew: slow(renew),
    release: slow(release),
  };
  return { log: slowed, calls: () => count, open: () => open, atWork: () => open - waiting };
}

describe.each(eachLog)('a session over %s', (_name, connect) => {
  /** Runs one turn with one slow call; 0 means no slow call. Resolves with the number of calls. */
  async function turnWithSlowCall(at: number, when: 'at once' | 'late'): Promise<number> {
    const number = newLog();
    const page = makePage();
    const clock = createVirtualClock(Date.now());
    let goOn = () => {};
    const until = new Promise<void>((resolve) => (goOn = resolve));
    const { log, calls, open, atWork } = slowLog(connect(number), at, when, until);
    const session = page.open(log, turn(), { clock });
    let wasAcknowledged: boolean | null = null;
    session.send('Add Plan').then(
      () => (wasAcknowledged = true),
      () => (wasAcknowledged = false),
    );
    // The clock does not move while any other call is pending, so that a busy processor is not taken for a
    // slow log.
    const waitFor = async (isDone: () => boolean) => {
      for (let second = 0; second < 60;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (isDone()) break;
        if (atWork() > 0) continue;
        await clock.advance(1_000);
        second++;
      }
      expect(isDone()).toBe(true);
    };
    await waitFor(() => wasAcknowledged !== null && session.link.value.open);
    const made = calls();
    goOn();
    // A lease that arrives too late is released.
    await waitFor(() => open() === 0);
    let isChecked = false;
    const checked = expectNothingLost(page, session, wasAcknowledged!, connect(number)).finally(
      () => (isChecked = true),
    );
    checked.catch(() => {});
    await waitFor(() => isChecked);
    await checked;
    return made;
  }

  test.each(['at once', 'late'] as const)(
    'D7 a turn loses nothing and acts once if any call to the log is made %s and answered after 5 seconds',
    async (when) => {
      const calls = await turnWithSlowCall(0, when);
      expect(calls).toBeGreaterThan(5);
      for (let at = 1; at <= calls; at++)
        await turnWithSlowCall(at, when).catch((error: unknown) => {
          throw new Error(`Call ${at} of ${calls} was slow.`, { cause: error });
        });
    },
  );
});
