// A path as JSON, and the import.
import { describe, expect, it } from 'vitest';
import { confirmTools, type SavedConversation } from '@banister/session';
import { exportPath, toMarkdown } from '@banister/session/export';
import { callTools, fail, say, settle, validateHistory } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, outline, rejection } from './fixture.js';

/** The JSON as a file holds it. */
const file = (saved: SavedConversation) => JSON.parse(JSON.stringify(saved)) as SavedConversation;

/** A session whose second turn failed, and was retried, and the ids of its turns. */
async function retried() {
  const f = fixture([say('Hi.'), fail('auth'), say('Done.')]);
  await f.session.send('Hello');
  await rejection(f.session.send('Go'));
  await f.session.retry();
  return f;
}

describe('exportPath', () => {
  it('AK-V8 a path is exported as JSON that a session opens', async () => {
    await using f = await retried();
    await using g = fixture([say('Next.')], { conversation: file(exportPath(f.session.save())) });
    expect(g.session.state.turns).toEqual(f.session.state.turns);
    expect(g.session.state.conversation).toEqual(f.session.state.conversation);
    await g.session.send('And now?');
    expect(g.session.state.currentText).toBe('Next.');
  });

  it('JSON has only one path and no other branch', async () => {
    await using f = await retried();
    const exported = exportPath(f.session.save());
    expect(exported.turns.map(({ record }) => record.id)).toEqual(['turn_1', 'turn_3']);
    expect(f.session.save().turns).toHaveLength(3);
    await using g = fixture([], { conversation: exported });
    expect(g.session.state.branches).toEqual({});
  });

  it('with another head exports the path to that head', async () => {
    await using f = await retried();
    const exported = exportPath(f.session.save(), 'turn_2');
    expect(exported.head).toBe('turn_2');
    expect(exported.turns.map(({ record }) => record.id)).toEqual(['turn_1', 'turn_2']);
    expect(toMarkdown(exported)).toContain('> Go\n\nThe turn failed');
    expect(() => exportPath(f.session.save(), 'turn_9')).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
  });

  it('an export of an export is equal', async () => {
    await using f = await retried();
    const exported = file(exportPath(f.session.save()));
    expect(file(exportPath(exported))).toEqual(exported);
  });

  it('keeps only the marks on the path', async () => {
    await using f = await retried();
    const saved = file(f.session.save());
    const mark = (id: string, parentId: string | null) => ({ id, parentId, kind: 'later' });
    const [first, ...others] = saved.turns;
    const turns = [
      first!,
      ...others.map((turn) => ({ ...turn, record: { ...turn.record, parentId: 'mark_2' } })),
    ];
    const marks = [mark('mark_1', 'turn_1'), mark('mark_2', 'mark_1'), mark('mark_3', 'turn_1')];
    expect(exportPath({ ...saved, turns, marks }).marks).toEqual(marks.slice(0, 2));
    const other = exportPath({ ...saved, turns, marks, head: 'mark_3' });
    expect(other.marks).toEqual(marks.slice(2));
    expect(other.turns.map(({ record }) => record.id)).toEqual(['turn_1']);
  });

  it('has the images of the messages inside', async () => {
    await using f = fixture([say('A dot.')]);
    await f.session.send({ text: 'What?', images: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] });
    expect(JSON.stringify(exportPath(f.session.save()))).toContain('iVBORw0KGgo=');
  });

  it('neither changes nor keeps the saved conversation', async () => {
    await using f = await retried();
    const saved = file(f.session.save());
    const before = JSON.stringify(saved);
    const text = JSON.stringify(exportPath(saved));
    expect(JSON.stringify(saved)).toBe(before);
    const exported = exportPath(saved);
    for (const turn of saved.turns) Object.assign(turn.record, { id: 'changed', rounds: [] });
    expect(JSON.stringify(exported)).toBe(text);
  });

  it.each([null, 'text', {}, { version: 99 }])('refuses %j like a session', (value) => {
    const saved = value as unknown as SavedConversation;
    const code =
      (value as { version?: number } | null)?.version === 99 ? 'unsupported' : 'invalid-configuration';
    expect(() => exportPath(saved, null)).toThrow(expect.objectContaining({ code }));
  });

  it('keeps effects that were recorded as data undoable', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Added.')], { domains: [board.domain()] });
    await f.session.send('Add A');
    await using g = fixture([], {
      domains: [board.domain()],
      conversation: file(exportPath(f.session.save())),
    });
    expect(g.session.state.canUndo).toBe(true);
    await g.session.undo();
    expect(board.cards).toEqual([]);
  });

  it('keeps the turns that can be redone', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Added.')], { domains: [board.domain()] });
    await f.session.send('Add A');
    await f.session.undo();
    const exported = file(exportPath(f.session.save()));
    expect(exported.redo).toEqual(['turn_1']);
    await using g = fixture([], { domains: [board.domain()], conversation: exported });
    await g.session.redo();
    expect(board.cards).toEqual(['A']);
  });
});

describe('an export with an open question', () => {
  /** A session that asks whether a card may be added. */
  async function asking() {
    const board = createBoard();
    const f = fixture([callTools(addCard('A')), say('Added.')], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
      looseScript: true,
    });
    const turn = rejection(f.session.send('Add A'));
    await settle();
    expect(f.session.state.pendingConfirmations).toHaveLength(1);
    return { f, turn, exported: file(exportPath(f.session.save())) };
  }

  it('is imported without the question: the turn has failed as `interrupted`, and nothing waits', async () => {
    const { f, turn, exported } = await asking();
    await using g = fixture([], { conversation: exported });
    const { state } = g.session;
    expect(state).toMatchObject({
      isRunning: false,
      phase: 'idle',
      pendingConfirmations: [],
      interrupted: null,
    });
    expect(state.turns.at(-1)!.outcome).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    expect(outline(state.conversation.messages)).toEqual(['user: Add A']);
    expect(validateHistory(state.conversation.messages)).toEqual([]);
    await f.session.cancel();
    await turn;
    await f[Symbol.asyncDispose]();
  });

  it('asks again when the turn is retried', async () => {
    const { f, turn, exported } = await asking();
    const board = createBoard();
    await using g = fixture([callTools(addCard('A')), say('Added.')], {
      conversation: exported,
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    const again = g.session.retry();
    await settle();
    expect(board.titles).toEqual([]);
    await g.session.pendingConfirmation.value!.approve();
    await again;
    expect(board.titles).toEqual(['A']);
    await f.session.cancel();
    await turn;
    await f[Symbol.asyncDispose]();
  });

  it('shows in Markdown that the call was not decided', async () => {
    const { f, turn, exported } = await asking();
    expect(toMarkdown(exported)).toMatch(/- Tool `board\.add`: not decided\n[^]*\n\nThe turn failed: /);
    await f.session.cancel();
    await turn;
    await f[Symbol.asyncDispose]();
  });
});
