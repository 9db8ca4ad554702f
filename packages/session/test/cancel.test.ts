// What cancelling promises beside the cells of its table.
import { describe, expect, it, vi } from 'vitest';
import {
  callInside,
  callTools,
  deaf,
  finishWith,
  forcedGuard,
  gate,
  gatedTool,
  recordingHistory,
  say,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import { callsOf, defineTool, effect, UndoHistory, type CancelReport } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, rejection, terminals } from './fixture.js';

describe('a second cancel', () => {
  it('a second `cancel()` is an abort', async () => {
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
    const requested = f.observed.operations.flatMap((op) =>
      op.type === 'cancelRequested' ? [op.level] : [],
    );
    expect(requested).toEqual(['cancel', 'abort']);
    run.settle();
    await settle();
  });

  it('a third `cancel()` changes nothing', async () => {
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

  it('does not change whether the effects are kept', async () => {
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

describe('a plain cancel', () => {
  it.each([
    ['a readOnly tool', { capabilities: ['readOnly'] }],
    ['an abortable tool', { abortable: true }],
  ] as const)('cuts %s: its signals fire, and the turn ends without it', async (_name, options) => {
    const slow = gatedTool('slow', options);
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    const { signal, cancelled } = run.context;
    const report = f.session.cancel();
    expect([signal.aborted, cancelled.aborted]).toEqual([true, true]);
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(await report).toMatchObject({ landed: 'executing', skipped: [] });
    expect(f.observed.operations).toContainEqual(
      expect.objectContaining({ type: 'cancelRequested', level: 'cancel' }),
    );
    run.settle();
    await settle();
  });

  it('lets any other tool finish; its `context.cancelled` fires', async () => {
    const cards: string[] = [];
    const work = defineTool({
      name: 'work',
      description: 'Adds cards until the turn is cancelled.',
      parameters: { type: 'object', properties: {} },
      async execute(_args, { cancelled, signal, undo }) {
        while (!cancelled.aborted) await settle();
        cards.push('Last');
        undo({ description: 'Added a card', revert: () => void cards.pop() });
        return { aborted: signal.aborted };
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' })], {
      domains: [{ id: 'board', tools: [work] }],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    const report = f.session.cancel();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect((await report).undo.done.map(({ description }) => description)).toEqual(['Added a card']);
    const [call] = callsOf(f.session.turns.value[0]?.rounds[0]);
    expect(call?.result?.content).toEqual([{ type: 'json', value: { aborted: false } }]);
    expect(cards).toEqual([]);
  });

  it.each(['rollback', 'keep'] as const)(
    'undoes the effect of an abortable tool that succeeds in spite of the abort (%s)',
    async (sideEffects) => {
      const board = createBoard();
      const cards: string[] = [];
      const stubborn = gatedTool('stubborn', { abortable: true });
      await using f = fixture([callTools(addCard('A'), { tool: 'board.stubborn' })], {
        domains: [board.domain(stubborn)],
        history: new UndoHistory(),
      });
      const turn = f.session.send('Go');
      const run = await stubborn.next();
      void f.session.cancel({ sideEffects });
      expect((await rejection(turn)).code).toBe('cancelled');
      cards.push('Late');
      run.context.undo({ description: 'Added "Late"', revert: () => void cards.pop() });
      run.settle();
      await settle();
      expect(cards).toEqual([]);
      expect(board.titles).toEqual(sideEffects === 'keep' ? ['A'] : []);
      expect(f.observed.operations.at(-1)).toMatchObject({
        type: 'lateToolSettled',
        settlement: { outcome: 'succeeded', effect: 'reverted' },
      });
    },
  );

  it('waits for a call of the same batch that is not aborted', async () => {
    const [quick, whole] = [
      gatedTool('quick', { abortable: true, parallel: true }),
      gatedTool('whole', { parallel: true }),
    ];
    await using f = fixture([callTools({ tool: 'board.quick' }, { tool: 'board.whole' })], {
      domains: [{ id: 'board', tools: [quick, whole] }],
    });
    const turn = f.session.send('Go');
    const [first, second] = [await quick.next(), await whole.next()];
    void f.session.cancel();
    await settle();
    expect([first.context.signal.aborted, second.context.signal.aborted]).toEqual([true, false]);
    expect(f.session.phase.value).toBe('cancelling');
    // The call that was cut returns while the turn still runs.
    first.settle();
    await settle();
    second.settle();
    expect((await rejection(turn)).code).toBe('cancelled');
    const [cutCall, wholeCall] = callsOf(f.session.turns.value[0]?.rounds[0]);
    expect([cutCall?.late?.outcome, wholeCall?.result?.outcome]).toEqual(['succeeded', 'success']);
  });

  it('does not abort a call that the handler approves after the cancel', async () => {
    const asked = gate();
    const slow = gatedTool('slow', { abortable: true });
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: async () => {
        await asked.pass();
        return { approve: true };
      },
    });
    const turn = f.session.send('Go');
    await asked.reached;
    void f.session.cancel();
    asked.open();
    const run = await slow.next();
    await settle();
    expect([run.context.signal.aborted, run.context.cancelled.aborted]).toEqual([false, false]);
    run.settle();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(callsOf(f.session.turns.value[0]?.rounds[0])[0]?.result?.outcome).toBe('success');
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

  it('the option `signal` aborts the turn', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
    });
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

  it('a signal that fires after its turn does not affect the next turn', async () => {
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
  it('X9 unsubscribing from `turn$` aborts the turn, once', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const subscription = f.session.turn$('Go').subscribe();
    const run = await slow.next();
    subscription.unsubscribe();
    expect(run.context.signal.aborted).toBe(true);
    await settle();
    expect(terminals(f)).toEqual(['cancelled']);
    expect(f.session.isRunning.value).toBe(false);
  });

  it('unsubscribing from `operations$` stops nothing: the turn continues', async () => {
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
  it.each([{}, { immediate: true }])(
    'does not delay the end, and its later events are ignored (%o)',
    async (options) => {
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
    },
  );

  it('settles within a microtask turn, without a timer', async () => {
    await using f = fixture([deaf(stall('Hm'))]);
    const turn = f.session.send('Go');
    await settle();
    void f.session.cancel();
    // No effect was recorded, so that no rollback is awaited: the turn has ended when cancel() returns.
    expect(f.session.isRunning.value).toBe(false);
    expect((await rejection(turn)).code).toBe('cancelled');
  });
});

describe('cancel from inside', () => {
  it('X10 a subscriber may cancel at any operation', async () => {
    for (const type of [
      'turnStarted',
      'messagesAppended',
      'roundStarted',
      'modelCallStarted',
      'text',
    ] as const) {
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

  it('a confirmation handler may cancel; the call that it approves still runs and is rolled back', async () => {
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

  it.each(['fail', 'stop', 'ask'] as const)(
    'a call that reaches a limit after a cancel leaves the turn cancelled, with onTrip: %s',
    async (onTrip) => {
      const board = createBoard();
      const calls = [callInside(addCard('A')), callInside(addCard('B'))];
      await using f = fixture([finishWith('stop', ...calls, 'Done.')], {
        domains: [board.domain()],
        history: new UndoHistory(),
        limits: { maxToolCalls: 1, onTrip },
        guards: [
          forcedGuard('ask the second', () => (board.titles.length === 0 ? 'allow' : { confirm: 'Really?' })),
        ],
        confirm: () => {
          void f.session.cancel({ sideEffects: 'keep' });
          return { approve: true };
        },
      });
      expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
      expect(f.observed.types).toContain('confirmationResolved');
      expect(f.observed.types).not.toContain('rollbackStarted');
      expect(board.titles).toEqual(['A']);
    },
  );

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

describe('cancel while something of the app hangs', () => {
  it('a tool whose effect the history never records ends with an abort', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      history: recordingHistory({ record: 'hang' }),
    });
    const turn = f.session.send('Go');
    await settle();
    const report = await f.session.cancel({ immediate: true });
    expect((await rejection(turn)).code).toBe('cancelled');
    // The report lists each effect that is still there, also where the history left it out.
    const { done, failed, irreversible } = report.undo;
    expect([...done, ...failed, ...irreversible]).toHaveLength(1);
    expect(done).toHaveLength(board.titles.length === 0 ? 1 : 0);
  });

  it('a provider that hangs while it checks the tools delays nothing', async () => {
    await using f = fixture([], { domains: [createBoard().domain()] });
    const provider = Object.assign(Object.create(f.provider), { validateTools: () => new Promise(() => {}) });
    f.session.configure({ provider });
    const turn = f.session.send('Go');
    await settle();
    expect((await f.session.cancel()).landed).toBe('preparing');
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('a hanging commit of kept effects times out and is rolled back', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), stall()], {
      domains: [board.domain()],
      history: recordingHistory({ commit: 'hang' }),
    });
    const turn = f.session.send('Go');
    await settle();
    const cancel = f.session.cancel({ sideEffects: 'keep' });
    await f.clock.advance(5_000);
    expect((await cancel).cancelled).toBe(false);
    expect((await rejection(turn)).code).toBe('undo-failed');
    expect(board.titles).toEqual([]);
  });

  it('a session that is disposed while a tool ignores its signal leaves nothing when the tool answers', async () => {
    const slow = gatedTool('slow');
    const revert = vi.fn();
    const f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    const run = await slow.next();
    await f[Symbol.asyncDispose]();
    const { length } = f.observed.operations;
    run.context.undo({ description: 'late', revert });
    run.settle();
    await settle();
    // The disposed session delivers no operation for the late success, and still reverts its effect.
    expect(revert).toHaveBeenCalledTimes(1);
    expect(f.observed.operations).toHaveLength(length);
    expect(f.clock.pending).toBe(0);
  });
});

describe('effects', () => {
  it('an effect may send when `isRunning` becomes false; the new turn begins after the old turn has ended completely', async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    const later: Promise<unknown>[] = [];
    const end = effect(() => {
      if (!f.session.isRunning.value && f.session.turns.value.length === 1 && later.length === 0)
        later.push(f.session.send('Next'));
    });
    expect((await f.session.send('Go')).text).toBe('One.');
    await Promise.all(later);
    end();
    expect(f.session.currentText.value).toBe('Two.');
    const turns = f.observed.operations.map((operation) => operation.turnId);
    expect(turns).toEqual(turns.toSorted());
  });
});
