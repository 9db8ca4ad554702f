// Commands of other sessions: orders of events in which a command could act twice, be lost, or get the end of another command.
import { describe, expect, it } from 'vitest';
import { fold, initialState } from '@banister/session/operations';
import { checkOrder, say, settle, stall } from '@banister/testing';
import { answerFetch, filesLoaded } from './files.js';
import { lossyWorld, type LossyNode } from './lossy-world.js';
import { codeOf } from './opened.js';

type World = ReturnType<typeof lossyWorld>;

/** Keeps the log at an idle session: a message in its paused queue has a promise that waits. */
async function keepLog({ clock }: World, { session }: LossyNode): Promise<void> {
  session.send('first').catch(() => {});
  await settle();
  session.enqueue('later').catch(() => {});
  await session.cancel();
  await clock.advance(100);
  expect(session.queuePaused.value).toBe(true);
}

async function close(world: World, ...all: readonly LossyNode[]): Promise<void> {
  await world.clock.advance(10_000);
  const operations = await world.stored();
  expect(checkOrder(operations)).toEqual([]);
  for (const { session } of all) expect(session.state).toEqual(fold(initialState(), operations));
  for (const { session } of all) await session.dispose();
}

describe('the signal of a command whose writer dies', () => {
  it.each(['the sender', 'a third session'])(
    'served H2 ends its turn, which the next writer continues: %s',
    async (kind) => {
      const world = lossyWorld();
      const one = await world.open([stall('…'), stall('Hel')]);
      await keepLog(world, one);
      const resumes = { onInterrupted: 'resume' } as const;
      const three = kind === 'a third session' ? await world.open([stall('Hello')], resumes) : null;
      await world.clock.advance(1_000);
      const two = await world.open([stall('Hello')], resumes);
      const aborter = new AbortController();
      const sent = codeOf(two.session.send('Hi', { signal: aborter.signal }));
      await world.clock.advance(100);
      one.kill();
      await world.clock.advance(10_000);
      expect(two.session.isRunning.value).toBe(true);
      aborter.abort();
      await world.clock.advance(6_000);
      expect(two.session.isRunning.value).toBe(false);
      expect(await sent).toBe('cancelled');
      await close(world, two, ...(three ? [three] : []));
    },
  );

  it('served H2 that fires before the next writer has the log ends the turn too', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Hel')]);
    await keepLog(world, one);
    const two = await world.open([stall('Hello')], { onInterrupted: 'resume' });
    const aborter = new AbortController();
    const sent = codeOf(two.session.send('Hi', { signal: aborter.signal }));
    await world.clock.advance(100);
    one.kill();
    aborter.abort();
    await world.clock.advance(20_000);
    expect(two.session.link.value.role).toBe('writer');
    expect([two.session.isRunning.value, two.session.interrupted.value]).toEqual([false, null]);
    expect(await sent).toBe('interrupted');
    await close(world, two);
  });
});

it('served H2 a turn that a subscriber starts before a waiting command is not the turn of that command', async () => {
  const world = lossyWorld();
  const dead = await world.open([stall('…')]);
  dead.session.send('first').catch(() => {});
  await world.clock.advance(100);
  dead.kill();
  const one = await world.open([say('Own.')]);
  await world.clock.advance(8_000);
  expect(one.session.interrupted.value).not.toBe(null);
  one.session.enqueue('later').catch(() => {});
  const two = await world.open();
  let own: Promise<string | undefined> | null = null;
  one.session.operations$.subscribe(({ type }) => {
    if (type === 'failed' || type === 'cancelled') own ??= codeOf(one.session.send('own'));
  });
  const sent = await codeOf(two.session.send('Pay'));
  expect([sent, await own]).toEqual(['already-running', 'resolved']);
  const operations = await world.stored();
  const starts = operations.filter((o) => o.type === 'turnStarted');
  expect(starts.map((o) => 'command' in o)).toEqual([false, false]);
  await close(world, one, two);
});

it('served H4 between two commands that start turns, the session is shown as running until the second begins', async () => {
  const world = lossyWorld();
  const one = await world.open([stall('…'), say('Done.')]);
  await keepLog(world, one);
  const two = await world.open(
    [],
    {},
    { fate: (message) => (JSON.stringify(message).includes('"Hi"') ? [500] : [0]) },
  );
  const shown: boolean[] = [];
  two.session.isRunning.subscribe((value) => shown.push(value));
  const refused = codeOf(two.session.send(''));
  const sent = codeOf(two.session.send('Hi'));
  await world.clock.advance(5_000);
  expect([await refused, await sent]).toEqual(['invalid-input', 'resolved']);
  expect(shown).toEqual([false, true, false]);
  await close(world, one, two);
});

describe('a message whose files are read while another session runs a turn', () => {
  answerFetch(
    (_url, { signal }) =>
      new Promise((_done, reject) => signal!.addEventListener('abort', () => reject(new Error('aborted')))),
  );

  it('served H4 while a follower reads files, the turn of another session is shown correctly', async () => {
    await filesLoaded();
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Text')]);
    await keepLog(world, one);
    const two = await world.open();
    const aborter = new AbortController();
    const sent = codeOf(
      two.session.send(
        { text: 'Look', files: [new URL('https://files.test/slow')] },
        { signal: aborter.signal },
      ),
    );
    await world.clock.advance(100);
    expect([two.session.isRunning.value, two.session.phase.value]).toEqual([true, 'preparing']);
    const other = codeOf(one.session.send('Other'));
    await world.clock.advance(200);
    expect(two.session.currentText.value).toBe('Text');
    expect(two.session.phase.value).toBe(one.session.phase.value);
    await one.session.cancel();
    await other;
    aborter.abort();
    expect(await sent).toBe('cancelled');
    await world.clock.advance(100);
    expect(two.session.isRunning.value).toBe(false);
    await close(world, one, two);
  });
});
