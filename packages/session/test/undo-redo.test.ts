// Section 7 of the contract: undo and redo of committed turns.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, gatedTool, recordingHistory, say, settle, spyTool, stall } from '@handrail/testing';
import { failed, UndoHistory, type Tool } from '@handrail/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('undo', () => {
  it('reverts the last committed turn as one; redo does it again', async () => {
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

  it('U4 turns go in reverse order and come back in order; a further undo has nothing to do', async () => {
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
      [callTools(addCard('A')), say('Done.'), callTools({ tool: 'board.drop', args: { title: 'A' } }), say('Done.')],
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

  it('shows the phase rolling-back while it runs, and takes no other command', async () => {
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
    // A cancel has nothing to end, and says where it landed.
    expect(await f.session.cancel()).toMatchObject({ landed: 'rolling-back', cancelled: false });
    release();
    expect(names((await undo).done)).toEqual(['Slow']);
    expect(f.session.phase.value).toBe('idle');
    expect(f.observed.types.slice(-2)).toEqual(['undoStarted', 'undone']);
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

  it('a throwing subscriber of undoStarted does not wedge the session', async () => {
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
  it('U2 reports what failed, stays undoable, and another undo tries the rest alone', async () => {
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

  it('a redo that fails in part says which effects are not there', async () => {
    const tool = (name: string, reapply: () => unknown) =>
      spyTool(name, {
        execute: (_args, context) =>
          context.undo({ description: name, revert: () => {}, reapply: reapply as () => void }),
      });
    await using f = fixture([callTools({ tool: 'board.good' }, { tool: 'board.bad' }), say('Done.'), say('Hm.')], {
      domains: domain(
        tool('good', () => {}),
        tool('bad', () => failed('locked')),
      ),
      history: new UndoHistory(),
    });
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
    expect(note).toMatch(/not in effect: bad/);
  });
});

describe('notes to the model', () => {
  const noteOf = (messages: readonly { readonly parts: readonly unknown[] }[] | undefined) =>
    JSON.stringify(messages?.at(-1)?.parts);

  it('tell of an undo, in the next request only as a copy', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.undo();
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/undid these effects: Added A \(board\.add\)/);
    expect(outline(f.session.conversation.value.messages).at(-2)).toBe('user: Next');
  });

  it('tell of a redo', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.undo();
    await f.session.redo();
    await f.session.send('Next');
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toMatch(/re-did.*in effect: Added A/);
  });

  it('tell of a cancel and of what it left behind', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), { tool: 'board.mail' }), stall(), say('I see.')], {
      domains: [board.domain(spyTool('mail', { execute: (_args, c) => c.irreversible('Sent a mail') }))],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/cancelled/);
    expect(note).toMatch(/reverted: Added A/);
    expect(note).toMatch(/still in effect: Sent a mail/);
  });

  it('are not there when nothing has to be told', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('Next');
    expect(f.provider.requests.at(-1)?.messages).toEqual(f.session.conversation.value.messages.slice(0, -1));
  });

  it('a retried turn is told of effects that are still there, though its messages are gone', async () => {
    await using f = fixture([callTools({ tool: 'board.mail' }), fail('auth'), say('I see.')], {
      domains: domain(spyTool('mail', { execute: (_args, c) => c.irreversible('Sent a mail') })),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    await f.session.retry();
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toMatch(/still in effect: Sent a mail/);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: I see.']);
  });
});

describe('custom histories', () => {
  it('begin that throws fails the turn with undo-failed, before anything is asked', async () => {
    const history = recordingHistory({ begin: 'throw' });
    await using f = fixture([], { history });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    expect(f.provider.requests).toHaveLength(0);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    history.faults = {};
    f.provider.push(say('Fine.'));
    expect((await f.session.retry()).text).toBe('Fine.');
  });

  it('commit that throws rolls back and fails the turn with undo-failed; no assistant message', async () => {
    const board = createBoard();
    const history = recordingHistory({ commit: 'throw' });
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('undo-failed');
    expect(history.calls.map((call) => call.method)).toEqual(['begin', 'record', 'commit', 'rollback']);
    expect(board.titles).toEqual([]);
    expect(outline(f.session.conversation.value.messages).at(-1)).toBe('user: result success');
    expect(f.observed.types).not.toContain('committed');
  });

  it('commit that hangs is given up, and rolled back', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), {
      domains: [board.domain()],
      history: recordingHistory({ commit: 'hang' }),
    });
    const turn = f.session.send('Go');
    await f.clock.advance(5_000);
    expect((await rejection(turn)).code).toBe('undo-failed');
    expect(board.titles).toEqual([]);
  });

  it('record that throws fails the turn, and what was done is still rolled back or reported', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      history: recordingHistory({ record: 'throw' }),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    const report = f.session.lastOutcome.value?.report;
    const mentioned = [...(report?.done ?? []), ...(report?.failed ?? []), ...(report?.irreversible ?? [])];
    expect(names(mentioned)).toEqual(['Added A']);
    expect(names(report?.done ?? [])).toEqual(board.titles.length === 0 ? ['Added A'] : []);
  });

  it.each(['throw', 'hang'] as const)('rollback that fails (%s) reports every effect as still there', async (fault) => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), fail('auth')], {
      domains: [board.domain()],
      history: recordingHistory({ rollback: fault }),
    });
    const turn = f.session.send('Go');
    await f.clock.advance(60_000);
    await rejection(turn);
    expect(board.titles).toEqual(['A', 'B']);
    expect(f.session.lastOutcome.value?.report?.done).toEqual([]);
    expect(names(f.session.lastOutcome.value?.report?.failed ?? []).toSorted()).toEqual(['Added A', 'Added B']);
  });

  it.each(['throw', 'hang'] as const)('revert that fails (%s) leaves the turn undoable and says so', async (fault) => {
    const board = createBoard();
    const history = recordingHistory({ revert: fault });
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history });
    await f.session.send('Go');
    const undo = f.session.undo();
    await f.clock.advance(60_000);
    expect(names((await undo).failed)).toEqual(['Added A']);
    expect(f.session.canUndo.value).toBe(true);
    history.faults = {};
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.titles).toEqual([]);
  });

  it('one that forgets an entry is corrected: the effect is reported as irreversible', async () => {
    await using f = fixture([callTools({ tool: 'board.one' }, { tool: 'board.two' }), fail('auth')], {
      domains: domain(spyTool('one'), spyTool('two')),
      history: {
        begin: () => ({
          record: () => {},
          commit: () => Promise.reject(new Error('unused')),
          rollback: () =>
            Promise.resolve({
              done: [{ toolCallId: 'call_1', toolName: 'board.one', description: 'board.one' }],
              failed: [],
              irreversible: [],
            }),
        }),
      },
    });
    await rejection(f.session.send('Go'));
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['board.one']);
    expect(names(f.session.lastOutcome.value?.report?.irreversible ?? [])).toEqual(['board.two']);
  });

  it('one that opens after the turn ended is rolled back at once', async () => {
    let arrive: () => void = () => {};
    const rollback = vi.fn(() => Promise.resolve({ done: [], failed: [], irreversible: [] }));
    await using f = fixture([], {
      history: {
        begin: () =>
          new Promise((resolve) => {
            arrive = () =>
              resolve({ record: () => {}, commit: () => Promise.reject(new Error('unused')), rollback });
          }),
      },
    });
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    arrive();
    await settle();
    expect(rollback).toHaveBeenCalledTimes(1);
  });

  it('one that answers nonsense does not break the session', async () => {
    await using f = fixture([callTools({ tool: 'board.one' }), fail('auth')], {
      domains: domain(spyTool('one')),
      history: {
        begin: () => ({
          record: () => {},
          commit: () => Promise.reject(new Error('unused')),
          rollback: () => Promise.resolve(undefined as never),
        }),
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('auth');
    expect(names(f.session.lastOutcome.value?.report?.failed ?? [])).toEqual(['board.one']);
  });
});
