// What cancelling promises beside the cells of its table.
import { describe, expect, it, vi } from 'vitest';
import { callTools, deaf, forcedGuard, gate, gatedTool, recordingHistory, say, settle, spyTool, stall } from '@handrail/testing';
import { isTerminal, UndoHistory, type CancelReport } from '@handrail/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection, terminals } from './fixture.js';

describe('a second cancel', () => {
  it('is an abort: running tools are cut', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    const first = f.session.cancel();
    await settle();
    expect(f.session.phase.value).toBe('cancelling');
    const second = f.session.cancel();
    await settle();
    expect(run.context.signal.aborted).toBe(true);
    expect((await rejection(turn)).code).toBe('cancelled');
    expect((await first).landed).toBe('executing');
    expect((await second).landed).toBe('cancelling');
    const requested = f.observed.operations.flatMap((op) => (op.type === 'cancelRequested' ? [op.level] : []));
    expect(requested).toEqual(['cancel', 'abort']);
    run.settle();
    await settle();
  });

  it('a third one adds nothing', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    const run = await slow.next();
    const reports = await Promise.all([f.session.cancel(), f.session.cancel(), f.session.cancel()]);
    expect(reports.map((report) => report.landed)).toEqual(['executing', 'cancelling', 'rolling-back']);
    expect(f.observed.types.filter((type) => type === 'cancelRequested')).toHaveLength(2);
    run.settle();
    await settle();
  });

  it('does not change what becomes of the effects', async () => {
    const board = createBoard();
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools(addCard('A'), { tool: 'board.slow' })], {
      domains: [board.domain(slow)],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    await slow.next();
    void f.session.cancel({ sideEffects: 'keep' });
    await f.session.cancel();
    expect(board.titles).toEqual(['A']);
  });
});

describe('the signal option', () => {
  it('X2 a signal that is aborted already rejects, sends nothing and changes nothing', async () => {
    await using f = fixture([]);
    const before = f.session.state;
    const error = await rejection(f.session.send('Go', { signal: AbortSignal.abort() }));
    expect(error.code).toBe('cancelled');
    expect(f.session.state).toBe(before);
    expect(f.observed.operations).toEqual([]);
    expect(f.provider.requests).toHaveLength(0);
  });

  it('aborts the turn when it fires', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.slow' })], { domains: [{ id: 'board', tools: [slow] }] });
    const controller = new AbortController();
    const turn = f.session.send('Go', { signal: controller.signal });
    const run = await slow.next();
    controller.abort();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(run.context.signal.aborted).toBe(true);
    expect(f.observed.operations).toContainEqual(
      expect.objectContaining({ type: 'cancelRequested', level: 'abort' }),
    );
  });

  it('X5 leaves no listener on a signal that lives longer than the turns', async () => {
    await using f = fixture(Array.from({ length: 5 }, () => say('Hello.')));
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    for (let i = 0; i < 5; i++) await f.session.send('Go', { signal });
    expect(added).toHaveBeenCalledTimes(5);
    expect(removed).toHaveBeenCalledTimes(5);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });

  it('a signal that fires after its turn does nothing to the next one', async () => {
    const more = gate();
    await using f = fixture([say('Hello.'), say(['Hel', more, 'lo.'])]);
    const controller = new AbortController();
    await f.session.send('Go', { signal: controller.signal });
    const next = f.session.send('Again');
    await more.reached;
    controller.abort();
    more.open();
    expect((await next).text).toBe('Hello.');
  });
});

describe('unsubscribing', () => {
  it('X9 turn$ aborts the turn, once', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.slow' })], { domains: [{ id: 'board', tools: [slow] }] });
    const subscription = f.session.turn$('Go').subscribe();
    const run = await slow.next();
    subscription.unsubscribe();
    expect(run.context.signal.aborted).toBe(true);
    await settle();
    expect(terminals(f)).toEqual(['cancelled']);
    expect(f.session.isRunning.value).toBe(false);
  });

  it('operations$ stops nothing: watching is not running', async () => {
    const more = gate();
    await using f = fixture([say(['Hel', more, 'lo.'])]);
    const subscription = f.session.operations$.subscribe();
    const turn = f.session.send('Go');
    await more.reached;
    subscription.unsubscribe();
    more.open();
    expect((await turn).text).toBe('Hello.');
  });
});

describe('a provider that ignores its signal', () => {
  it.each([{}, { immediate: true }])('delays nothing, and what it still says is lost (%o)', async (options) => {
    const late = gate();
    await using f = fixture([deaf(say(['early', late, ' too late']))]);
    const turn = f.session.send('Go');
    await late.reached;
    const report = await f.session.cancel(options);
    expect(report.cancelled).toBe(true);
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(f.provider.streams[0]?.aborted).toBe(true);
    const { length } = f.observed.operations;
    late.open();
    await settle();
    expect(f.observed.operations).toHaveLength(length);
    expect(f.session.currentText.value).toBe('early');
  });

  it('settles within a microtask turn, without a timer', async () => {
    await using f = fixture([deaf(stall('Hm'))]);
    const turn = f.session.send('Go');
    await settle();
    void f.session.cancel();
    // Nothing was recorded and nothing has to be awaited: the turn is over when cancel() returns.
    expect(f.session.isRunning.value).toBe(false);
    expect((await rejection(turn)).code).toBe('cancelled');
  });
});

describe('cancel from inside', () => {
  it('X10 a subscriber may cancel at any operation', async () => {
    for (const type of ['turnStarted', 'messagesAppended', 'roundStarted', 'modelCallStarted', 'text'] as const) {
      await using f = fixture([say('Hello.')], { looseScript: true });
      let report: Promise<CancelReport> | undefined;
      atOperation(f.session, type, () => (report = f.session.cancel()));
      expect((await rejection(f.session.send('Go'))).code, type).toBe('cancelled');
      expect((await report)?.cancelled, type).toBe(true);
      expect(outline(f.session.conversation.value.messages), type).toEqual(['user: Go']);
    }
  });

  it('T18 a tool may cancel; it finishes, nothing after it starts', async () => {
    const board = createBoard();
    const stopper = spyTool('stopper', { execute: () => void f.session.cancel() });
    await using f = fixture([callTools({ tool: 'board.stopper' }, addCard('B'))], {
      domains: [board.domain(stopper)],
      history: new UndoHistory(),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(f.observed.types).toContain('toolCompleted');
    expect(board.titles).toEqual([]);
    expect(stopper.runs[0]?.context.signal.aborted).toBe(false);
  });

  it('a guard may cancel; no tool starts', async () => {
    const guard = forcedGuard('stopper', () => {
      void f.session.cancel();
      return 'allow';
    });
    await using f = fixture([callTools(addCard('A'))], {
      domains: [createBoard().domain()],
      guards: [guard],
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(f.observed.types).not.toContain('toolStarted');
  });

  it('a confirmation handler may cancel; what it approves still runs and is rolled back', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B'))], {
      domains: [board.domain()],
      history: new UndoHistory(),
      guards: [forcedGuard('ask', { confirm: 'Really?' })],
      confirm: () => {
        void f.session.cancel();
        return { approve: true };
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(f.observed.types.filter((type) => type === 'toolStarted')).toHaveLength(1);
    expect(board.titles).toEqual([]);
  });

  it('a context source may cancel', async () => {
    await using f = fixture([], {
      context: [
        {
          id: 'stopper',
          policy: 'always',
          summary: () => {
            void f.session.cancel();
            return 'x';
          },
        },
      ],
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(f.provider.requests).toHaveLength(0);
  });
});

describe('after a cancel', () => {
  it('X7 send at once is accepted in the terminal operation, and gets no event of the old turn', async () => {
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
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'user: Next', 'assistant: New.']);
  });

  it('T15 U10 a tool that succeeds late is compensated at once, reported, and never answers another turn', async () => {
    const slow = gatedTool('slow');
    const reverted = vi.fn();
    await using f = fixture([callTools({ tool: 'board.slow' }), say('New.')], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    const run = await slow.next();
    const report = await f.session.cancel({ immediate: true });
    expect(names(report.undo.failed)).toEqual(['board.slow']);
    expect(report.undo.failed[0]?.reason).toMatch(/still running/);
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
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'user: Next', 'assistant: New.']);
  });

  it('T15 a late success without a way back is reported as irreversible, a late failure as nothing to revert', async () => {
    const slow = gatedTool('slow');
    await using f = fixture(
      [callTools({ tool: 'board.slow' }), callTools({ tool: 'board.slow' }), callTools({ tool: 'board.slow' })],
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
    const settlements = f.observed.operations.flatMap((op) => (op.type === 'lateToolSettled' ? [op.settlement] : []));
    expect(settlements).toEqual([
      { outcome: 'succeeded', effect: 'irreversible' },
      { outcome: 'failed', effect: 'none' },
      { outcome: 'succeeded', effect: 'revert-failed' },
    ]);
  });

  it('sideEffects keep: commits what was done, undoable as one, and tells the model', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), stall('Two'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    const report = await f.session.cancel({ sideEffects: 'keep' });
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(report).toMatchObject({ cancelled: true, undo: { done: [], failed: [], irreversible: [] } });
    expect(names(report.completed)).toEqual(['Added A']);
    expect(board.titles).toEqual(['A']);
    expect(f.observed.types.slice(-3)).toEqual(['commitStarted', 'committed', 'cancelled']);
    await f.session.send('Next');
    expect(JSON.stringify(f.provider.requests.at(-1)?.messages)).toMatch(/cancelled.*kept.*Added A/s);
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('sideEffects keep whose commit fails rolls back after all', async () => {
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

  it('X4 nobody sees an unhandled rejection', async () => {
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
