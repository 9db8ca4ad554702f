// The built-in undo history is the default.
import { describe, expect, it } from 'vitest';
import { callTools, say, settle, stall } from '@banister/testing';
import { createAgentSession, type SessionOptions } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection } from './fixture.js';

const addTurn = [callTools(addCard('A')), say('Done.')];

describe('a session without the option history', () => {
  it('D4: the built-in history is the default', async () => {
    const board = createBoard();
    await using f = fixture(addTurn, { domains: [board.domain()] });
    await f.session.send('Go');
    expect(f.session.canUndo.value).toBe(true);
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.titles).toEqual([]);
    await f.session.redo();
    expect(board.titles).toEqual(['A']);
  });

  it('D4: history null turns undo off', async () => {
    const board = createBoard();
    await using f = fixture(addTurn, { domains: [board.domain()], history: null });
    await f.session.send('Go');
    expect(f.session.canUndo.value).toBe(false);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
    expect(board.titles).toEqual(['A']);
  });

  it('D4: an option `history` that is not a history is refused', () => {
    const wrong = { provider: { id: 'x', stream() {} }, history: 'yes' } as unknown as SessionOptions;
    expect(() => createAgentSession(wrong)).toThrow(/history/);
  });

  it('D4: a cancel of a turn that did nothing ends it before cancel returns', async () => {
    await using f = fixture([stall('Hm')], { domains: [createBoard().domain()] });
    void f.session.send('Go');
    await settle();
    void f.session.cancel();
    expect(f.session.isRunning.value).toBe(false);
    expect(f.observed.types.slice(-4)).toEqual([
      'cancelRequested',
      'rollbackStarted',
      'rolledBack',
      'cancelled',
    ]);
  });

  it('D4: a turn without effects ends after as many microtasks as without a history', async () => {
    expect(await microtasksOfCommit({})).toBe(await microtasksOfCommit({ history: null }));
  });
});

/** How many microtasks pass between `commitStarted` and the end of a turn without effects. */
async function microtasksOfCommit(options: Partial<SessionOptions>): Promise<number> {
  await using f = fixture([say('Hello.')], options);
  let microtasks = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    microtasks++;
    void Promise.resolve().then(count);
  };
  f.session.operations$.subscribe(({ type }) => {
    if (type === 'commitStarted') count();
    if (type === 'completed') isOver = true;
  });
  await f.session.send('Go');
  return microtasks;
}
