// The default scheduler in a real page.
import { expect, test } from 'vitest';
import { createAgentSession, effect, preloadTurns, type Provider } from '@banister/session';

/** Streams ten letters a macrotask until ten frames of the page have gone by. */
const letters: Provider = {
  id: 'letters',
  model: 'letters',
  capabilities: { images: false },
  async *stream() {
    let frames = 0;
    const count = () => {
      frames++;
      if (frames < 10) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    while (frames < 10) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      for (let letter = 0; letter < 10; letter++) yield { type: 'text', delta: 'x' };
    }
    yield { type: 'finish', reason: 'stop' };
  },
};

test('a page publishes the first letter at once, then once per frame, no matter how many letters arrive', async () => {
  await preloadTurns();
  const session = createAgentSession({ provider: letters });
  const published: string[] = [];
  const stop = effect(() => {
    if (session.currentText.value !== '') published.push(session.currentText.value);
  });
  const { text } = await session.send('Go');
  stop();
  expect(published[0]).toBe('x');
  expect(published.at(-1)).toBe(text);
  expect(published.length).toBeGreaterThan(3);
  // Ten frames, the first letter, the end of the turn, and the frames that pass until the provider has seen the tenth.
  expect(published.length).toBeLessThanOrEqual(15);
  expect(text.length).toBeGreaterThan(published.length);
  await session.dispose();
});
