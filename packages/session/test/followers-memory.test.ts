// The memory that many followers of one log take.
import { createCompiledValidator } from '@banister/schema/compiled';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createAgentSession, immediate, type Operation, type SessionLog } from '@banister/session';
import { createVirtualClock, finishWith, gate, memoryLog, scriptedProvider } from '@banister/testing';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { loadMatcher } from '../src/tools/pattern-matcher.js';
import { opened } from './opened.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The objects of a list that are still alive. */
async function alive(objects: readonly WeakRef<object>[]): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve));
  collect();
  return objects.filter((object) => object.deref() !== undefined).length;
}

it('F14 fifty followers of a log keep fewer than ten of its operations each, also while one of them stands still', async () => {
  const count = sampleSize(5_000);
  const clock = createVirtualClock(1_000);
  const log = memoryLog({ clock });
  const stuck = gate();
  const slow: SessionLog = {
    ...log,
    async *tail(...args) {
      for await (const record of log.tail(...args)) {
        await stuck.pass();
        yield record;
      }
    },
  };
  const ports = {
    clock,
    scheduler: immediate(),
    validator: createCompiledValidator(loadMatcher),
  };
  const open = async (of: SessionLog, provider = scriptedProvider([])) => {
    const session = createAgentSession({ provider, id: 'chat-1', log: of, ports });
    await opened(session);
    return session;
  };
  // Reports of usage keep the pieces of text apart: each is an operation of the log.
  const answer = Array.from({ length: count }, (_, index) => [
    `${index} `,
    { type: 'usage', usage: { inputTokens: 9, outputTokens: index } } as const,
  ]).flat();
  const writer = await open(log, scriptedProvider([finishWith('stop', ...answer)]));
  const late = await open(slow);
  const others = await Promise.all(Array.from({ length: 49 }, () => open(log)));
  const received: WeakRef<Operation>[] = [];
  for (const session of [late, ...others])
    session.operations$.subscribe((operation) => received.push(new WeakRef(operation)));
  await writer.send('Count');
  await clock.advance(100);
  expect(received.length).toBeGreaterThan(49 * 2 * count);
  for (const { state } of others) expect(state).toEqual(writer.state);
  expect(await alive(received)).toBeLessThan(500);

  stuck.open();
  await clock.advance(100);
  expect(late.state).toEqual(writer.state);
  expect(await alive(received)).toBeLessThan(500);
  for (const session of [late, ...others, writer]) await session.dispose();
  expect(clock.pending).toBe(0);
});
