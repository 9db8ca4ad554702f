// One test for each cell of the table of `cancel()`.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, gatedTool, recordingHistory, say, settle, stall } from '@banister/testing';
import { confirmTools, defineGuard, UndoHistory, type CancelReport, type Decision } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection, terminals } from './fixture.js';
import { expectRolledBack, firstRound, firstRoundMessages } from './rolled-back.js';

const levels = [
  { level: 'cancel', options: {} },
  { level: 'abort', options: { immediate: true } },
] as const;

describe.each(levels)('$level', ({ level, options }) => {
  describe('row 1: idle, or after commit', () => {
    it('while the session is idle, it changes nothing, and does not cancel the next turn', async () => {
      await using f = fixture([say('Hello.')]);
      const before = f.session.state;
      const report = await f.session.cancel(options);
      expect(report).toEqual({
        landed: 'idle',
        cancelled: false,
        completed: [],
        skipped: [],
        undo: { done: [], failed: [], irreversible: [], lost: [], unknown: [] },
      });
      expect(f.session.state).toBe(before);
      expect(f.observed.operations).toEqual([]);
      expect((await f.session.send('Go')).status).toBe('completed');
    });

    it('changes nothing after the commit: text, conversation and effects stay', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, say('Done.')], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      let cancelled: Promise<CancelReport> | undefined;
      atOperation(f.session, 'committed', () => (cancelled = f.session.cancel(options)));
      const result = await f.session.send('Go');
      const report = await cancelled;
      expect(result.status).toBe('completed');
      expect(report?.cancelled).toBe(false);
      expect(f.session.currentText.value).toBe('One. \n\nDone.');
      expect(outline(f.session.conversation.value.messages)).toEqual([
        ...firstRoundMessages,
        'assistant: Done.',
      ]);
      expect(board.titles).toEqual(['A']);
      f.provider.push(say('Again.'));
      expect((await f.session.send('Next')).text).toBe('Again.');
    });
  });

  describe('row 2: streaming or stalled, and every other wait', () => {
    it('X1 ends at once between two pieces of text; the partial text stays, the socket closes', async () => {
      const board = createBoard();
      const more = gate();
      await using f = fixture([firstRound, say(['Two', more, ' and more'])], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      const turn = f.session.send('Go');
      await more.reached;
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, { landed: 'streaming', text: 'One. \n\nTwo' });
      expect(f.provider.streams[1]?.aborted).toBe(true);
    });

    it('X1 a stalled model: the turn ends at once', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, stall()], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, { landed: 'streaming', text: 'One. ' });
    });

    it('ends at once while a tool call is half written; the call never ran', async () => {
      const board = createBoard();
      const more = gate();
      await using f = fixture(
        [firstRound, callTools('Two', { tool: 'board.add', argumentsText: ['{"title": ', more, '"B"}'] })],
        { domains: [board.domain()], history: new UndoHistory() },
      );
      const turn = f.session.send('Go');
      await more.reached;
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'streaming',
        text: 'One. \n\nTwo',
        skipped: ['board.add'],
      });
    });

    it('the turn ends at once while the undo transaction opens; the user message stays', async () => {
      const board = createBoard();
      await using f = fixture([], {
        domains: [board.domain()],
        history: recordingHistory({ begin: 'hang' }),
      });
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'preparing',
        text: '',
        conversation: ['user: Go'],
        completed: [],
        done: [],
      });
    });

    it('ends at once while a context source is read', async () => {
      const board = createBoard();
      let reads = 0;
      await using f = fixture([firstRound], {
        domains: [board.domain()],
        history: new UndoHistory(),
        context: [
          { id: 'slow', policy: 'always', summary: () => (++reads > 1 ? new Promise(() => {}) : 'fast') },
        ],
      });
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, { landed: 'preparing', text: 'One. ' });
    });

    it('X1 ends at once in the delay before a retry', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, fail('overloaded')], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, { landed: 'retrying', text: 'One. ' });
    });

    it('ends at once while a guard decides, and aborts the signal of the guard', async () => {
      const board = createBoard();
      let told = false;
      let asked = 0;
      await using f = fixture([firstRound, callTools('Two', addCard('B'))], {
        domains: [board.domain()],
        history: new UndoHistory(),
        guards: [
          defineGuard('slow', (_call, { signal }) => {
            if (++asked === 1) return 'allow';
            signal.addEventListener('abort', () => (told = true));
            return new Promise<never>(() => {});
          }),
        ],
      });
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'executing',
        text: 'One. \n\nTwo',
        skipped: ['board.add'],
      });
      expect(told).toBe(true);
    });
  });

  describe('row 3: built-in confirmation open', () => {
    it('denies the call at once: it does not run, and no later answer approves it', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, callTools('Two', { tool: 'board.drop', args: { title: 'A' } })], {
        domains: [board.domain()],
        history: new UndoHistory(),
        guards: [confirmTools('board.drop')],
      });
      const turn = f.session.send('Go');
      await settle();
      const asked = f.session.pendingConfirmation.value;
      expect(asked?.call.tool).toBe('board.drop');
      const cancel = f.session.cancel(options);
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'confirming',
        text: 'One. \n\nTwo',
        skipped: ['board.drop'],
      });
      expect(await asked?.approve()).toBe('already-settled');
      await settle();
      expect(f.observed.types).not.toContain('lateToolSettled');
    });
  });

  describe('row 4: custom confirmation handler', () => {
    const opened = (decide: (signal: AbortSignal) => Promise<Decision>) => {
      const board = createBoard();
      const f = fixture([firstRound, callTools('Two', addCard('B'), addCard('C'), { tool: 'board.list' })], {
        domains: [board.domain()],
        history: new UndoHistory(),
        guards: [
          defineGuard('ask-for-B', (call) =>
            call.arguments.title === 'B' ? { confirm: 'Really?' } : 'allow',
          ),
        ],
        confirm: (_request, { signal }) => decide(signal),
      });
      return { board, f };
    };

    it(
      level === 'cancel'
        ? 'lets the handler finish; what it approves still runs, every other call is not run, all of it rolled back'
        : "fires the handler's signal; the call does not run whatever the handler says",
      async () => {
        let answer: (decision: Decision) => void = () => {};
        let fired = false;
        const { board, f } = opened((signal) => {
          signal.addEventListener('abort', () => (fired = true));
          return new Promise((resolve) => (answer = resolve));
        });
        await using _ = f;
        const turn = f.session.send('Go');
        await settle();
        expect(f.session.pendingConfirmation.value?.answeredBy).toBe('handler');
        const cancel = f.session.cancel(options);
        await settle();
        expect(fired).toBe(level === 'abort');
        expect(f.session.isRunning.value).toBe(level === 'cancel');
        answer({ approve: true });
        await expectRolledBack(f, board, turn, cancel, {
          landed: 'confirming',
          text: 'One. \n\nTwo',
          completed: level === 'cancel' ? ['Added A', 'Added B'] : ['Added A'],
          done: level === 'cancel' ? ['Added B', 'Added A'] : ['Added A'],
          skipped:
            level === 'cancel' ? ['board.add', 'board.list'] : ['board.add', 'board.add', 'board.list'],
        });
        const rejected = f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : []));
        if (level === 'cancel') {
          expect(rejected.map((call) => call.reason)).toEqual(['cancelled', 'cancelled']);
          expect(JSON.stringify(rejected[0]?.result)).toMatch(/[Cc]ancelled.*not run/);
        }
        expect(f.observed.types.filter((type) => type === 'toolStarted')).toHaveLength(
          level === 'cancel' ? 2 : 1,
        );
      },
    );

    if (level === 'abort') return;

    it('a handler that denies after the cancel runs nothing', async () => {
      let answer: (decision: Decision) => void = () => {};
      const { board, f } = opened(() => new Promise((resolve) => (answer = resolve)));
      await using _ = f;
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel();
      await settle();
      answer({ approve: false });
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'confirming',
        text: 'One. \n\nTwo',
        skipped: ['board.add', 'board.add', 'board.list'],
      });
    });

    it('a handler that never answers ends at its timeout', async () => {
      const { board, f } = opened(() => new Promise(() => {}));
      await using _ = f;
      const turn = f.session.send('Go');
      await settle();
      const cancel = f.session.cancel();
      await f.clock.advance(44_999);
      expect(f.session.isRunning.value).toBe(true);
      await f.clock.advance(1);
      await expectRolledBack(f, board, turn, cancel, {
        landed: 'confirming',
        text: 'One. \n\nTwo',
        skipped: ['board.add', 'board.add', 'board.list'],
      });
    });
  });

  describe('row 5: tools running', () => {
    it(
      level === 'cancel'
        ? 'those running finish, later ones do not start, and all of it is rolled back'
        : 'fires their signal and ends the turn without them',
      async () => {
        const board = createBoard();
        const slow = gatedTool('slow');
        await using f = fixture([firstRound, callTools('Two', { tool: 'board.slow' }, addCard('C'))], {
          domains: [board.domain(slow)],
          history: new UndoHistory(),
        });
        const turn = f.session.send('Go');
        const run = await slow.next();
        run.context.undo({ description: 'Slow work', revert: () => {} });
        const cancel = f.session.cancel(options);
        await settle();
        expect(run.context.signal.aborted).toBe(level === 'abort');
        expect(f.session.isRunning.value).toBe(level === 'cancel');
        if (level === 'cancel') run.settle('Done.');
        await expectRolledBack(f, board, turn, cancel, {
          landed: 'executing',
          text: 'One. \n\nTwo',
          completed: level === 'cancel' ? ['Added A', 'Slow work'] : ['Added A'],
          skipped: ['board.add'],
          done: level === 'cancel' ? ['Slow work', 'Added A'] : ['Added A'],
          unknown: level === 'cancel' ? [] : ['Slow work'],
        });
        expect(slow.runs).toHaveLength(1);
        run.settle();
        await settle();
      },
    );
  });

  describe('row 6: drained, before commit', () => {
    it('drained, before commit: full text kept, no assistant message', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, say('Two, whole.')], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      let cancel: Promise<CancelReport> | undefined;
      atOperation(f.session, 'modelCallFinished', () => (cancel = f.session.cancel(options)), 2);
      const turn = f.session.send('Go');
      await rejection(turn);
      await expectRolledBack(f, board, turn, cancel!, { landed: 'streaming', text: 'One. \n\nTwo, whole.' });
      expect(f.observed.types).not.toContain('commitStarted');
    });
  });

  describe('row 7: committing or rolling back', () => {
    it('while the turn commits, a cancel does nothing, and the report shows it', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, say('Two.')], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      let cancel: Promise<CancelReport> | undefined;
      atOperation(f.session, 'commitStarted', () => (cancel = f.session.cancel(options)));
      const result = await f.session.send('Go');
      expect(result.status).toBe('completed');
      const report = await cancel!;
      expect(report).toMatchObject({ landed: 'committing', cancelled: false });
      expect(names(report.completed)).toEqual(['Added A']);
      expect(report.undo).toEqual({ done: [], failed: [], irreversible: [], lost: [], unknown: [] });
      expect(f.observed.types).not.toContain('cancelRequested');
      expect(f.session.currentText.value).toBe('One. \n\nTwo.');
      expect(outline(f.session.conversation.value.messages)).toEqual([
        ...firstRoundMessages,
        'assistant: Two.',
      ]);
      expect(board.titles).toEqual(['A']);
    });

    it('while a failed turn rolls back, a cancel does nothing', async () => {
      const board = createBoard();
      await using f = fixture([firstRound, fail('auth')], {
        domains: [board.domain()],
        history: new UndoHistory(),
      });
      let cancel: Promise<CancelReport> | undefined;
      atOperation(f.session, 'rollbackStarted', () => (cancel = f.session.cancel(options)));
      expect((await rejection(f.session.send('Go'))).code).toBe('auth');
      const report = await cancel!;
      expect(report).toMatchObject({ landed: 'rolling-back', cancelled: false });
      expect(names(report.undo.done)).toEqual(['Added A']);
      expect(f.observed.types).not.toContain('cancelRequested');
      expect(f.session.currentText.value).toBe('One. ');
      expect(outline(f.session.conversation.value.messages)).toEqual(firstRoundMessages);
      expect(board.titles).toEqual([]);
      expect(terminals(f)).toEqual(['failed']);
    });
  });
});
