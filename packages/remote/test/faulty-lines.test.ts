// Devices follow one session over transports that lose, delay, repeat and cut messages.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { settle } from '@banister/testing';
import { propertyRun } from '../../../test/kit/property-run.js';
import { preloadTurns } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { FollowedApp, type Device } from './followed-app.js';
import { preloadBranches } from './remote.js';

beforeAll(() => Promise.all([preloadBranches(), preloadTurns({ agents: [{ id: 'any', role: '' }] })]));

/** The commands of a user, each on a random device. */
const actions = {
  send: (app: FollowedApp, device: Device) => app.give(device, 'send'),
  enqueue: (app: FollowedApp, device: Device) => app.give(device, 'enqueue'),
  steer: (app: FollowedApp, device: Device) => app.give(device, 'steer'),
  approve: (app: FollowedApp, { session }: Device) =>
    app.watch(session.pendingConfirmation.value?.approve() ?? Promise.resolve()),
  deny: (app: FollowedApp, { session }: Device) =>
    app.watch(session.pendingConfirmation.value?.deny('No.') ?? Promise.resolve()),
  cancel: (app: FollowedApp, { session }: Device) => app.watch(session.cancel()),
  cancelChild: (app: FollowedApp, { session }: Device) => {
    const live = session.liveTurn.value;
    const child = live && childrenOf(live).find(({ status }) => status === 'running');
    if (child) app.watch(session.cancel({ child: child.id }));
  },
  undo: (app: FollowedApp, { session }: Device) => app.watch(session.undo()),
  undoChild: (app: FollowedApp, { session }: Device) => {
    const { turnId = '', groups = [] } = session.undoEntries.value.at(-1) ?? {};
    const group = groups.find(({ undoable }) => undoable);
    if (group) app.watch(session.undo({ turnId, child: group.child }));
  },
  redo: (app: FollowedApp, { session }: Device) => app.watch(session.redo()),
  retry: (app: FollowedApp, { session }: Device) => app.watch(session.retry()),
  regenerate: (app: FollowedApp, { session }: Device) => app.watch(session.regenerate()),
  resumeQueue: (app: FollowedApp, { session }: Device) => app.watch(session.resumeQueue()),
  switchTo: (app: FollowedApp, { session }: Device) => {
    const other = Object.values(session.branches.value).flatMap(({ ids }) => ids)[0];
    if (other !== undefined) app.watch(session.switchTo(other));
  },
  join: (app: FollowedApp) => app.join(),
} as const;
type Name = keyof typeof actions;

const names: readonly Name[] = [
  ...Array<Name>(4).fill('send'),
  ...Array<Name>(4).fill('approve'),
  ...(Object.keys(actions) as Name[]),
];

const step = fc.record({
  name: fc.constantFrom(...names),
  device: fc.nat(3),
  /** The time until the next step. With 0 both happen in the same task. */
  ms: fc.constantFrom(0, 0, 1, 20, 20, 100, 400, 3_000),
});

test("F7 commands settle once and act once, in call order; the state equals the host's state at every operation", async () => {
  const schedules = fc.record({
    seed: fc.nat(),
    steps: fc.array(step, { minLength: 3, maxLength: 30, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(schedules, async ({ seed, steps }) => {
      const app = new FollowedApp(seed);
      app.join();
      for (const { name, device, ms } of steps) {
        actions[name](app, app.devices[device % app.devices.length]!);
        if (ms > 0) await app.clock.advance(ms);
      }
      await settle();
      await app.rest();
      await app.dispose();
      expect(app.problems).toEqual([]);
      for (const { sent } of app.devices)
        expect(app.arrived.filter((text) => sent.includes(text))).toEqual(sent);
    }),
    propertyRun('faulty lines', 300),
  );
});

test('agents C3: devices over lines that fail have the state of the host at every operation of child turns', async () => {
  const ends = new Set<string>();
  for (let seed = 1; seed <= 12; seed++) {
    const app = new FollowedApp(seed);
    app.join();
    app.join();
    const [one, two] = app.devices as [Device, Device];
    for (let times = 0; times < 3; times++) app.give(one, 'enqueue');
    for (let step = 0; step < 80; step++) {
      await app.clock.advance(50);
      actions.approve(app, two);
      if (step % 20 > 15) actions.cancelChild(app, one);
    }
    await app.rest();
    for (const { status } of app.host.state.turns.flatMap(childrenOf)) ends.add(status);
    await app.dispose();
    expect(app.problems).toEqual([]);
  }
  expect([...ends]).toEqual(expect.arrayContaining(['cancelled', 'completed']));
});
