import { scriptedProvider } from '@handrail/testing';
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import { computed, createAgentSession, fromSignal } from '../src/index.js';
import Chat from './Chat.svelte';

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
