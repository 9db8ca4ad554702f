// Undo and redo of committed turns.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, gatedTool, say, settle, spyTool, stall } from '@banister/testing';
import { defineTool, failed, UndoHistory, type SavedConversation, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, rejection } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('undo', () => {
  it('`undo()` reverts the last committed turn as one, and `redo()` reapplies it', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([true, false]);
    const undone = await f.session.undo();
    expect(names(undone.done)).toEqual(['Added B', 'Added A']);
    expect(board.titles).toEqual([]);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([false, true]);
    const redone = await f.session.redo();
    expect(names(redone.done)).toEqual(['Added A', 'Added B']);
    expect(board.titles).toEqual(['A', 'B']);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([true, false]);
  });

  it('U4 turns are undone in reverse order and redone in order; a further undo has nothing to do', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B'), ...addTurn('C')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    for (const title of ['A', 'B', 'C']) await f.session.send(title);
    await f.session.undo();
    expect(board.titles).toEqual(['A', 'B']);
    await f.session.undo();
    await f.session.undo();
    expect(board.titles).toEqual([]);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
    await f.session.redo();
    await f.session.redo();
    expect(board.titles).toEqual(['A', 'B']);
    await f.session.undo();
    expect(board.titles).toEqual(['A']);
    await f.session.redo();
    await f.session.redo();
    expect(board.titles).toEqual(['A', 'B', 'C']);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
  });

  it.each<[string, boolean]>([
    ['in the same session', false],
    ['in a session that opens the saved conversation', true],
  ])(
    'audit-A a redo makes again what the undo took back of a call that is irreversible in part, %s',
    async (_name, isReopened) => {
      const cards = new Set<string>();
      const announce = defineTool({
        name: 'announce',
        description: 'Adds a card, and sends a mail about it.',
        parameters: { type: 'object' },
        undo: { revert: () => void cards.delete('Mailed'), reapply: () => void cards.add('Mailed') },
        async execute(_args, context) {
          await context.undo({ description: 'Added Mailed', data: {} });
          cards.add('Mailed');
          context.irreversible('Sent a mail');
        },
      });
      const add = defineTool({
        name: 'add',
        description: 'Adds a card.',
        parameters: { type: 'object' },
        undo: { revert: () => void cards.delete('Plain'), reapply: () => void cards.add('Plain') },
        async execute(_args, context) {
          await context.undo({ description: 'Added Plain', data: {} });
          cards.add('Plain');
        },
      });
      const calls = [
        callTools({ tool: 'board.add', args: {} }, { tool: 'board.announce', args: {} }),
        say('Done.'),
      ];
      const domains = domain(add, announce);
      await using f = fixture(calls, { domains });
      await f.session.send('Go');
      const undone = await f.session.undo();
      expect([names(undone.done), names(undone.irreversible)]).toEqual([
        ['Added Plain'],
        ['Added Mailed; Sent a mail'],
      ]);
      expect([...cards]).toEqual([]);
      const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
      await using later = fixture([], { domains, ...(isReopened && { conversation }) });
      const { session } = isReopened ? later : f;
      const redone = await session.redo();
      expect(names(redone.done)).toEqual(['Added Plain', 'Added Mailed; Sent a mail']);
      expect([...cards]).toEqual(['Plain', 'Mailed']);
      await session.undo();
      expect([...cards]).toEqual([]);
    },
  );

  it('a new turn clears redo', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('Hello.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.undo();
    expect(f.session.canRedo.value).toBe(true);
    await f.session.send('Hello');
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    expect(f.session.undoEntries.value).toEqual([]);
  });

  it('a turn with an effect that cannot be reapplied is not redoable', async () => {
    const board = createBoard();
    await using f = fixture(
      [
        callTools(addCard('A')),
        say('Done.'),
        callTools({ tool: 'board.drop', args: { title: 'A' } }),
        say('Done.'),
      ],
      { domains: [board.domain()], history: new UndoHistory() },
    );
    await f.session.send('Add');
    await f.session.send('Drop');
    await f.session.undo();
    expect(board.titles).toEqual(['A']);
    expect(f.session.canRedo.value).toBe(false);
    expect(f.session.canUndo.value).toBe(true);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('never touches the conversation, and changes its own record only', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('B');
    const conversation = f.session.conversation.value;
    const [first, second] = f.session.turns.value;
    await f.session.undo();
    expect(f.session.conversation.value).toBe(conversation);
    expect(f.session.turns.value[0]).toBe(first);
    expect(f.session.turns.value[1]).not.toBe(second);
    expect(f.session.turns.value[1]?.undo?.state).toBe('undone');
    expect(f.session.turns.value[1]?.rounds[0]?.parts[0]).toMatchObject({ reverted: true });
    expect(f.session.turns.value[1]?.rounds[1]).toBe(second?.rounds[1]);
    await f.session.redo();
    expect(f.session.conversation.value).toBe(conversation);
    expect(f.session.turns.value[1]?.undo?.state).toBe('redone');
    expect(f.session.turns.value[1]?.rounds[0]?.parts[0]).toMatchObject({ reverted: false });
  });

  it('while undo runs, the phase is `rolling-back` and other commands are refused', async () => {
    let release: () => void = () => {};
    const slow = spyTool('slow', {
      execute: (_args, context) =>
        context.undo({
          description: 'Slow',
          revert: () => new Promise<void>((resolve) => (release = resolve)),
          reapply: () => {},
        }),
    });
    await using f = fixture([callTools({ tool: 'board.slow' }), say('Done.')], {
      domains: domain(slow),
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    const undo = f.session.undo();
    await settle();
    expect(f.session.phase.value).toBe('rolling-back');
    for (const refused of [f.session.send('x'), f.session.undo(), f.session.redo(), f.session.retry()])
      expect((await rejection(refused)).code).toBe('already-running');
    // A cancel has nothing to end, and its report names the place where it landed.
    expect(await f.session.cancel()).toMatchObject({ landed: 'rolling-back', cancelled: false });
    release();
    expect(names((await undo).done)).toEqual(['Slow']);
    expect(f.session.phase.value).toBe('idle');
    expect(f.observed.types.slice(-3)).toEqual(['undoStarted', 'effectReverted', 'undone']);
    expect(f.observed.operations.at(-1)).not.toHaveProperty('turnId', expect.any(String));
  });

  it('send is accepted in the subscriber of undone', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('Next.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    let next: Promise<{ readonly text: string }> | undefined;
    atOperation(f.session, 'undone', () => (next = f.session.send('Next')));
    await f.session.undo();
    expect((await next)?.text).toBe('Next.');
  });

  it('U3 is refused while a turn runs, tool or not', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('Done.')], { domains: domain(slow) });
    const turn = f.session.send('Go');
    const run = await slow.next();
    expect((await rejection(f.session.undo())).code).toBe('already-running');
    expect((await rejection(f.session.redo())).code).toBe('already-running');
    run.settle();
    await turn;
  });

  it('works after a cancelled turn, on the committed turn before it', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), callTools(addCard('B')), stall()], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    void f.session.send('B');
    await settle();
    await f.session.cancel();
    expect(board.titles).toEqual(['A']);
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('works after a failed turn, on the committed turn before it', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), callTools(addCard('B')), fail('auth')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await rejection(f.session.send('B'));
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('a throwing subscriber of undoStarted does not block the session', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), {
      domains: [board.domain()],
      history: new UndoHistory(),
      reportsErrors: true,
    });
    await f.session.send('A');
    atOperation(f.session, 'undoStarted', () => {
      throw new Error('subscriber');
    });
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });
});

describe('a partial undo', () => {
  it('U2 reports the effects that failed, stays undoable, and another undo tries the rest alone', async () => {
    let broken = true;
    const good = vi.fn();
    const bad = vi.fn(() => (broken ? failed('locked') : undefined));
    const tool = (name: string, revert: () => void) =>
      spyTool(name, { execute: (_args, context) => context.undo({ description: name, revert }) });
    await using f = fixture([callTools({ tool: 'board.good' }, { tool: 'board.bad' }), say('Done.')], {
      domains: domain(tool('good', good), tool('bad', bad as () => void)),
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    const first = await f.session.undo();
    expect(names(first.done)).toEqual(['good']);
    expect(first.failed).toMatchObject([{ description: 'bad', reason: 'locked' }]);
    expect(f.session.undoEntries.value).toMatchObject([{ state: 'partly-undone', undoable: true }]);
    expect(f.session.canUndo.value).toBe(true);
    expect(f.session.turns.value[0]?.undo).toMatchObject({ state: 'partly-undone' });

    broken = false;
    const second = await f.session.undo();
    expect(names(second.done)).toEqual(['bad']);
    expect(good).toHaveBeenCalledTimes(1);
    expect(f.session.turns.value[0]?.undo).toMatchObject({ state: 'undone' });
    expect(f.session.canUndo.value).toBe(false);
  });

  it('a step of one call that was reverted is not reverted again', async () => {
    let broken = true;
    const first = vi.fn();
    const second = vi.fn(() => (broken ? failed('locked') : undefined));
    const work = spyTool('work', {
      execute(_args, context) {
        context.undo({ description: 'one', revert: second as () => void });
        context.undo({ description: 'two', revert: first });
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: domain(work),
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    expect((await f.session.undo()).failed).toHaveLength(1);
    broken = false;
    expect((await f.session.undo()).done).toHaveLength(1);
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(2);
  });

  it('a hanging revert is given up after 5 s', async () => {
    const work = spyTool('work', {
      execute: (_args, context) => context.undo({ description: 'x', revert: () => new Promise(() => {}) }),
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: domain(work),
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    const undo = f.session.undo();
    await f.clock.advance(5_000);
    expect(names((await undo).failed)).toEqual(['x']);
    expect(f.session.phase.value).toBe('idle');
  });

  it('a redo that fails in part lists the effects that are not there', async () => {
    const tool = (name: string, reapply: () => unknown) =>
      spyTool(name, {
        execute: (_args, context) =>
          context.undo({ description: name, revert: () => {}, reapply: reapply as () => void }),
      });
    await using f = fixture(
      [callTools({ tool: 'board.good' }, { tool: 'board.bad' }), say('Done.'), say('Hm.')],
      {
        domains: domain(
          tool('good', () => {}),
          tool('bad', () => failed('locked')),
        ),
        history: new UndoHistory(),
      },
    );
    await f.session.send('Go');
    await f.session.undo();
    const report = await f.session.redo();
    expect(names(report.done)).toEqual(['good']);
    expect(names(report.failed)).toEqual(['bad']);
    const parts = f.session.turns.value[0]?.rounds[0]?.parts;
    expect(parts).toMatchObject([{ reverted: false }, { reverted: true }]);
    await f.session.send('Next');
    const note = JSON.stringify(f.provider.requests.at(-1)?.messages.at(-1));
    expect(note).toMatch(/good/);
    expect(note).toMatch(/not in effect: \\"bad/);
  });
});
