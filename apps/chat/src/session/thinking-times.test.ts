import { createAgentSession } from '@banister/session';
import { createVirtualClock, gate, say, scriptedProvider } from '@banister/testing';
import { expect, test } from 'vitest';
import { createThinkingTimes, thinkingId, thinkingWords } from './thinking-times.js';

test('a block of thinking has the time from its first piece to the first piece of the answer', async () => {
  const clock = createVirtualClock();
  const [inside, behind] = [gate(), gate()];
  const session = createAgentSession({
    provider: scriptedProvider([
      say('Done.', { thinking: ['First, ', inside, 'then.', behind] }),
      say('Again.', { thinking: ['Quick.'] }),
    ]),
    ports: { clock },
  });
  const times = createThinkingTimes();
  times.follow(session);
  const sent = session.send('Hi');
  await inside.reached;
  await clock.advance(1_500);
  inside.open();
  await behind.reached;
  const id = thinkingId(session.liveTurn.peek()!.id, 0, 0);
  expect(times.of(id)).toBe(null);
  await clock.advance(2_500);
  behind.open();
  await sent;
  expect(times.of(id)).toBe(4_000);
  await session.send('Again');
  expect(times.of(thinkingId(session.turns.peek()[1]!.id, 0, 0))).toBe(0);
  await session.dispose();
});

test('the title of a block of thinking has the time only if the page knows it', () => {
  expect(thinkingWords(null, true)).toBe('Thinking…');
  expect(thinkingWords(null, false)).toBe('Thought');
  expect(thinkingWords(300, false)).toBe('Thought for a moment');
  expect(thinkingWords(4_200, false)).toBe('Thought for 4 s');
  expect(thinkingWords(59_900, false)).toBe('Thought for 1 min 0 s');
  expect(thinkingWords(125_000, false)).toBe('Thought for 2 min 5 s');
});
