// A command of another session begins once, whatever is lost, repeated or killed, and its promise settles once, from the log.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineDomain, defineTool, type JsonObject, type Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { callTools, checkOrder, fail, gate, say, scriptedProvider, settle, stall } from '@banister/testing';
import { propertyRun } from '../../../test/kit/property-run.js';
import { lossyWorld, type Fate, type LossyNode } from './lossy-world.js';
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

/** Resolves with the end of a promise, as text. */
function endOf(promise: Promise<unknown>): { text: string | null; count: number } {
  const end = { text: null as string | null, count: 0 };
  const settled = (text: string) => Object.assign(end, { text, count: end.count + 1 });
  promise.then(
    (result) => settled(typeof result === 'string' ? result : (result as { text: string }).text),
    (error: { readonly code: string }) => settled(error.code),
  );
  return end;
}

/** The turns with this text that the log has. */
const turnsOf = (operations: readonly Operation[], text: string) =>
  operations.filter((one) => one.type === 'turnStarted' && JSON.stringify(one.input).includes(`"${text}"`));

const began = (operations: readonly Operation[]) => operations.filter(({ type }) => type === 'commandBegan');

async function close(world: World, ...all: readonly LossyNode[]): Promise<void> {
  await world.clock.advance(10_000);
  const operations = await world.stored();
  expect(checkOrder(operations)).toEqual([]);
  for (const { session } of all) expect(session.state).toEqual(fold(initialState(), operations));
  for (const { session } of all) await session.dispose();
}

describe('commandBegan', () => {
  it("is in the log before the command's turn, which names the command", async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), say('Done.')]);
    await keepLog(world, one);
    const two = await world.open();
    expect((await two.session.send('Pay')).text).toBe('Done.');
    const operations = await world.stored();
    const [command] = began(operations);
    expect(began(operations)).toHaveLength(1);
    expect(command).toMatchObject({ name: 'send', client: expect.any(String) as string });
    const next = operations.find(({ sequence }) => sequence === command!.sequence + 1);
    expect(next).toMatchObject({ type: 'turnStarted', command: (command as { command: string }).command });
    await close(world, one, two);
  });

  it('is not written for calls of the own page, or for commands that are refused or change nothing', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), say('Done.')]);
    await keepLog(world, one);
    const two = await world.open();
    const before = (await world.stored()).length;
    expect(await codeOf(two.session.redo())).toBe('nothing-to-undo');
    expect(await two.session.dequeue('none')).toBe(false);
    expect(await codeOf(two.session.send(''))).toBe('invalid-input');
    await world.clock.advance(100);
    expect((await world.stored()).length).toBe(before);
    expect(began(await world.stored())).toEqual([]);
    await close(world, one, two);
  });

  it('is not written for a message that waits for interrupted work, until the work has ended', async () => {
    const world = lossyWorld();
    const dead = await world.open([stall('…')]);
    dead.session.send('first').catch(() => {});
    await world.clock.advance(100);
    dead.kill();
    const one = await world.open([say('Done.')]);
    await world.clock.advance(8_000);
    expect(one.session.interrupted.value).not.toBe(null);
    one.session.enqueue('later').catch(() => {});
    const two = await world.open();
    expect((await two.session.send('Pay')).text).toBe('Done.');
    const types = (await world.stored()).map(({ type }) => type);
    expect(types.indexOf('commandBegan')).toBeGreaterThan(types.indexOf('failed'));
    expect(types[types.indexOf('commandBegan') + 1]).toBe('turnStarted');
    await close(world, one, two);
  });
});

describe('a command whose writer dies', () => {
  it('served H2 the promise of a turn waits for its turn across writers, and has its result', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Hel')]);
    await keepLog(world, one);
    const two = await world.open([say('Hello.')]);
    const sent = endOf(two.session.send('Hi'));
    await world.clock.advance(100);
    expect(two.session.currentText.value).toBe('Hel');
    one.kill();
    await world.clock.advance(8_000);
    expect([two.session.link.value.role, sent.text]).toEqual(['writer', null]);
    expect((await two.session.resume()) as unknown).toMatchObject({ text: 'Hello.' });
    await settle();
    expect(sent).toEqual({ text: 'Hello.', count: 1 });
    await close(world, two);
  });

  it('served H2 rejects with the error of its turn if the next writer abandons the turn', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Hel')]);
    await keepLog(world, one);
    const two = await world.open();
    const sent = endOf(two.session.send('Hi'));
    await world.clock.advance(100);
    one.kill();
    await world.clock.advance(8_000);
    await two.session.abandon();
    await settle();
    expect(sent).toEqual({ text: two.session.lastError.value!.code, count: 1 });
    await close(world, two);
  });

  it('agents D1 rejects with the error of its model if its turn waits, when the writer before has died', async () => {
    const world = lossyWorld();
    const waits = { onModelFailure: 'wait', limits: { maxRetries: 0 } } as const;
    const one = await world.open([stall('…'), stall('Hel')], waits);
    await keepLog(world, one);
    const two = await world.open([fail('overloaded')], waits);
    const sent = endOf(two.session.send('Hi'));
    await world.clock.advance(100);
    one.kill();
    await world.clock.advance(8_000);
    expect(await codeOf(two.session.resume())).toBe('overloaded');
    await settle();
    expect(sent).toEqual({ text: 'overloaded', count: 1 });
    expect(two.session.interrupted.value?.error?.code).toBe('overloaded');
    await two.session.abandon();
    await close(world, two);
  });

  it('agents D1 a session that follows sees the turn wait, and can go on with it', async () => {
    const world = lossyWorld();
    const waits = { onModelFailure: 'wait', limits: { maxRetries: 0 } } as const;
    const one = await world.open([stall('…'), fail('overloaded'), say('Hello.')], waits);
    await keepLog(world, one);
    const two = await world.open();
    const sent = endOf(two.session.send('Hi'));
    await world.clock.advance(100);
    expect(sent).toEqual({ text: 'overloaded', count: 1 });
    expect(two.session.interrupted.value?.error?.code).toBe('overloaded');
    expect(await codeOf(two.session.send('More'))).toBe('interrupted');
    expect((await two.session.resume()) as unknown).toMatchObject({ text: 'Hello.' });
    await close(world, one, two);
  });

  it('served H2 the promise waits even if a third session continues the turn', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Hel')]);
    await keepLog(world, one);
    const three = await world.open([say('Hello.')], { onInterrupted: 'resume' });
    await world.clock.advance(1_000);
    const two = await world.open();
    const sent = endOf(two.session.send('Hi'));
    await world.clock.advance(100);
    one.kill();
    await world.clock.advance(10_000);
    const roles = [two, three].map(({ session }) => session.link.value.role);
    expect([...roles].sort()).toEqual(['follower', 'writer']);
    if (roles[0] === 'writer') await two.session.abandon();
    await world.clock.advance(1_000);
    expect([sent.count, turnsOf(await world.stored(), 'Hi').length]).toEqual([1, 1]);
    if (roles[1] === 'writer') expect(sent.text).toBe('Hello.');
    await close(world, two, three);
  });

  it('served H2 the promise of a message in the queue waits for the turn of the message, which the next writer starts', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…')]);
    await keepLog(world, one);
    const two = await world.open([say('One.'), say('Two.')]);
    const queued = endOf(two.session.enqueue('Hi'));
    await world.clock.advance(100);
    one.kill();
    await world.clock.advance(8_000);
    expect([two.session.queue.value.length, queued.text]).toEqual([2, null]);
    await two.session.resumeQueue();
    await world.clock.advance(1_000);
    expect(queued).toEqual({ text: 'completed', count: 1 });
    await close(world, two);
  });

  it('served H2 rejects `interrupted` if the command had begun and left no turn', async () => {
    const world = lossyWorld();
    let isKilled = false;
    const one = await world.open(
      [stall('…'), stall('Two')],
      {},
      {
        appended: ({ kill }) => isKilled && kill(),
      },
    );
    await keepLog(world, one);
    const two = await world.open();
    isKilled = true;
    const resumed = endOf(two.session.resumeQueue());
    await world.clock.advance(100);
    expect(began(await world.stored())).toMatchObject([{ name: 'resumeQueue' }]);
    expect(resumed.count).toBe(0);
    await world.clock.advance(8_000);
    expect(resumed).toEqual({ text: 'interrupted', count: 1 });
    await close(world, two);
  });

  it('served H2 a steering message resolves with its outcome in the log', async () => {
    const world = lossyWorld();
    const one = await world.open([stall('…'), stall('Two')]);
    await keepLog(world, one);
    const two = await world.open();
    one.session.send('running').catch(() => {});
    await world.clock.advance(100);
    const steered = endOf(two.session.steer('More'));
    await world.clock.advance(100);
    expect(two.session.queue.value.some(({ steering }) => steering)).toBe(true);
    one.kill();
    await world.clock.advance(8_000);
    await two.session.abandon();
    await settle();
    expect(steered).toEqual({ text: 'queued', count: 1 });
    await close(world, two);
  });
});

/** The tool of an app that pays, which must not act twice, and a model that calls it once. */
function payer(acts: string[], isDead: () => boolean) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: {} },
    execute(_args, context) {
      if (isDead()) return new Promise<never>(() => {});
      acts.push(context.callId);
      return 'Paid.';
    },
  });
  const provider = scriptedProvider([], {
    otherwise: ({ messages }) =>
      messages.at(-1)!.parts.every(({ type }) => type === 'text')
        ? callTools('', { tool: 'bank.pay', args: {} })
        : say('Thanks.'),
  });
  return { provider, domains: [defineDomain({ id: 'bank', tools: [pay] })] };
}

/** Plays a command whose owner is killed: behind the record with this number after the command was given; -1: before it arrives. */
async function playKilled(kill: number) {
  const world = lossyWorld();
  const acts: string[] = [];
  let left = Infinity;
  let isKilled = false;
  const appended = (node: { kill(): void }) => {
    if (left-- > 0) return;
    isKilled = true;
    node.kill();
  };
  const first = payer(acts, () => isKilled);
  const one = await world.open([], first, { appended });
  // The log stays at an idle session: a message in its paused queue has a promise that waits.
  const aborter = new AbortController();
  one.session.send('first', { signal: aborter.signal }).catch(() => {});
  one.session.enqueue('later').catch(() => {});
  aborter.abort();
  await world.clock.advance(1_000);
  expect(one.session.queuePaused.value).toBe(true);
  acts.length = 0;
  const two = await world.open([], { ...payer(acts, () => false), onInterrupted: 'resume' });
  if (kill >= 0) left = kill;
  const sent = endOf(two.session.send('PAY'));
  if (kill < 0) one.kill();
  await world.clock.advance(30_000);
  const operations = await world.stored();
  expect(sent, `killed at ${kill}`).toEqual({ text: 'Thanks.', count: 1 });
  expect(turnsOf(operations, 'PAY'), `killed at ${kill}`).toHaveLength(1);
  expect(began(operations), `killed at ${kill}`).toHaveLength(1);
  expect(acts.length, `killed at ${kill}`).toBeLessThanOrEqual(1);
  const { role } = two.session.link.value;
  await close(world, two);
  return { isKilled, role, acts: acts.length };
}

it('served F21 a command whose writer is killed at any record begins once, acts once, and settles with its turn', async () => {
  expect(await playKilled(-1)).toMatchObject({ role: 'writer', acts: 1 });
  let kill = 0;
  for (let isKilled = true; isKilled; kill++) {
    const end = await playKilled(kill);
    expect(end.role).toBe(end.isKilled ? 'writer' : 'follower');
    ({ isKilled } = end);
  }
  // The command, its rounds, its call and its end are in records of their own.
  expect(kill).toBeGreaterThan(4);
});

/** Messages that are lost, doubled or late, each as the next of the given numbers says. */
function drawnFate(numbers: readonly number[]): { fate: Fate; heal(): void } {
  let next = 0;
  let isHealed = false;
  const kinds: readonly (readonly number[])[] = [[], [], [0], [0], [0, 0], [0, 900], [50], [400], [2_500]];
  return {
    fate: () => (isHealed ? [0] : kinds[numbers[next++ % numbers.length]! % kinds.length]!),
    heal: () => void (isHealed = true),
  };
}

describe('served F20', () => {
  it.each<[string, (message: JsonObject) => boolean]>([
    ['nothing', () => false],
    ['each first command', first((message) => 'command' in message)],
    ['what a command is answered first', (message) => 'began' in message],
    ['the first receipt', first((message) => 'receipt' in message)],
    ['all but pings and their answers', first((message) => !('ping' in message || 'pong' in message), 3)],
  ])(
    'served F20 the connection loses %s: the command begins once, and settles once',
    async (_name, isLost) => {
      const world = lossyWorld();
      const fate: Fate = (message) => (isLost(message) ? [] : [0]);
      const one = await world.open([stall('…'), say('Done.')], {}, { fate });
      await keepLog(world, one);
      const two = await world.open([], {}, { fate });
      const sent = endOf(two.session.send('PAY ONCE'));
      await world.clock.advance(20_000);
      expect(sent).toEqual({ text: 'Done.', count: 1 });
      expect(two.session.link.value.role).toBe('follower');
      expect(turnsOf(await world.stored(), 'PAY ONCE')).toHaveLength(1);
      await close(world, one, two);
    },
  );

  it('served H2 a command begins once even if the connection loses every message about it and its writer dies', async () => {
    const world = lossyWorld();
    const fate: Fate = (message) =>
      'began' in message || 'receipt' in message || 'pong' in message ? [] : [0];
    const one = await world.open([stall('…')], {}, { fate });
    await keepLog(world, one);
    const two = await world.open([say('One.'), say('Two.')], {}, { fate });
    const queued = endOf(two.session.enqueue('PAY ONCE'));
    await world.clock.advance(1_000);
    await one.session.resumeQueue();
    await world.clock.advance(1_000);
    one.kill();
    await world.clock.advance(8_000);
    if (two.session.interrupted.value !== null) await two.session.abandon();
    await two.session.resumeQueue();
    await world.clock.advance(10_000);
    expect(queued.count).toBe(1);
    expect(turnsOf(await world.stored(), 'PAY ONCE')).toHaveLength(1);
    await close(world, two);
  });

  it('served F20 a command that arrives late, after its refusal and at the next owner, does not begin', async () => {
    const world = lossyWorld();
    const wait = gate();
    let isDoubled = true;
    const fate: Fate = (message) => {
      if (!isDoubled || message['command'] !== 'send') return [0];
      isDoubled = false;
      return [0, 20_000];
    };
    const one = await world.open([say(['Hel', wait, 'lo.'])]);
    one.session.send('1').catch(() => {});
    await settle();
    const two = await world.open([], {}, { fate });
    const three = await world.open([say('3')]);
    expect(await codeOf(two.session.send('PAY'))).toBe('already-running');
    wait.open();
    await world.clock.advance(1_000);
    expect((await three.session.send('2')).text).toBe('3');
    await world.clock.advance(30_000);
    expect(turnsOf(await world.stored(), 'PAY')).toEqual([]);
    await close(world, one, two, three);
  });

  const step = fc.record({
    act: fc.constantFrom('send', 'send', 'enqueue', 'enqueue', 'enqueue', 'steer', 'cancel', 'kill', 'wait'),
    tab: fc.nat(2),
    ms: fc.constantFrom(0, 1, 50, 400, 3_000, 6_000),
  });

  it('served F20 over a connection that loses, repeats and delays messages, each command begins once and settles once', async () => {
    const schedules = fc.record({
      numbers: fc.array(fc.nat(100), { minLength: 5, maxLength: 60, size: 'max' }),
      steps: fc.array(step, { minLength: 2, maxLength: 14, size: 'max' }),
    });
    await fc.assert(
      fc.asyncProperty(schedules, async ({ numbers, steps }) => {
        const world = lossyWorld();
        const line = drawnFate(numbers);
        const open = async (number: number) => {
          const provider = scriptedProvider([], {
            otherwise: (_request, index) =>
              (index + number) % 3 === 0 ? stall('Wait') : say(['An ', 'answer.']),
          });
          return world.open([], { provider }, { fate: line.fate });
        };
        const nodes: LossyNode[] = [];
        for (let number = 0; number < 3; number++) nodes.push(await open(number));
        const given: {
          name: string;
          text: string;
          node: LossyNode;
          end: { text: string | null; count: number };
        }[] = [];
        for (const [index, { act, tab, ms }] of steps.entries()) {
          const node = nodes[tab % nodes.length]!;
          const { session } = node;
          const text = `message ${index}`;
          const note = (promise: Promise<unknown>) =>
            given.push({ name: act, text, node, end: endOf(promise) });
          if (act === 'send') note(session.send(text));
          else if (act === 'enqueue') note(session.enqueue(text));
          else if (act === 'steer') note(session.steer(text));
          else if (act === 'cancel') session.cancel({ immediate: true }).catch(() => {});
          else if (act === 'kill' && nodes.length > 1) {
            node.kill();
            nodes.splice(nodes.indexOf(node), 1);
          }
          await world.clock.advance(ms);
        }
        line.heal();
        await world.clock.advance(30_000);
        const { session } = nodes[0]!;
        for (let round = 0; round < 60; round++) {
          const { isRunning, queue, interrupted } = session.state;
          if (!isRunning && queue.length === 0 && interrupted === null) break;
          if (interrupted !== null) session.abandon().catch(() => {});
          session.cancel({ immediate: true }).catch(() => {});
          session.resumeQueue().catch(() => {});
          await world.clock.advance(7_000);
        }
        await world.clock.advance(10_000);
        const operations = await world.stored();
        for (const { name, text, node, end } of given) {
          const turns = turnsOf(operations, text);
          expect(turns.length, `turns of ${name} ${text}`).toBeLessThanOrEqual(1);
          if (!nodes.includes(node)) continue;
          expect(end.count, `${name} ${text}`).toBe(1);
          if (end.text === 'An answer.' || end.text === 'completed') expect(turns).toHaveLength(1);
          if (end.text === 'already-running') expect(turns).toHaveLength(0);
        }
        await close(world, ...nodes);
      }),
      propertyRun('lossy channel', 200),
    );
  });
});

/** Accepts the first messages that `isIt` accepts. */
function first(isIt: (message: JsonObject) => boolean, count = 1): (message: JsonObject) => boolean {
  let left = count;
  return (message) => isIt(message) && left-- > 0;
}
