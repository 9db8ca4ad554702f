// Pages that are killed at each write of a task, from its start until its end is told.
import { beforeAll, expect, describe, it, vi } from 'vitest';
import { memoryLog, say, type AnswerSource } from '@banister/testing';
import { preloadTurns, type SessionLog } from '@banister/session';
import { mortalLog } from './mortal-log.js';
import { asked, Cards, openPage, startTask } from './task-page.js';

beforeAll(() => preloadTurns());

/** The model of the session: it starts the task, says so, and says that it was told. It reads from the request how far it is. */
const answers: AnswerSource = ({ messages }) => {
  const last = JSON.stringify(messages.at(-1)!.parts);
  if (last.includes('has ended')) return say('Told.');
  return messages.at(-1)!.parts.some(({ type }) => type === 'tool-result')
    ? say('It runs.')
    : startTask('Search');
};

async function life(log: SessionLog, cards: Cards, isOver: (page: ReturnType<typeof openPage>) => boolean) {
  const page = openPage({ log, cards, otherwise: answers, session: { onInterrupted: 'resume' } });
  const ended = vi.waitFor(() => expect(isOver(page)).toBe(true), { interval: 2, timeout: 20_000 });
  return { page, ended };
}

const isTold = ({ session, tasks }: ReturnType<typeof openPage>) =>
  tasks.tasks.value[0]?.delivered === true &&
  session.state.turns.length === 2 &&
  session.state.turns.every(({ outcome }) => outcome !== null) &&
  !session.isRunning.value;

describe('a task whose page is killed', () => {
  it('agents T3: before any of its writes acts once, and its end is told once', async () => {
    let kills = 0;
    for (let lastWrite = 0; ; lastWrite++) {
      const [inner, cards] = [memoryLog(), new Cards()];
      const mortal = mortalLog(inner, lastWrite);
      const first = await life(mortal.log, cards, (page) => mortal.dead() || isTold(page));
      void first.page.session.send('Search it').catch(() => {});
      await first.ended;
      if (!mortal.dead()) {
        mortal.spare();
        await first.page.close();
        break;
      }
      kills++;

      const second = await life(inner, cards, (page) => {
        if (page.session.state.queuePaused) void page.session.resumeQueue();
        // The message of the user was not written: the user writes it again.
        if (
          page.session.link.value.open &&
          !page.session.isRunning.value &&
          page.session.state.turns.length === 0
        )
          void page.session.send('Search it').catch(() => {});
        return isTold(page);
      });
      await second.ended;
      const name = `killed before write ${lastWrite}`;
      expect({ name, added: cards.added }).toEqual({ name, added: ['Search'] });
      expect({ name, asked: asked(second.page.session).map((text) => text.split(':', 1)[0]) }).toEqual({
        name,
        asked: ['user', 'chat/task/1'],
      });
      expect({ name, tasks: (await inner.list({ prefix: 'chat/task/' })).map(({ id }) => id) }).toEqual({
        name,
        tasks: ['chat/task/1'],
      });
      await second.page.close();
    }
    expect(kills).toBeGreaterThan(15);
  });
});
