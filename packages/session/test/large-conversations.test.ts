import { describe, expect, inject, it } from 'vitest';
import { callTools, say, scriptedProvider } from '@banister/testing';
import {
  createAgentSession,
  SAVED_VERSION,
  UndoHistory,
  type AgentSession,
  type SavedConversation,
  type SavedTurn,
} from '@banister/session';
import { createBoard } from './board.js';
import { fixture } from './fixture.js';

const usage = { inputTokens: 10, outputTokens: 20, cost: { amount: 0.01, currency: 'EUR' } };

/** Saves and opens through text, as a page does. */
function stored(session: AgentSession): SavedConversation {
  return JSON.parse(JSON.stringify(session.save())) as SavedConversation;
}

function open(conversation: SavedConversation): AgentSession {
  return createAgentSession({ provider: scriptedProvider([]), conversation });
}

/** The same turn many times over, each with ids of its own, one after the other. */
function repeated(saved: SavedConversation, times: number): SavedConversation {
  const text = JSON.stringify(saved.turns[0]);
  const turns = Array.from({ length: times }, (_, index) => {
    const copy = text.replaceAll(/"((?:message|turn|call)_\d+)"/g, `"$1_${index}"`);
    const before = index === 0 ? 'null' : `"turn_1_${index - 1}"`;
    return JSON.parse(copy.replace('"parentId":null', `"parentId":${before}`)) as SavedTurn;
  });
  return { ...saved, head: `turn_1_${times - 1}`, turns };
}

describe('a long conversation', { timeout: 120_000 }, () => {
  it.each(inject('tier') === 'full' ? [26_000, 100_000] : [26_000])(
    'Q1: of %i messages can be saved and reopened',
    async (length) => {
      await using f = fixture([say('An answer.', { usage })]);
      await f.session.send('A question');
      await using first = open(repeated(stored(f.session), length / 2));
      await using again = open(stored(first));
      expect(again.state.conversation.messages).toHaveLength(length);
      expect(again.state.conversation.messages.at(-1)).toEqual(first.state.conversation.messages.at(-1));
      expect(again.state.turns.at(-1)).toEqual(first.state.turns.at(-1));
    },
  );

  it('Q1: of 4,000 turns with 7 small calls each can be saved and reopened', async () => {
    const calls = Array.from({ length: 7 }, (_, index) => ({
      tool: 'board.add',
      args: { title: `Card ${index}` },
    }));
    await using f = fixture([callTools(...calls), say('Done.', { usage })], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Add seven cards');
    await using first = open(repeated(stored(f.session), 4_000));
    await using again = open(stored(first));
    expect(again.state.turns).toHaveLength(4_000);
    expect(again.state.turns).toEqual(first.state.turns);
  });

  const withData = (data: unknown) => ({
    version: SAVED_VERSION,
    sequence: 0,
    head: null,
    prefix: [
      { id: 'message_1', role: 'user', parts: [{ type: 'text', text: 'Go' }] },
      { id: 'message_2', role: 'assistant', parts: [{ type: 'opaque', provider: 'other', data }] },
    ],
    turns: [],
    marks: [],
    redo: [],
  });

  it('Q1: a part that is too large or too deep is refused, and named by its place', () => {
    const million = Array.from({ length: 1_000_000 }, () => 0);
    const saved = withData(Array.from({ length: 4 }, () => million));
    expect(() => open(saved as unknown as SavedConversation)).toThrow(
      /: prefix\[1\]\.parts\[0\]\.data: it is too large\.$/,
    );
  });

  it('Q1: a part that is nested too deeply is named by its place', () => {
    let data: unknown = 0;
    for (let depth = 0; depth < 300; depth++) data = [data];
    expect(() => open(withData(data) as unknown as SavedConversation)).toThrow(
      /: prefix\[1\]\.parts\[0\]\.data: its field 0(\.0)+… is nested too deeply\.$/,
    );
  });
});

describe('a conversation with many branches', { timeout: 120_000 }, () => {
  /** 2,000 turns: a path of 200, and 300 branches of 6 turns beside its turns. */
  function branched(saved: SavedConversation): SavedConversation {
    const text = JSON.stringify(saved.turns[0]);
    const turns: SavedTurn[] = [];
    const add = (parentId: string | null): string => {
      const index = turns.length;
      const copy = text.replaceAll(/"((?:message|turn|call)_\d+)"/g, `"$1_${index}"`);
      turns.push(
        JSON.parse(copy.replace('"parentId":null', `"parentId":${JSON.stringify(parentId)}`)) as SavedTurn,
      );
      return `turn_1_${index}`;
    };
    const trunk: string[] = [];
    for (let i = 0; i < 200; i++) trunk.push(add(trunk.at(-1) ?? null));
    for (let branch = 0; branch < 300; branch++) {
      let head = trunk[branch % 199]!;
      for (let i = 0; i < 6; i++) head = add(head);
    }
    return { ...saved, head: trunk.at(-1)!, turns };
  }

  it('a switch among 2,000 turns in 300 branches takes at most 50 ms', async () => {
    await using f = fixture(
      [callTools({ tool: 'board.add', args: { title: 'A' } }), say('Done.', { usage })],
      {
        domains: [createBoard().domain()],
      },
    );
    await f.session.send('Add a card');
    await using session = open(branched(stored(f.session)));
    expect(session.state.turns).toHaveLength(200);
    expect(Object.keys(session.branches.value).length).toBeGreaterThan(300);
    const heads = Object.keys(session.branches.value).filter((id) => Number(id.split('_')[2]) >= 200);
    let fastest = Infinity;
    for (const head of heads.slice(0, 20)) {
      const before = new Set(session.turns.value);
      const started = performance.now();
      await session.switchTo(head);
      fastest = Math.min(fastest, performance.now() - started);
      expect(session.turns.value.filter((turn) => before.has(turn)).length).toBeGreaterThan(0);
      expect(session.headTurnId.value).toBe(session.turns.value.at(-1)?.id);
    }
    expect(fastest).toBeLessThan(50);
  });
});
