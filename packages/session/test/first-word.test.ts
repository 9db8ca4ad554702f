// How soon a reader of the log sees the text of an answer.
import { expect, it } from 'vitest';
import { gate, say, settle } from '@banister/testing';
import { logWorld } from './log-world.js';

it('served H12 a follower sees the first word of an answer without waiting, and the next ones within 50 ms', async () => {
  const tabs = logWorld();
  const first = gate();
  const rest = gate();
  const end = gate();
  const writer = await tabs.open([say([first, 'Hello', rest, ' world', end, '.'])]);
  const reader = await tabs.open();
  const seen = () => JSON.stringify(reader.session.liveTurn.value?.rounds.at(-1)?.parts ?? []);
  const sent = writer.session.send('Hi');
  await first.reached;
  first.open();
  await rest.reached;
  await settle();
  expect(seen()).toContain('Hello');
  rest.open();
  await end.reached;
  await settle();
  expect(seen()).not.toContain('world');
  await tabs.clock.advance(50);
  expect(seen()).toContain('Hello world');
  end.open();
  expect((await sent).text).toBe('Hello world.');
  await reader.session.dispose();
  await writer.session.dispose();
  expect(tabs.clock.pending).toBe(0);
});
