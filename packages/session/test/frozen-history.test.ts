import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import { UndoHistory, type Provider, type SavedConversation } from '@banister/session';
import { createBoard } from './board.js';
import { fixture, type Fixture } from './fixture.js';

/** Tries to change every field below a value, and to add one. */
function vandalize(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    vandalize(holder[key]);
    attempt(() => (holder[key] = 'changed'));
  }
  attempt(() => (Array.isArray(value) ? value.push('added') : (holder['added'] = true)));
}

/** Calls `change`, and ignores the TypeError that a frozen object throws in strict code. */
function attempt(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** A session with each kind of message in its history. */
async function lived(prepare: (f: Fixture) => void = () => {}): Promise<Fixture> {
  const f = fixture(
    [
      callTools(
        { type: 'thinking', delta: 'Hm', signature: 'sig==' },
        { type: 'opaque', data: { deep: [1, null] } },
        'Text. ',
        { tool: 'board.add', args: { title: 'A' } },
        { tool: 'board.list' },
        { tool: 'board.search', args: { words: ['a', 'b'] } },
        { tool: 'board.nowhere' },
      ),
      say('Done.'),
    ],
    {
      domains: [createBoard().domain(spyTool('search', { execute: () => ({ found: [{ id: 1 }] }) }))],
      history: new UndoHistory(),
    },
  );
  prepare(f);
  await f.session.send({ text: 'Go', images: [{ mediaType: 'image/png', data: 'AAAA' }] });
  return f;
}

/** A copy of the messages and of the turns of a session. */
const copyOf = ({ session }: Fixture) =>
  structuredClone({ messages: session.state.conversation.messages, turns: session.state.turns });

/** The conversation and the turns of a session, as text. */
const kept = (f: Fixture) => JSON.stringify(f.session.save());

describe('C22: history belongs to the session', () => {
  const vandal: Provider = {
    id: 'vandal',
    model: 'vandal-1',
    capabilities: { images: true },
    async *stream(request) {
      vandalize(request);
      yield { type: 'text', delta: 'Hello.' };
      yield { type: 'finish', reason: 'stop' };
    },
  };

  it('C22: a provider cannot change the conversation through its request', async () => {
    await using f = await lived();
    const before = copyOf(f);
    f.session.configure({ provider: vandal });
    await f.session.send('Next');
    await f.session.send('Again');
    const after = copyOf(f);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(after.messages.slice(before.messages.length)).toMatchObject([
      { parts: [{ text: 'Next' }] },
      { parts: [{ text: 'Hello.' }] },
      { parts: [{ text: 'Again' }] },
      { parts: [{ text: 'Hello.' }] },
    ]);
    f.provider.push(say('Fine.'));
    f.session.configure({ provider: f.provider });
    await f.session.send('Last');
    const [first, last] = [f.provider.requests[0]!, f.provider.requests.at(-1)!];
    expect(last.tools).toEqual(first.tools);
  });

  it('C22: a provider that edits its request changes nothing of an opened conversation', async () => {
    await using f = await lived();
    const before = copyOf(f);
    const saved = JSON.parse(kept(f)) as SavedConversation;
    await using g = fixture([], { conversation: saved });
    g.session.configure({ provider: vandal });
    await g.session.send('Next');
    const after = copyOf(g);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(after.turns.slice(0, before.turns.length)).toEqual(before.turns);
  });

  it('C22: a subscriber that edits operations changes neither conversation nor turns', async () => {
    await using control = await lived();
    const f = await lived(({ session }) => {
      session.operations$.subscribe(({ sequence: _sequence, turnId: _turn, type: _type, ...payload }) => {
        for (const value of Object.values(payload)) vandalize(value);
      });
    });
    expect(kept(f)).toBe(kept(control));
    await f.session.dispose();
  });
});
