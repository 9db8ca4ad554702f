// Saved conversations that were changed by hand: each is refused, or keeps what it has.
import { createAgentSession, defineDomain, type SavedConversation } from '@banister/session';
import { importedConversation } from '@banister/session/export';
import { readLog, savedState } from '@banister/session/log';
import { callTools, say, scriptedProvider, stall } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { fixture, rejection } from './fixture.js';

const provider = scriptedProvider([]);

/** A value with this many lists in each other. */
const nested = (levels: number): unknown => (levels === 0 ? 'deep' : [nested(levels - 1)]);

async function savedTurns(): Promise<SavedConversation> {
  await using f = fixture([say('One.'), say('Two.')]);
  await f.session.send('First');
  await f.session.send('Second');
  return JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
}

/** Returns the conversation with another reference in the answer of its first turn. */
function withPart(saved: SavedConversation, part: unknown): SavedConversation {
  const [first, ...rest] = saved.turns;
  const messages = first!.messages.map((message) =>
    typeof message === 'string' || Array.isArray(message) ? message : { ...message, parts: [part] },
  );
  return { ...saved, turns: [{ ...first, messages }, ...rest] } as SavedConversation;
}

describe('a saved conversation that was changed', () => {
  it.each([
    [[0, '__proto__']],
    [[0, 'map']],
    [[0, 'length']],
    [['__proto__', 'x']],
    [['constructor', 0]],
    [[0, 0, 0]],
    [[0]],
    [[-1, 0]],
    [[0, 99]],
  ])('a part of a message that refers to %j is refused, and nothing of the page is frozen', async (part) => {
    const saved = withPart(await savedTurns(), part);
    const refused = {
      code: 'invalid-configuration',
      message: expect.stringContaining('no such part') as string,
    };
    expect(() => createAgentSession({ provider, conversation: saved })).toThrow(
      expect.objectContaining(refused),
    );
    expect(() => importedConversation(saved)).toThrow(expect.objectContaining(refused));
    expect(readLog({ snapshot: saved, records: [] }).problem?.cause).toMatchObject(refused);
    expect(Object.isFrozen(Array.prototype)).toBe(false);
  });

  it('a turn with a field that only marks have is still read as a turn', async () => {
    const saved = await savedTurns();
    const turns = saved.turns.map((turn) => ({ ...turn, record: { ...turn.record, kind: 'clear' } }));
    await using session = createAgentSession({ provider, conversation: { ...saved, turns } });
    expect(session.turns.value.map(({ id }) => id)).toEqual(saved.turns.map(({ record }) => record.id));
    expect(session.conversation.value.messages).toHaveLength(4);
  });

  it('a running turn is refused in a saved conversation, even together with the rest of a session', async () => {
    const saved = await savedTurns();
    const turns = saved.turns.map((turn, index) =>
      index === 1 ? { ...turn, record: { ...turn.record, status: 'running', outcome: null } } : turn,
    );
    const conversation = { ...saved, turns, session: { fold: {} } } as unknown as SavedConversation;
    expect(() => createAgentSession({ provider, conversation })).toThrow(
      /the last turn is running: open its log instead/,
    );
  });
});

describe('the snapshot of a running turn', () => {
  it('is read even if the data of an effect has the greatest allowed depth', async () => {
    const execute = async (_input: object, { undo }: { undo(effect: object): unknown }) => {
      await undo({ description: 'Moved', data: nested(198) });
      return 'done';
    };
    const tools = [
      {
        name: 'move',
        description: 'Moves',
        parameters: { type: 'object' },
        execute,
        undo: { revert: () => {} },
      },
    ];
    const domains = [defineDomain({ id: 'board', tools } as never)];
    const call = callTools({ tool: 'board.move', args: {} });
    const f = fixture([call, stall('Half an ans')], { domains, looseScript: true, leavesTimers: true });
    const turn = rejection(f.session.send('Move it'));
    await f.clock.advance(100);
    const snapshot: unknown = JSON.parse(JSON.stringify(savedState(f.session.state)));
    const { state, problem } = readLog({ snapshot: snapshot as SavedConversation, records: [] });
    expect(problem).toBeNull();
    expect(state).toEqual(f.session.state);
    expect(JSON.stringify(state.fold)).toContain('deep');
    await f.session.cancel({ immediate: true });
    await turn;
    await f.session.dispose();
  });

  it('a field that this release does not know is left out of the state', async () => {
    await using session = createAgentSession({ provider: scriptedProvider([say('Hi.')]) });
    await session.send('Hello');
    const saved = savedState(session.state);
    const later = { ...saved, session: { ...saved.session, fold: { tomorrow: 1 }, tomorrow: { a: 1 } } };
    const { state, problem } = readLog({ snapshot: later, records: [] });
    expect(problem).toBeNull();
    expect(Object.keys(state).sort()).toEqual(Object.keys(session.state).sort());
    expect(Object.keys(state.fold as object).sort()).toEqual(
      Object.keys(session.state.fold as object).sort(),
    );
  });
});
