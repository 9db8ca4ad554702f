// A log that begins with a saved conversation.
import { createAgentSession, defineDomain, type SavedConversation, type SessionLog } from '@banister/session';
import { memoryLog } from '@banister/storage';
import { beginLog } from '@banister/storage/jsonl';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { cardTool } from './card-tool.js';
import { eachLog, newLog } from './each-log.js';
import { opened } from './faulty-turns.js';
import { removeFiles } from './temporary-folder.js';

afterAll(removeFiles);

/** An app with a list of cards, and the conversation in which a card was added. */
async function app() {
  const cards: string[] = [];
  const domains = [defineDomain({ id: 'board', tools: [cardTool(cards)] })];
  const call = callTools({ tool: 'board.add', args: { title: 'Plan' } });
  const provider = scriptedProvider([call, say('Added.')]);
  await using session = createAgentSession({ provider, domains });
  await session.send('Add a card');
  const text = JSON.stringify(session.save());
  const open = (log: SessionLog) =>
    createAgentSession({ provider: scriptedProvider([say('Hello.')]), domains, id: 'chat', log });
  return { cards, text, open, state: session.state };
}

const logs = [...eachLog, ['memoryLog', () => memoryLog()] as const];

describe.each(logs)('%s that begins with a saved conversation', (_name, connect) => {
  test('is opened with its turns and messages, continues, and its effects can be undone', async () => {
    const { cards, text, open, state } = await app();
    const log = connect(newLog());
    await beginLog(log, 'chat', JSON.parse(text) as SavedConversation);
    const session = await opened(open(log));
    expect(await log.list()).toEqual([expect.objectContaining({ id: 'chat', title: 'Add a card' })]);
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: true });
    expect(session.turns.value).toEqual(state.turns);
    expect(session.conversation.value).toEqual(state.conversation);
    expect((await session.send('Hi')).text).toBe('Hello.');
    await session.undo();
    expect(cards).toEqual([]);
    await session.dispose();
    const again = await opened(open(log));
    expect(again.turns.value).toHaveLength(2);
    await again.dispose();
  });

  test('is refused if the log already has the session, and the log does not change', async () => {
    const { text } = await app();
    const log = connect(newLog());
    const saved = JSON.parse(text) as SavedConversation;
    await beginLog(log, 'chat', saved);
    const before = await log.load('chat');
    await expect(beginLog(log, 'chat', { ...saved, turns: [], head: null })).rejects.toMatchObject({
      code: 'storage',
      details: { reason: 'exists', id: 'chat' },
    });
    expect(await log.load('chat')).toEqual(before);
  });

  test.each<[string, object, object]>([
    ['of a newer release', { version: 99 }, { code: 'unsupported' }],
    ['that is damaged', { head: 'x' }, { code: 'invalid-configuration', details: { at: 'head' } }],
  ])('is refused for a conversation %s, and nothing is stored', async (_what, change, error) => {
    const { text } = await app();
    const log = connect(newLog());
    const saved = { ...(JSON.parse(text) as SavedConversation), ...change };
    await expect(beginLog(log, 'chat', saved)).rejects.toMatchObject(error);
    expect(await log.list()).toEqual([]);
  });

  test.each([null, undefined])(
    'is refused for %s instead of a conversation, and nothing is stored',
    async (saved) => {
      const log = connect(newLog());
      const wrong = saved as unknown as SavedConversation;
      await expect(beginLog(log, 'chat', wrong)).rejects.toMatchObject({ code: 'invalid-configuration' });
      expect(await log.list()).toEqual([]);
    },
  );
});
