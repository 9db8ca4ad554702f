import { callTools, say, scriptedProvider } from '@banister/testing';
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import { createAgentSession, defineTool, fromSignal } from '../src/index.js';
import { computed } from '@banister/session/signals';
import Chat from './Chat.svelte';
import TypedCalls from './TypedCalls.svelte';

test('a restored conversation renders on a server', async () => {
  const past = createAgentSession({ provider: scriptedProvider(['The first answer.']) });
  await past.send('Hello');
  const session = createAgentSession({ provider: scriptedProvider([]), conversation: past.save() });
  const { body } = render(Chat, { props: { session } });
  expect(body).toContain('1 turns, idle');
  expect(body).toContain('The first answer.');
});

test('on a server no signal is followed', () => {
  let listened = false;
  const signal = computed(() => 'now', { watched: () => (listened = true) });
  expect(fromSignal(signal).current).toBe('now');
  expect(listened).toBe(false);
});

test('readers of typed calls work in a template', async () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object' },
    execute: (_args, context) => {
      void context.undo({ description: 'Added', revert: () => {} });
      return { id: 7 };
    },
  });
  const call = { tool: 'board.add', args: { title: 'Plan', column: 'Todo' } };
  const session = createAgentSession({
    provider: scriptedProvider([callTools(call), say('Done.')]),
    domains: [{ id: 'board', tools: [add] }],
  });
  await session.send('Add it');
  const { body } = render(TypedCalls, { props: { session } });
  expect(body.replace(/\s+/g, ' ')).toContain('PLAN 7 Todo');
  expect(body).toMatch(/<i>PLAN<\/i>/);
});
