// Several sessions on one log, whose users do anything at any time.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { checkOrder } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { commandCode } from '../../src/session/command-code.js';
import { linked } from '../opened.js';
import { TabsWorld, type Tab } from './tabs-world.js';

type Act = (world: TabsWorld, tab: Tab, detail: number) => unknown;

/** The acts of a user in a tab, by name. */
const acts: Readonly<Record<string, Act>> = {
  send: (world, tab) => world.give(tab, 'send', (session, text) => session.send(text)),
  'send in two tabs': (world, tab) => {
    for (const one of [tab, world.open.at(-1)!])
      world.give(one, 'send', (session, text) => session.send(text));
  },
  enqueue: (world, tab) => world.give(tab, 'enqueue', (session, text) => session.enqueue(text)),
  steer: (world, tab) => world.give(tab, 'steer', (session, text) => session.steer(text)),
  cancel: (world, tab, detail) =>
    world.give(tab, 'cancel', (session) => session.cancel({ immediate: detail % 2 === 0 })),
  undo: (world, tab) => world.give(tab, 'undo', (session) => session.undo({ force: true })),
  redo: (world, tab) => world.give(tab, 'redo', (session) => session.redo({ force: true })),
  retry: (world, tab) => world.give(tab, 'retry', (session) => session.retry()),
  regenerate: (world, tab) => world.give(tab, 'regenerate', (session) => session.regenerate({ force: true })),
  resume: (world, tab) => world.give(tab, 'resume', (session) => session.resume()),
  resumeQueue: (world, tab) => world.give(tab, 'resumeQueue', (session) => session.resumeQueue()),
  dequeue: (world, tab) =>
    world.give(tab, 'dequeue', (session) => session.dequeue(session.queue.value[0]?.id ?? 'none')),
  open: (world) => {
    if (world.open.length < 4) world.add();
  },
  dispose: (world, tab, detail) => {
    if (world.open.length > 1) void world.dispose(tab, detail % 2 === 0 ? 'leave' : undefined);
  },
  wait: (world, _tab, detail) => world.clock.advance(detail * 20),
  'wait for long': (world, _tab, detail) => world.clock.advance(detail * 400),
  ticks: async (_world, _tab, detail) => {
    for (let tick = 0; tick < detail * 3; tick++) await undefined;
  },
};

const steps = fc.array(
  fc.record({
    act: fc.constantFrom(...Object.keys(acts), 'send', 'send', 'wait', 'ticks', 'ticks'),
    tab: fc.nat({ max: 3 }),
    detail: fc.nat({ max: 30 }),
  }),
  { minLength: 1, maxLength: 25 },
);
const kinds = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 });

// A virtual clock does not wait for a dynamic import.
await commandCode.get({ now: () => 0, schedule: () => () => {} });

/** Ends everything that runs or waits. */
async function end(world: TabsWorld): Promise<void> {
  const { clock } = world;
  const [tab] = world.open;
  await clock.advance(10_000);
  for (let round = 0; round < 100; round++) {
    const { isRunning, queue, interrupted } = tab!.session.state;
    if (!isRunning && queue.length === 0 && interrupted === null) break;
    if (interrupted !== null) tab!.session.abandon().catch(() => {});
    tab!.session.cancel({ immediate: true }).catch(() => {});
    tab!.session.resumeQueue().catch(() => {});
    await clock.advance(2_000);
  }
  await clock.advance(10_000);
}

function check(world: TabsWorld): void {
  const { stored: operations } = world;
  expect(checkOrder(operations)).toEqual([]);
  const epochs = operations.flatMap((one) => (one.type === 'ownerChanged' ? [one.epoch] : []));
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
  const state = fold(initialState(), operations);
  for (const { session } of world.open) expect(session.state).toEqual(state);
  const writers = world.open.filter(({ session }) => session.link.value.role === 'writer');
  expect(writers).toHaveLength(1);
  expectOnce(world, operations);
  expect(world.reported).toEqual([]);
}

/** Checks that each command was carried out once or not at all, and each call once. */
function expectOnce({ commands, executed }: TabsWorld, operations: readonly Operation[]): void {
  expect(new Set(executed).size).toBe(executed.length);
  const started = operations.filter((one) => one.type === 'turnStarted');
  for (const { name, text, tab, settled, result } of commands) {
    expect(settled, `${name} ${text}`).toBe(1);
    const turns = started.filter(
      ({ input, retryOf }) => retryOf === undefined && JSON.stringify(input).includes(`"${text}"`),
    );
    expect(turns.length, `turns of ${name} ${text}`).toBeLessThanOrEqual(1);
    if (name === 'send' && result === 'completed') expect(turns).toHaveLength(1);
    if (name === 'send' && result === 'already-running') expect(turns).toHaveLength(0);
    // Only the end of a session leaves its user without an answer.
    if (result === 'disposed') expect(tab.isDisposed).toBe(true);
  }
}

it('settles every promise, carries each command out once, and gives all sessions the state of a valid log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 4 }), kinds, steps, async (count, kinds, steps) => {
      const world = new TabsWorld(kinds);
      for (let tab = 0; tab < count; tab++) await linked(world.add().session, { open: true });
      for (const { act, tab, detail } of steps)
        await acts[act]!(world, world.open[tab % world.open.length]!, detail);
      await end(world);
      check(world);
      for (const tab of world.open) await world.dispose(tab);
      await world.clock.advance(10_000);
      expect(world.clock.pending).toBe(0);
    }),
    propertyRun('tabs', 1_000),
  );
});
