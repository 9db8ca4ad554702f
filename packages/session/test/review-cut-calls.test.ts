// Effects of calls that were cut, in a turn that its user reviews.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, checkOrder, type GatedRun, gatedTool, say, settle } from '@banister/testing';
import { defineTool } from '@banister/session';
import { names } from './fixture.js';
import { logWorld, type LogWorld } from './log-world.js';
import { createSession, opened, recordsOf } from './opened.js';
import { idsOf, openEffects } from './reviewed.js';

beforeAll(() => import('../src/session/log-chunk.js'));

const answers = [callTools({ tool: 'd.fine' }, { tool: 'd.slow' }), say('Done.')];

/** Two tools that add a name to the world: `fine` returns a result, and `slow` runs until its timeout. */
function createWorld() {
  const world = new Set<string>();
  const undo = {
    revert: ({ name }: { name: string }) => void world.delete(name),
    reapply: ({ name }: { name: string }) => void world.add(name),
  };
  const fine = defineTool({
    name: 'fine',
    description: 'Acts.',
    parameters: { type: 'object' },
    undo,
    async execute(_args, context) {
      await context.undo({ description: 'fine', data: { name: 'fine' }, paths: ['fine'] });
      world.add('fine');
    },
  });
  const slow = gatedTool('slow', { timeoutMs: 1_000, undo });
  const act = async (run: GatedRun) => {
    await run.context.undo({ description: 'slow', data: { name: 'slow' }, paths: ['slow'] }).catch(() => {});
    world.add('slow');
  };
  return { world, slow, act, domains: [{ id: 'd', tools: [fine, slow] }] };
}

/** Runs a turn to its review: `slow` has acted before its time was up, unless `actsLate`. */
async function reviewed({ actsLate = false } = {}) {
  const { world, slow, act, domains } = createWorld();
  const log = logWorld();
  const { session, operations } = await log.open(answers, { domains });
  const turn = session.send('Go', { commit: 'review' }).catch(() => {});
  const run = await slow.next();
  if (!actsLate) await act(run);
  await log.clock.advance(1_000);
  await settle(20);
  return { world, run, act: () => act(run), domains, log, session, operations, turn };
}

/** Leaves the page, and opens its session in another one. */
async function reloaded({ session, log, domains }: Awaited<ReturnType<typeof reviewed>>) {
  await session.dispose({ turn: 'leave' });
  return log.open([], { domains });
}

async function orderOf(log: LogWorld) {
  return checkOrder([...(await log.stored())]);
}

const item = (name: string) => expect.objectContaining({ description: name });

describe('audit-A3 a reviewed turn with a call that timed out after its effect', () => {
  it.each([false, true])('lists the effect; `reject` undoes and reports it (reload: %s)', async (reload) => {
    const made = await reviewed();
    const { session } = reload ? await reloaded(made) : made;
    expect(openEffects(session)).toEqual(['fine', 'slow']);
    expect(names((await session.reject()).done)).toEqual(['slow', 'fine']);
    expect([...made.world]).toEqual([]);
    expect(session.turns.value[0]).toMatchObject({
      status: 'completed',
      rejected: [item('slow'), item('fine')],
    });
    expect(await orderOf(made.log)).toEqual([]);
    await session.dispose();
  });

  it.each([false, true])('undoes the effect by `cancel`, and reports it (reload: %s)', async (reload) => {
    const made = await reviewed();
    const { session } = reload ? await reloaded(made) : made;
    const { undo } = await session.cancel();
    expect(names(undo.done)).toEqual(['slow', 'fine']);
    expect([...made.world]).toEqual([]);
    expect(await orderOf(made.log)).toEqual([]);
    await session.dispose();
  });

  it('undoes the effect by `abandon`, and reports it', async () => {
    const made = await reviewed();
    const { session } = await reloaded(made);
    expect(names((await session.abandon()).done)).toEqual(['slow', 'fine']);
    expect([...made.world]).toEqual([]);
    await session.dispose();
  });

  it('commits the effect if the user accepts it: its tool may answer later, and undo reverts it', async () => {
    const { session, world, run, turn, log } = await reviewed();
    await session.accept();
    await turn;
    expect(session.turns.value[0]).toMatchObject({ effects: [item('fine'), item('slow')] });
    expect(session.turns.value[0]?.unknown).toBeUndefined();
    run.settle();
    await settle(20);
    expect([...world]).toEqual(['fine', 'slow']);
    const late = session.turns.value[0]!.rounds[0]!.parts.find(
      (part) => part.type === 'tool-call' && part.late,
    );
    expect(late).toMatchObject({ late: { effect: 'kept', description: 'slow' } });
    expect(names((await session.undo()).done)).toEqual(['slow', 'fine']);
    expect([...world]).toEqual([]);
    expect(await orderOf(log)).toEqual([]);
    await session.dispose();
  });

  it('undoes the effect when its tool answers, and leaves the other effects open', async () => {
    const { session, world, run, turn, log } = await reviewed();
    run.settle();
    await settle(20);
    expect([...world]).toEqual(['fine']);
    expect(openEffects(session)).toEqual(['fine']);
    await session.accept();
    await turn;
    expect(session.turns.value[0]).toMatchObject({ effects: [item('fine')] });
    expect(await orderOf(log)).toEqual([]);
    await session.dispose();
  });

  it('ends the review when its tool answers, if it was the last open effect', async () => {
    const { session, run, turn } = await reviewed();
    await session.accept(idsOf(session, 'fine'));
    expect(session.phase.value).toBe('reviewing');
    run.settle();
    await turn;
    expect(session.turns.value[0]).toMatchObject({ status: 'completed', effects: [item('fine')] });
    await session.dispose();
  });

  it('undoes the effect once more if its tool acts after the rejection', async () => {
    const { session, world, run, turn, log } = await reviewed();
    await session.reject(idsOf(session, 'slow'));
    world.add('slow');
    run.settle();
    await settle(20);
    expect([...world]).toEqual(['fine']);
    await session.accept();
    await turn;
    expect(await orderOf(log)).toEqual([]);
    await session.dispose();
  });

  it.each([false, true])(
    'lists an effect that the call records while other effects are decided (reload: %s)',
    async (reload) => {
      const made = await reviewed({ actsLate: true });
      expect(openEffects(made.session)).toEqual(['fine']);
      await made.act();
      expect(openEffects(made.session)).toEqual(['fine', 'slow']);
      await made.session.accept(idsOf(made.session, 'fine'));
      const { session } = reload ? await reloaded(made) : made;
      expect(openEffects(session)).toEqual(['slow']);
      expect(names((await session.reject()).done)).toEqual(['slow']);
      expect([...made.world]).toEqual(['fine']);
      expect(await orderOf(made.log)).toEqual([]);
      await session.dispose();
    },
  );

  it('lists an effect that was recorded before the page was left and is in no review', async () => {
    const { world, domains, log, session, operations, act } = await reviewed({ actsLate: true });
    await act();
    await session.dispose({ turn: 'leave' });
    const recorded = operations.findLastIndex(({ type }) => type === 'effectRecorded');
    const restored = { snapshot: null, records: recordsOf([operations.slice(0, recorded + 1)]) };
    const later = createSession([], { domains, restored }, log.clock);
    await opened(later.session);
    expect(openEffects(later.session)).toEqual(['fine']);
    await later.session.abandon();
    expect([...world]).toEqual([]);
    expect(checkOrder([...operations.slice(0, recorded + 1), ...later.operations])).toEqual([]);
  });
});
