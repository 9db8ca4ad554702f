// What sessions of many kinds saved is opened again.
import { createAgentSession, type SavedConversation } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { lives } from './lives.js';

function open(conversation: SavedConversation) {
  return createAgentSession({ provider: scriptedProvider([say('Next.')]), conversation });
}

describe('a conversation that was saved after any life of its session', () => {
  it.each(Object.entries(lives))('is saved again without a loss: %s', async (_name, live) => {
    const { state, save } = open(await live());
    expect(open(JSON.parse(JSON.stringify(save())) as SavedConversation).state).toEqual(state);
    expect(open(save()).state).toEqual(state);
  });

  it.each(Object.entries(lives))('goes on with a next turn: %s', async (_name, live) => {
    await using session = open(await live());
    expect((await session.send('Go on')).text).toBe('Next.');
  });
});
