// The state of branches, folded from the operations.
import { describe, expect, it } from 'vitest';
import { type AnswerSource, callTools, checkOrder, fail, say } from '@banister/testing';
import type { Operation, SessionState } from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type Fixture } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

/** A failed turn with two retries, between two other turns. */
async function retriedTwice(): Promise<Fixture> {
  const answers: AnswerSource[] = [say('Hi.'), fail('auth'), fail('auth'), say('Done.'), say('Bye.')];
  const f = fixture(answers);
  await f.session.send('Hello');
  await rejection(f.session.send('Go'));
  await rejection(f.session.retry());
  await f.session.retry();
  await f.session.send('Thanks');
  return f;
}

const three = ['turn_2', 'turn_3', 'turn_4'];
const branches = {
  turn_2: { position: 1, ids: three },
  turn_3: { position: 2, ids: three },
  turn_4: { position: 3, ids: three },
};

const undoEffects = (state: SessionState, branch: 'goes-on' | 'ends'): readonly Operation[] => {
  const [target] = state.turns.map(({ id }) => id);
  const item = { toolCallId: 'call_1', toolName: 'board.add', description: 'Added A' };
  const report = { done: [item], failed: [], irreversible: [], lost: [], unknown: [] };
  const stamp = { sequence: state.sequence + 1, at: 1_000 };
  return [
    { type: 'undoStarted', target: target!, branch: true, ...stamp },
    { type: 'undone', target: target!, report, redoable: true, moved: {}, branch, ...stamp },
  ];
};

async function withOneEffect(): Promise<Fixture> {
  const f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
  await f.session.send('Go');
  return f;
}

describe('branches', () => {
  it('`branches` has an entry for each turn that has siblings', async () => {
    await using f = await retriedTwice();
    expect(f.session.branches.value).toEqual(branches);
    const { turn_2, turn_4 } = f.session.branches.value;
    expect(turn_4?.ids).toBe(turn_2?.ids);
  });

  it('has the running turn from its start on, and is the same object otherwise', async () => {
    await using f = await retriedTwice();
    const changes: string[] = [];
    let state = initialState();
    for (const operation of f.observed.operations) {
      const next = apply(state, operation);
      if (next.branches !== state.branches)
        changes.push(`${operation.type} ${Object.keys(next.branches).join(' ')}`);
      state = next;
    }
    expect(changes).toEqual(['turnStarted turn_2 turn_3', 'turnStarted turn_2 turn_3 turn_4']);
  });

  it('is the same after opening a save, and after opening a log', async () => {
    await using f = await retriedTwice();
    const saved = JSON.parse(JSON.stringify(f.session.save()));
    const second = createSession([], { conversation: saved });
    expect(second.session.branches.value).toEqual(branches);
    const restored = { snapshot: null, records: recordsOf([f.observed.operations]) };
    const third = createSession([], { restored });
    await opened(third.session);
    expect(third.session.branches.value).toEqual(branches);
    await second.session.dispose();
    await third.session.dispose();
  });
});

describe('a step of a branch command', () => {
  it('runs until it ends, and nothing can be undone or redone meanwhile', async () => {
    await using f = await withOneEffect();
    const { state } = f.session;
    const [started, undone] = undoEffects(state, 'goes-on');
    const during = apply(state, started!);
    expect(during).toMatchObject({ isRunning: true, phase: 'rolling-back', canUndo: false });
    const between = apply(during, undone!);
    expect(between).toMatchObject({ isRunning: true, phase: 'rolling-back', canUndo: false, canRedo: false });
    expect(between.turns[0]?.undo).toMatchObject({ state: 'undone', by: 'branch' });
    expect(between.undoEntries).toMatchObject([{ state: 'undone', redoable: false, by: 'branch' }]);
    const [, last] = undoEffects(state, 'ends');
    expect(apply(during, last!)).toMatchObject({ isRunning: false, phase: 'idle', canRedo: false });
    const move = { type: 'headMoved', from: 'turn_1', to: null, stays: [], sequence: 99, at: 1_000 } as const;
    const moved = apply(between, move);
    expect(moved).toMatchObject({ isRunning: false, phase: 'idle', canRedo: false });
    expect(moved.undoEntries).toMatchObject([{ offPath: true, state: 'undone' }]);
  });

  it('between two steps, the next owner of the log finds the command ended', async () => {
    await using f = await withOneEffect();
    const between = undoEffects(f.session.state, 'goes-on').reduce(apply, f.session.state);
    const owner = { type: 'ownerChanged', epoch: 2, reason: 'opened', revertible: [] } as const;
    const taken = apply(between, { ...owner, sequence: between.sequence + 1, at: 1_000 });
    expect(taken).toMatchObject({ isRunning: false, phase: 'idle', interrupted: null });
  });

  it('is followed by another step or by the move of the head; otherwise the order checker complains', async () => {
    await using f = await withOneEffect();
    const log = f.observed.operations;
    const next = log.length + 1;
    const [started, undone] = undoEffects(f.session.state, 'goes-on');
    const open = [...log, { ...started!, sequence: next }, { ...undone!, sequence: next + 1 }];
    const after = (operation: object) =>
      checkOrder([...open, { sequence: next + 2, at: 1_000, ...operation } as Operation]);
    const move = { type: 'headMoved', from: 'turn_1', to: null, stays: [] };
    expect(after(move)).toEqual([]);
    expect(after({ type: 'undoStarted', target: 'turn_1', branch: true })).toEqual([]);
    const problem = 'the branch command before it has not ended';
    expect(after({ type: 'undoStarted', target: 'turn_1' })[0]).toContain(problem);
    expect(after({ type: 'turnStarted', turnId: 'turn_2', parentId: 'turn_1' })[0]).toContain(problem);
    expect(after({ type: 'disposed' })[0]).toContain(problem);
    const mixed = [...log, { ...started!, sequence: next, branch: undefined }, open.at(-1)!] as Operation[];
    expect(checkOrder(mixed)[0]).toContain('not both');
  });
});
