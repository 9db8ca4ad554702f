import { createAgentSession, signal } from '@handrail/session';
import { say, scriptedProvider, stall } from '@handrail/testing';
import { expect, test, vi } from 'vitest';
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

test('where there is nothing but space, nothing is sent and nothing is lost', () => {
  const session = createAgentSession({ provider: scriptedProvider([]) });
  const composer = createComposer(signal(session));
  composer.write('   ');
  composer.send();
  composer.steer();
  expect(session.isRunning.peek()).toBe(false);
  expect(composer.text.peek()).toBe('   ');
});

test('while a turn runs, a message is queued, or steers it', async () => {
  const session = createAgentSession({ provider: scriptedProvider([stall()]) });
  const composer = createComposer(signal(session));
  const turn = session.send('First');
  composer.write('Second');
  composer.send();
  composer.write('Faster');
  composer.steer();
  expect(composer.text.peek()).toBe('');
  const waiting = () => session.queue.peek().map(({ input, steering }) => [input, steering]);
  await vi.waitUntil(() => waiting().length === 2, 30_000);
  expect(waiting()).toEqual([
    ['Faster', true],
    ['Second', false],
  ]);
  await session.cancel();
  await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
  await session.dispose();
});
