// The session after a cancel, and tools that answer after the cancel.
import { describe, expect, it, vi } from 'vitest';
import { callTools, deaf, gate, gatedTool, recordingHistory, say, settle, stall } from '@banister/testing';
import { UndoHistory } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection } from './fixture.js';

describe('after a cancel', () => {
  it('X7 a send inside the terminal operation is accepted, and gets no event of the old turn', async () => {
    const late = gate();
    await using f = fixture([deaf(say(['old', late, ' late'])), say('New.')]);
    const sent: Promise<unknown>[] = [];
    atOperation(f.session, 'cancelled', () => sent.push(f.session.send('Next')));
    void f.session.send('Go');
    await late.reached;
    void f.session.cancel();
    late.open();
    await settle();
    await Promise.all(sent);
    expect(f.session.currentText.value).toBe('New.');
    const end = f.observed.operations.findIndex(isTerminal);
    const first = f.observed.operations[0]?.turnId;
    expect(f.observed.operations.slice(end + 1).some((op) => op.turnId === first)).toBe(false);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'user: Next',
      'assistant: New.',
    ]);
  });

  it('T15 U10 the effect of a tool that succeeds late is reverted at once and reported, and never answers another turn', async () => {
    const slow = gatedTool('slow');
    const reverted = vi.fn();
    await using f = fixture([callTools({ tool: 'board.slow' }), say('New.')], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    const run = await slow.next();
    const report = await f.session.cancel({ immediate: true });
    expect(names(report.undo.unknown)).toEqual(['board.slow']);
    await f.session.send('Next');
    run.context.undo({ description: 'Slow work', revert: reverted });
    run.settle('late');
    await settle();
    expect(reverted).toHaveBeenCalledTimes(1);
    const late = f.observed.operations.find((op) => op.type === 'lateToolSettled');
    expect(late).toMatchObject({
      tool: 'board.slow',
      target: 'turn_1',
      settlement: { outcome: 'succeeded', effect: 'reverted' },
    });
    expect(late).not.toHaveProperty('turnId', expect.any(String));
    const [part] = f.session.turns.value[0]?.rounds[0]?.parts ?? [];
    expect(part).toMatchObject({ late: { effect: 'reverted' }, reverted: true });
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'user: Next',
      'assistant: New.',
    ]);
  });

  it('T15 the late end of a tool is recorded only for its own call', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools(addCard('A'), { tool: 'app.slow' })], {
      domains: [createBoard().domain(), { id: 'app', tools: [slow] }],
    });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    run.settle('late');
    await settle();
    const [added, late] = f.session.turns.value[0]?.rounds[0]?.parts ?? [];
    expect(late).toMatchObject({ tool: 'app.slow', late: { outcome: 'succeeded' } });
    expect(added).toMatchObject({ tool: 'board.add', reverted: true });
    expect(added).not.toHaveProperty('late');
  });

  it('T15 a late success that cannot be reverted is reported as irreversible; a late failure has nothing to revert', async () => {
    const slow = gatedTool('slow');
    await using f = fixture(
      [
        callTools({ tool: 'board.slow' }),
        callTools({ tool: 'board.slow' }),
        callTools({ tool: 'board.slow' }),
      ],
      { domains: [{ id: 'board', tools: [slow] }], history: new UndoHistory() },
    );
    const ends: ((run: Awaited<ReturnType<typeof slow.next>>) => void)[] = [
      (run) => run.settle('late'),
      (run) => run.throw(new Error('late')),
      (run) => {
        run.context.undo({
          description: 'x',
          revert: () => {
            throw new Error('no');
          },
        });
        run.settle();
      },
    ];
    for (const end of ends) {
      void f.session.send('Go');
      const run = await slow.next();
      await f.session.cancel({ immediate: true });
      end(run);
      await settle();
    }
    const settlements = f.observed.operations.flatMap((op) =>
      op.type === 'lateToolSettled' ? [op.settlement] : [],
    );
    expect(settlements).toEqual([
      { outcome: 'succeeded', effect: 'irreversible' },
      { outcome: 'failed', effect: 'none' },
      { outcome: 'succeeded', effect: 'revert-failed', description: 'x' },
    ]);
  });

  it("`sideEffects: 'keep'` commits what was done, and the next request lists it", async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), stall('Two'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    const report = await f.session.cancel({ sideEffects: 'keep' });
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(report).toMatchObject({
      cancelled: true,
      undo: { done: [], failed: [], irreversible: [], lost: [], unknown: [] },
    });
    expect(names(report.completed)).toEqual(['Added A']);
    expect(board.titles).toEqual(['A']);
    expect(f.observed.types.slice(-3)).toEqual(['commitStarted', 'committed', 'cancelled']);
    await f.session.send('Next');
    expect(JSON.stringify(f.provider.requests.at(-1)?.messages)).toMatch(/cancelled.*kept.*Added A/s);
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it("with `sideEffects: 'keep'`, a commit that fails leads to a rollback", async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), stall('Two')], {
      domains: [board.domain()],
      history: recordingHistory({ commit: 'throw' }),
    });
    const turn = f.session.send('Go');
    await settle();
    await f.session.cancel({ sideEffects: 'keep' });
    expect((await rejection(turn)).code).toBe('undo-failed');
    expect(board.titles).toEqual([]);
  });

  it('X3 the next request is accepted although the batch was cut between two calls', async () => {
    const slow = gatedTool('slow');
    await using f = fixture(
      [callTools({ tool: 'board.slow', id: 'x' }, { tool: 'board.slow', id: 'y' }), say('Fine.')],
      { domains: [{ id: 'board', tools: [slow] }], history: new UndoHistory() },
    );
    void f.session.send('Go');
    await slow.next();
    await f.session.cancel({ immediate: true });
    expect((await f.session.send('Next')).text).toBe('Fine.');
    for (const run of slow.runs) run.settle();
    await settle();
  });

  it('X4 no rejection stays unhandled', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      await using f = fixture([stall('Hm')]);
      void f.session.send('Go');
      await settle();
      void f.session.cancel();
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(unhandled).not.toHaveBeenCalled();
      expect(f.session.lastOutcome.value?.status).toBe('cancelled');
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });
});
