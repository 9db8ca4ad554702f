import fc from 'fast-check';
import { settle } from '@banister/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endCut } from './app-actions.js';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { actionsOf, disposeCommand, type Action } from './schedule-actions.js';
import { problemsAtEnd, problemsAtRest } from './schedule-rest.js';
import { ScheduledSession, setups } from './scheduled-session.js';

/**
 * Steps of a schedule: which of the possible actions, in what form, and how many microtasks pass before the next. Without
 * fast-check's bias towards small numbers, which would mean the same few actions over and over.
 */
const steps = fc.noBias(
  fc.array(
    fc.record({
      choice: fc.nat(9_999),
      detail: fc.nat(999),
      /** Mostly all; a small number lets two things happen nearly at once. */
      ticks: fc.constantFrom(200, 200, 200, 0, 1, 3, 7, 15),
    }),
    { minLength: 4, maxLength: 60, size: 'max' },
  ),
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => void unhandled.push(reason);

beforeAll(() => {
  process.on('unhandledRejection', onUnhandled);
});

afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
});

test('all invariants hold under any schedule of actions', { timeout: 3_600_000 }, async () => {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(setups, steps, async (setup, schedule) => {
      const scheduled = new ScheduledSession(setup);
      const trace: string[] = [];
      const check = (problems: readonly string[]) => {
        if (problems.length > 0) throw new Error([...problems, 'after:', ...trace].join('\n  '));
      };
      for (const step of schedule) {
        const action = chosen(actionsOf(scheduled), step);
        trace.push(`${action.name} (${step.detail}, ${step.ticks}) in ${scheduled.session.state.phase}`);
        counts.set(action.name, (counts.get(action.name) ?? 0) + 1);
        await action.run(step.detail);
        await settle(step.ticks);
        if (step.ticks === 200) check(problemsAtRest(scheduled));
      }
      for (const { type } of scheduled.watch.log) counts.set(`: ${type}`, (counts.get(`: ${type}`) ?? 0) + 1);
      await end(scheduled);
      check(problemsAtEnd(scheduled));
    }),
    propertyRun('schedules', 2_000),
  );
  if (process.env.PROPERTY_COUNTS !== undefined)
    console.log(
      [...counts]
        .map(([name, count]) => `${name} ${count}`)
        .sort()
        .join('\n'),
    );
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(unhandled).toEqual([]);
});

function chosen(actions: readonly Action[], { choice }: Step): Action {
  const total = actions.reduce((sum, action) => sum + action.weight, 0);
  let left = (choice / 10_000) * total;
  return actions.find((action) => (left -= action.weight) < 0)!;
}

/** Disposes of the session, then settles everything that is still open. No subscriber may receive any of it. */
async function end(scheduled: ScheduledSession): Promise<void> {
  const { clock, app, provider, watch, session } = scheduled;
  await settle();
  if (!scheduled.disposed) {
    // A late revert that hangs is given up after five seconds.
    await clock.advance(5_000);
    for (const callId of watch.unreportedLateCalls())
      watch.say(`${callId} settled late, without an operation that says so`);
    disposeCommand(scheduled);
  }
  await clock.advance(120_000);
  const { state } = session;
  const { length } = watch.log;
  for (const run of app.runs) if (!run.settled) endCut(scheduled, run, 'done');
  for (const stream of provider.streams) stream.end();
  await clock.advance(120_000);
  await session.send('Too late').then(
    () => watch.say('a disposed session accepts a message'),
    () => {},
  );
  if (session.state !== state || watch.log.length !== length) watch.say('a disposed session changes');
}
