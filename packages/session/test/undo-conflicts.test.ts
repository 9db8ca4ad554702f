// Revisions: undo after the user's own edits.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import { conflict, UndoHistory, type Domain, type Revision } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];

/** A domain whose revision is a counter, which tools and the user increase. */
function counter(id = 'doc') {
  let version = 0;
  const seen: Revision[] = [];
  const edit = spyTool('edit', {
    execute(_args, context) {
      seen.push(context.revision);
      version++;
      context.undo({ description: 'edit', revert: () => void version++, reapply: () => void version++ });
    },
  });
  const strict = spyTool('strict', {
    execute(_args, { revision }) {
      seen.push(revision);
      return revision === version ? undefined : conflict(revision ?? -1, version);
    },
  });
  const domain: Domain = { id, tools: [edit, strict], revision: () => version };
  return {
    domain,
    seen,
    get version() {
      return version;
    },
    user: () => void version++,
  };
}

describe('undo after edits by the user', () => {
  it('U5 `undo()` rejects `conflict` when the user changed the domain since', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history: new UndoHistory() });
    await f.session.send('A');
    board.put('mine');
    const before = f.session.state;
    const error = await rejection(f.session.undo());
    expect(error.code).toBe('conflict');
    expect(error.retry).toBe('after-action');
    expect(error.details).toEqual({ domains: ['board'] });
    expect(board.titles).toEqual(['A', 'mine']);
    expect(f.session.state).toBe(before);
  });

  it('U5 runs with `force`, but never overwrites the edit', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    board.rename('A', 'A, mine');
    const report = await f.session.undo({ force: true });
    expect(names(report.done)).toEqual(['Added B']);
    expect(report.failed).toMatchObject([
      { description: 'Added A', reason: expect.stringContaining('changed') },
    ]);
    expect(board.titles).toEqual(['A, mine']);
  });

  it('redo is refused when the user changed the domain since the undo, unless forced', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history: new UndoHistory() });
    await f.session.send('A');
    await f.session.undo();
    board.put('mine');
    expect((await rejection(f.session.redo())).code).toBe('conflict');
    expect(board.titles).toEqual(['mine']);
    await f.session.redo({ force: true });
    expect(board.titles).toEqual(['mine', 'A']);
  });

  it('is not refused for a change in a domain that the turn did not touch', async () => {
    const board = createBoard();
    const doc = counter();
    await using f = fixture(addTurn('A'), {
      domains: [board.domain(), doc.domain],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    doc.user();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('is not refused if domains have no revisions', async () => {
    const { revision: _, ...plain } = createBoard().domain();
    await using f = fixture(addTurn('A'), { domains: [plain], history: new UndoHistory() });
    await f.session.send('A');
    expect((await f.session.undo()).done).toHaveLength(1);
  });
});

describe('the recorded revisions of earlier turns', () => {
  it('U4 advance with an undo: turn 2, then turn 1, without a conflict', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('B');
    await f.session.undo();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('advance with a redo: turn 1, then turn 2, and undo again', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('B');
    for (const step of ['undo', 'undo', 'redo', 'redo', 'undo', 'undo'] as const) await f.session[step]();
    expect(board.titles).toEqual([]);
  });

  it('advance with the rollback of a later turn', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), callTools(addCard('B')), fail('auth')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await rejection(f.session.send('B'));
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('advance with a later turn whose effects cannot be undone', async () => {
    const board = createBoard();
    const publish = spyTool('publish', { irreversible: true, execute: () => board.put('published') });
    await using f = fixture([...addTurn('A'), callTools({ tool: 'board.publish' }), say('Done.')], {
      domains: [board.domain(publish)],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('Publish');
    await f.session.undo();
    expect(board.titles).toEqual(['published']);
  });

  it('advance with the late revert of a cut tool', async () => {
    const doc = counter();
    const slow = gatedTool('slow');
    const domain = { ...doc.domain, tools: [...doc.domain.tools, slow] };
    await using f = fixture(
      [callTools({ tool: 'doc.edit' }), say('Done.'), callTools({ tool: 'doc.slow' })],
      {
        domains: [domain],
        history: new UndoHistory(),
      },
    );
    await f.session.send('Go');
    void f.session.send('Slow');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    run.context.undo({ description: 'slow', revert: () => doc.user() });
    run.settle();
    await settle();
    expect((await f.session.undo()).done).toHaveLength(1);
  });

  it('do not advance over an edit that the user made between the turns', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    board.put('mine');
    await f.session.send('B');
    await f.session.undo();
    expect(board.titles).toEqual(['A', 'mine']);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect(board.titles).toEqual(['A', 'mine']);
  });

  it('do not advance over an edit that the user made during the later turn', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([...addTurn('A'), callTools('Hm', more, addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    const turn = f.session.send('B');
    await more.reached;
    board.put('mine');
    more.open();
    await turn;
    await f.session.undo();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect(board.titles).toEqual(['A', 'mine']);
  });

  it('do not advance over an edit between a turn and the rollback of the next one', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture(
      [...addTurn('A'), callTools(addCard('B')), callTools('Hm', more, addCard('C')), fail('auth')],
      {
        domains: [board.domain()],
        history: new UndoHistory(),
      },
    );
    await f.session.send('A');
    const turn = f.session.send('B');
    await more.reached;
    board.put('mine');
    more.open();
    await rejection(turn);
    expect(board.titles).toEqual(['A', 'mine']);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it("an edit by the user during the last turn is a conflict only if it followed the turn's last call", async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([callTools(addCard('A')), say(['Hm', more, '.'])], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('A');
    await more.reached;
    board.put('mine');
    more.open();
    await turn;
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });
});
