import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { fail, gate, say, scriptedProvider, stall } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { createComposer } from './composer.js';

test('a written text is sent once, without surrounding white space, and the field is empty then', async () => {
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

test('white space alone is not sent, and files stay', () => {
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

const table = '{"caption": "Cards", "columns": [], "rows": []}';

test('a message that ends with "as a table" is answered by a table; a queued message is sent unchanged', async () => {
  const rest = gate();
  const provider = scriptedProvider([say([table, rest]), say('Soon.')], { structuredOutput: true });
  const session = createAgentSession({ provider });
  const composer = createComposer(signal(session));
  composer.write('The board as a table');
  composer.send();
  expect(composer.text.peek()).toBe('');
  await rest.reached;
  composer.write('And Done as a table');
  composer.send();
  rest.open();
  await vi.waitUntil(() => session.turns.peek().length === 2, 30_000);
  expect(session.turns.peek().map(({ structured }) => structured !== undefined)).toEqual([true, false]);
  await session.dispose();
});

test('a table that fails puts the message back with the reason, unless another message is being written', async () => {
  const provider = scriptedProvider([fail('overloaded'), fail('overloaded')], { structuredOutput: true });
  const session = createAgentSession({ provider, limits: { maxRetries: 0 } });
  const composer = createComposer(signal(session));
  composer.say('The board as a table');
  await vi.waitUntil(() => composer.files.problem.peek() !== null, 30_000);
  expect(composer.files.problem.peek()).toContain('overloaded');
  expect(composer.text.peek()).toBe('The board as a table');
  composer.send();
  expect(composer.files.problem.peek()).toBe(null);
  composer.write('Something else');
  await vi.waitUntil(() => composer.files.problem.peek() !== null, 30_000);
  expect(composer.text.peek()).toBe('Something else');
  await session.dispose();
});

test('a table that the user stops puts the message back, without a problem', async () => {
  const session = createAgentSession({ provider: scriptedProvider([stall()], { structuredOutput: true }) });
  const composer = createComposer(signal(session));
  composer.say('The board as a table');
  await vi.waitUntil(() => session.isRunning.peek(), 30_000);
  await session.cancel();
  await vi.waitUntil(() => composer.text.peek() !== '', 30_000);
  expect(composer.text.peek()).toBe('The board as a table');
  expect(composer.files.problem.peek()).toBe(null);
  await session.dispose();
});

test('a model without structured output gets the request for a table as an ordinary message', async () => {
  const session = createAgentSession({
    provider: scriptedProvider([say('| A |')], { structuredOutput: false, toolChoices: [] }),
  });
  const composer = createComposer(signal(session));
  composer.say('The board as a table');
  await vi.waitUntil(() => session.turns.peek().length === 1, 30_000);
  expect(session.turns.peek()[0]).toMatchObject({ status: 'completed' });
  expect(session.turns.peek()[0]!.structured).toBe(undefined);
  expect(composer.text.peek()).toBe('');
  await session.dispose();
});
