import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { say, scriptedProvider, stall } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { createComposer } from './composer.js';
import { createCues } from './cues.js';
import { createQueue } from './queue.js';

/** A chat whose first turn lasts until it is cancelled, with these messages queued. */
async function chatWith(...texts: readonly string[]) {
  const session = createAgentSession({
    provider: scriptedProvider([stall(), ...texts.map(() => say('Done.'))]),
  });
  const current = signal(session);
  const composer = createComposer(current);
  const cues = createCues();
  const queue = createQueue({ session: current, composer, cues });
  void session.send('First');
  // If a turn is cancelled before its request, its scripted answer goes to the next turn.
  await vi.waitUntil(() => session.phase.peek() === 'streaming', { timeout: 30_000 });
  for (const text of texts) {
    composer.write(text);
    composer.send();
  }
  const shown = () => queue.messages.peek().map(({ text }) => text);
  await vi.waitUntil(() => shown().length === texts.length, { timeout: 30_000 });
  return { session, composer, cues, queue, shown };
}

test('a message that joins the queue is announced, and becomes the last arrived message', async () => {
  const { session, cues, queue } = await chatWith('one', 'two');
  expect(cues.spoken.peek()).toBe('In the queue, place 2');
  expect(queue.arrived.peek()).toBe(queue.messages.peek()[1]!.id);
  await session.dispose();
});

test('each message shows where it can go, and moves there', async () => {
  const { session, cues, queue, shown } = await chatWith('one', 'two', 'three');
  const idOf = (text: string) => queue.messages.peek().find((message) => message.text === text)!.id;
  expect(queue.messages.peek()).toMatchObject([
    { note: 'Next', canMoveUp: false, canMoveDown: true },
    { note: '', canMoveUp: true, canMoveDown: true },
    { note: '', canMoveUp: true, canMoveDown: false },
  ]);
  queue.move(idOf('three'), 'up');
  expect(shown()).toEqual(['one', 'three', 'two']);
  expect(cues.spoken.peek()).toBe('Moved to place 2 of 3');
  queue.move(idOf('one'), 'down');
  expect(shown()).toEqual(['three', 'one', 'two']);
  queue.place(idOf('two'), idOf('three'));
  expect(shown()).toEqual(['two', 'three', 'one']);
  queue.place(idOf('two'), null);
  expect(shown()).toEqual(['three', 'one', 'two']);
  await session.dispose();
});

test('a steering message comes first, and can only be removed', async () => {
  const { session, composer, cues, queue, shown } = await chatWith('one');
  composer.write('faster');
  composer.steer();
  expect(queue.messages.peek()).toMatchObject([
    {
      text: 'faster',
      isSteering: true,
      note: 'Joins at the next step',
      canMoveUp: false,
      canMoveDown: false,
    },
    { text: 'one', isSteering: false, note: 'Next', canMoveUp: false, canMoveDown: false },
  ]);
  const [steering, one] = queue.messages.peek();
  queue.remove(steering!.id);
  expect(shown()).toEqual(['one']);
  expect(cues.wish.peek()?.names).toEqual([`actions:${one!.id}`, 'message']);
  await session.dispose();
});

test('the reason of a pause is shown until the queue continues', async () => {
  const { session, queue } = await chatWith('one');
  expect(queue.pause.peek()).toBe(null);
  await session.cancel();
  expect(queue.pause.peek()).toBe('Paused: you stopped the turn.');
  expect(queue.messages.peek()[0]!.note).toBe('');
  queue.goOn();
  await vi.waitUntil(() => session.turns.peek().length === 2, { timeout: 30_000 });
  expect(queue.pause.peek()).toBe(null);
  await session.dispose();
});

test("if a message's turn begins while it is edited, the edited text goes to the composer, unless the composer has text", async () => {
  for (const [before, after] of [
    ['', 'Changed'],
    ['Half written', 'Half written'],
  ] as const) {
    const { session, composer, queue } = await chatWith('one');
    queue.beginEdit(queue.messages.peek()[0]!);
    queue.writeEdit('Changed');
    composer.write(before);
    await session.cancel();
    queue.goOn();
    await vi.waitUntil(() => queue.edited.peek() === null, { timeout: 30_000 });
    expect(composer.text.peek()).toBe(after);
    await session.dispose();
  }
});
