import { createAgentSession, signal } from '@handrail/session';
import { say, scriptedProvider, stall } from '@handrail/testing';
import { expect, test } from 'vitest';
import { createComposer } from './composer.js';

test('what is written is sent once, without the space around it, and is gone then', async () => {
  const session = createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  const composer = createComposer(signal(session));
  composer.write('  Hi\n');
  composer.send();
  expect(composer.text.peek()).toBe('');
  composer.send();
  await session.dispose();
  expect(session.turns.peek().map(({ input }) => input)).toHaveLength(1);
  expect(JSON.stringify(session.turns.peek()[0]!.input)).toContain('"Hi"');
});

test('while a turn runs, and where there is nothing but space, nothing is sent and nothing is lost', async () => {
  const session = createAgentSession({ provider: scriptedProvider([stall()]) });
  const composer = createComposer(signal(session));
  composer.write('   ');
  composer.send();
  expect(session.isRunning.peek()).toBe(false);
  expect(composer.text.peek()).toBe('   ');
  const turn = session.send('First');
  composer.write('Second');
  composer.send();
  expect(composer.text.peek()).toBe('Second');
  await session.cancel();
  await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
  expect(session.turns.peek()).toHaveLength(1);
  await session.dispose();
});
