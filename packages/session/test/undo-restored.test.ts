// A session that opens a saved conversation undoes the turns of an earlier one.
import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import {
  contentRevision,
  defineTool,
  UndoHistory,
  type AgentSession,
  type Domain,
  type Revision,
  type SavedConversation,
  type UndoEntry,
  type UndoProvider,
} from '@banister/session';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection } from './fixture.js';

const saved = (session: AgentSession) => JSON.parse(JSON.stringify(session.save())) as SavedConversation;

/** Runs turns, each with one call of `board.add`, and returns the saved conversation. */
async function earlier(domain: Domain, titles: readonly string[], undos = 0): Promise<SavedConversation> {
  await using f = fixture(
    titles.flatMap((title) => [callTools(addCard(title)), say('Done.')]),
    { domains: [domain] },
  );
  for (const title of titles) await f.session.send(`Add ${title}`);
  for (let count = 0; count < undos; count++) await f.session.undo();
  return saved(f.session);
}

/** A board whose tool records closures. */
function closureBoard(cards: string[] = []) {
  const add = spyTool('add', {
    execute(args, context) {
      const title = String(args.title);
      cards.push(title);
      context.undo({
        description: `Added ${title}`,
        revert: () => void cards.splice(cards.indexOf(title), 1),
      });
    },
  });
  const domain = (): Domain => ({ id: 'board', tools: [add], revision: contentRevision(() => cards) });
  return { cards, domain };
}

describe('a session that opens a saved conversation', () => {
  it('a session that opens a saved conversation undoes its turns by their data', async () => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A', 'B']);
    await using f = fixture([], { domains: [board.domain()], conversation });
    expect(f.session.canUndo.value).toBe(true);
    expect(f.session.undoEntries.value).toMatchObject([
      { label: 'Add A', state: 'done', undoable: true, lost: false },
      { label: 'Add B', state: 'done', undoable: true, lost: false },
    ]);
    expect(names((await f.session.undo()).done)).toEqual(['Added B']);
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual([]);
    expect(names((await f.session.redo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['A']);
    expect(f.session.turns.value[1]?.undo?.state).toBe('undone');
  });

  it.each<[string, UndoHistory | null, boolean]>([
    ['takes them back with the built-in history that the app gives', new UndoHistory(), true],
    ['takes none back without a history', null, false],
  ])('%s', async (_name, history, isUndoable) => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A']);
    await using f = fixture([], { domains: [board.domain()], conversation, history });
    expect(f.session.undoEntries.value).toMatchObject([{ undoable: isUndoable, lost: !isUndoable }]);
    expect(f.session.canUndo.value).toBe(isUndoable);
    if (!isUndoable) return;
    await f.session.undo();
    expect(board.cards).toEqual([]);
  });

  it('re-does a turn that the earlier session undid, under the key that the earlier one would have used', async () => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A', 'B'], 1);
    await using f = fixture([], { domains: [board.domain()], conversation });
    expect(f.session.undoEntries.value.map(({ state }) => state)).toEqual(['done', 'undone']);
    await f.session.redo();
    expect(board.cards).toEqual(['A', 'B']);
    const keys = board.runs.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([expect.stringMatching(/-1-revert-0$/), expect.stringMatching(/-1-reapply-1$/)]);
  });

  it('offers no redo of a turn that the earlier session undid before it ran another one', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.'), say('Hello.')], {
      domains: [board.domain()],
    });
    await f.session.send('Add A');
    await f.session.undo();
    await f.session.send('Hello');
    await using later = fixture([], { domains: [board.domain()], conversation: saved(f.session) });
    expect([f.session.canRedo.value, later.session.canRedo.value]).toEqual([false, false]);
    expect(later.session.undoEntries.value).toEqual([]);
  });

  it('does not make an effect again that a call recorded after it was cut, and that was taken back then', async () => {
    const board = dataBoard();
    const late = defineTool({
      ...board.add,
      name: 'late',
      timeoutMs: 1_000,
      async execute({ title }, context) {
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
        await context.undo({ description: `Added ${title}`, data: { title } });
        board.cards.push(title);
      },
    });
    const domain = { ...board.domain(), tools: [board.add, late] };
    const call = (tool: string, title: string) => ({ tool, args: { title } });
    await using f = fixture([callTools(call('board.late', 'Late'), call('board.add', 'A')), say('Done.')], {
      domains: [domain],
    });
    const sent = f.session.send('Add both');
    await f.clock.advance(5_000);
    expect((await sent).status).toBe('completed');
    expect(board.cards).toEqual(['A']);
    await using later = fixture([], { domains: [domain], conversation: saved(f.session) });
    expect(names((await later.session.undo()).done)).toEqual(['Added A']);
    expect(names((await later.session.redo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['A']);
  });

  it('rejects conflict if the user changed the domain since, unless force', async () => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A']);
    board.cards.push('Mine');
    await using f = fixture([], { domains: [board.domain()], conversation });
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect(names((await f.session.undo({ force: true })).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['Mine']);
  });

  it('lists effects with closures as lost: the turn is not undoable', async () => {
    const board = closureBoard();
    const conversation = await earlier(board.domain(), ['A']);
    await using f = fixture([], { domains: [board.domain()], conversation });
    expect(f.session.canUndo.value).toBe(false);
    expect(f.session.undoEntries.value).toMatchObject([
      { undoable: false, lost: true, effects: [{ description: 'Added A', lost: true }] },
    ]);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
    expect(board.cards).toEqual(['A']);
  });

  it.each([
    ['the tool has no undo any more', [closureBoard().domain()]],
    ['the tool is gone', []],
  ])(
    'lists an effect as lost if %s, and takes it back once a session has the tool again',
    async (_name, domains) => {
      const board = dataBoard();
      const conversation = await earlier(board.domain(), ['A']);
      await using f = fixture([], { domains, conversation });
      expect(f.session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
      await using g = fixture([], { domains: [board.domain()], conversation: saved(f.session) });
      expect(g.session.undoEntries.value).toMatchObject([{ undoable: true, lost: false }]);
      await g.session.undo();
      expect(board.cards).toEqual([]);
    },
  );

  it('reports a call that is lost in part as lost, never as undone', async () => {
    const board = dataBoard();
    const half = {
      ...board.add,
      name: 'half',
      execute: async (args: { readonly title: string }, context: Parameters<typeof board.add.execute>[1]) => {
        context.undo({ description: 'Played a sound', revert: () => {} });
        await board.add.execute(args, context);
      },
    };
    const domain: Domain = { ...board.domain(), tools: [board.add, half] };
    await using f = fixture(
      [callTools(addCard('A'), { tool: 'board.half', args: { title: 'B' } }), say('Done.')],
      { domains: [domain] },
    );
    await f.session.send('Go');
    await using g = fixture([say('I see.')], { domains: [domain], conversation: saved(f.session) });
    const report = await g.session.undo();
    expect(names(report.done)).toEqual(['Added A']);
    expect(names(report.lost)).toEqual(['Played a sound; Added B']);
    expect(report.irreversible).toEqual([]);
    expect(board.cards).toEqual([]);
    await g.session.send('Next');
    const note = JSON.stringify(g.provider.requests[0]?.messages.at(-1)?.parts[0]);
    expect(note).toMatch(/The user then undid these effects: \\"Added A/);
    expect(note).toMatch(/cannot be undone and are still in effect: \\"Played a sound; Added B/);
  });
});

describe("a turn of an earlier session in the app's own history", () => {
  it('turns in a history of the app that restores nothing are lost', async () => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A']);
    const inner = new UndoHistory();
    const history: UndoProvider = { begin: (label) => inner.begin(label) };
    await using f = fixture([], { domains: [board.domain()], conversation, history });
    expect(f.session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
  });

  it('rejects conflict if the user changed the domain since, also if its tool is gone', async () => {
    const board = closureBoard();
    const conversation = await earlier(board.domain(), ['A']);
    board.cards.push('Mine');
    const history: UndoProvider = {
      begin: (label) => new UndoHistory().begin(label),
      restore: () => ({ revert: () => Promise.resolve({ done: [], failed: [], irreversible: [] }) }),
    };
    const domain: Domain = { ...board.domain(), tools: [spyTool('look')] };
    await using f = fixture([], { domains: [domain], conversation, history });
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('a history of the app restores its turns from their entries', async () => {
    const board = closureBoard();
    const conversation = await earlier(board.domain(), ['A']);
    const restored: unknown[] = [];
    const history: UndoProvider = {
      begin: (label) => new UndoHistory().begin(label),
      restore(turnId: string, entries: readonly UndoEntry[]) {
        restored.push(turnId, ...entries.map(({ description, revert }) => [description, revert]));
        const done = entries.map(({ toolCallId, toolName, description }) => ({
          toolCallId,
          toolName,
          description,
        }));
        return {
          revert(_expected: Revision) {
            board.cards.pop();
            return Promise.resolve({ done, failed: [], irreversible: [] });
          },
        };
      },
    };
    await using f = fixture([], { domains: [board.domain()], conversation, history });
    expect(f.session.canUndo.value).toBe(true);
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(restored).toEqual(['turn_1', ['Added A', undefined]]);
    expect(board.cards).toEqual([]);
    expect(f.session.canRedo.value).toBe(false);
  });

  it('rejects undo-failed, and changes nothing, if restoring it fails', async () => {
    const board = dataBoard();
    const conversation = await earlier(board.domain(), ['A']);
    const history: UndoProvider = {
      begin: (label) => new UndoHistory().begin(label),
      restore() {
        throw new Error('unknown turn');
      },
    };
    await using f = fixture([], { domains: [board.domain()], conversation, history });
    expect(await rejection(f.session.undo())).toMatchObject({
      code: 'undo-failed',
      message: expect.stringContaining('unknown turn'),
    });
    expect(f.observed.types).toEqual([]);
    expect(f.session.canUndo.value).toBe(true);
  });
});
