// The commands of a session whose log has work that its last owner did not end.
import { describe, expect, it } from 'vitest';
import { defineGuard, defineTool, type SavedConversation } from '@banister/session';
import { callTools, checkOrder, gate, say, settle, spyTool, stall } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { rejection } from './fixture.js';
import { left, open } from './left-turn.js';
import { createSession, opened, recordsOf } from './opened.js';

const asks = defineGuard('ask', () => ({ confirm: 'Really?' }));

describe('a session whose log has an open turn', () => {
  it('shows the turn as interrupted, and waits', async () => {
    const log = await left();
    const { session, operations } = await open(log);
    const { turnId } = log.operations[0]!;
    expect(session.interrupted.value).toEqual({ turnId, at: 'stream', unknown: [] });
    expect(session.isRunning.value).toBe(false);
    expect(session.phase.value).toBe('idle');
    expect(session.currentText.value).toContain('Half');
    await settle();
    expect(operations.map(({ type }) => type)).toEqual(['ownerChanged']);
    expect(log.board.cards).toEqual(['A']);
  });

  it('does not list a cut call as unknown if it has ended, even in a domain without a revision', async () => {
    const late = spyTool('late', {
      timeoutMs: 10,
      execute: (_args, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('Late.'), { once: true })),
    });
    const domains = [{ id: 'mail', tools: [late] }];
    const { session, clock, operations } = createSession([callTools({ tool: 'mail.late' }), stall('Half')], {
      domains,
    });
    session.send('Go').catch(() => {});
    await settle();
    await clock.advance(10);
    const log = operations.slice();
    expect(log.map(({ type }) => type)).toContain('lateToolSettled');
    await session.dispose({ turn: 'leave' });
    const restored = { snapshot: null, records: recordsOf([log]) };
    const next = createSession([], { domains, restored });
    await opened(next.session);
    expect(next.session.interrupted.value).toMatchObject({ at: 'stream', unknown: [] });
    await next.session.dispose();
  });

  it('`undo({ turnId })` of another turn than the interrupted one is refused', async () => {
    const log = await left();
    const { session } = await open(log);
    const { turnId } = log.operations[0]!;
    const error = await rejection(session.undo({ turnId: 'turn_99' }));
    expect(error.code).toBe('conflict');
    expect(session.interrupted.value).not.toBeNull();
    expect((await session.undo({ turnId })).done).toHaveLength(1);
    expect(session.turns.value.at(-1)).toMatchObject({ id: turnId, status: 'failed' });
    expect(log.board.cards).toEqual([]);
  });

  it('continues with `resume`, which resolves like `send`', async () => {
    const log = await left();
    const { session, operations } = await open(log, [say('Whole.')]);
    expect(await session.resume()).toMatchObject({ status: 'completed', text: 'Whole.' });
    expect(session.interrupted.value).toBeNull();
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
    expect((await session.undo()).done).toHaveLength(1);
    expect(log.board.cards).toEqual([]);
  });

  it('undoes the turn with `abandon`: the turn has failed as `interrupted`', async () => {
    const log = await left();
    const { session } = await open(log);
    const abandoning = session.abandon();
    await new Promise<void>((resolve) => {
      session.operations$.subscribe(({ type }) => type === 'turnResumed' && resolve());
    });
    expect(session.isRunning.value).toBe(true);
    expect(session.phase.value).toBe('rolling-back');
    expect((await abandoning).done).toMatchObject([{ description: 'Added A' }]);
    expect(session.turns.value.at(-1)).toMatchObject({
      status: 'failed',
      outcome: { error: { code: 'interrupted' } },
    });
    expect(log.board.cards).toEqual([]);
  });

  it.each(['resume', 'abandon'] as const)(
    'rejects `nothing-to-resume` on %s after the turn has ended',
    async (name) => {
      const { session } = await open(await left());
      await session.abandon();
      expect((await rejection(session[name]())).code).toBe('nothing-to-resume');
    },
  );

  it('abandons the turn on cancel, and resolves with the report', async () => {
    const log = await left();
    const { session } = await open(log);
    expect((await session.cancel()).undo.done).toMatchObject([{ description: 'Added A' }]);
    expect(session.turns.value.at(-1)?.status).toBe('failed');
    expect(log.board.cards).toEqual([]);
  });

  it('abandons the turn on undo, and does nothing more', async () => {
    const { session } = await open(await left());
    expect((await session.undo()).done).toMatchObject([{ description: 'Added A' }]);
    expect(session.turns.value.at(-1)?.status).toBe('failed');
  });

  it('rejects conflict on redo', async () => {
    const { session } = await open(await left());
    expect((await rejection(session.redo())).code).toBe('conflict');
    expect(session.interrupted.value).not.toBeNull();
  });

  it('audit-A rejects `disposed` on redo, and on undo of another turn, after the session is disposed', async () => {
    const { session } = await open(await left());
    await session.dispose();
    for (const command of [session.redo(), session.undo({ turnId: 'another' })])
      expect((await rejection(command)).code).toBe('disposed');
  });

  it('`send` abandons the turn before its own turn, unless the send is refused', async () => {
    const log = await left();
    const { session, operations } = await open(log, [say('Hi.')]);
    expect((await rejection(session.send(''))).code).toBe('invalid-input');
    expect(session.interrupted.value).not.toBeNull();
    await session.send('Hello');
    expect(session.turns.value.map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(session.turns.value[1]?.parentId).toBe(session.turns.value[0]?.id);
    expect(log.board.cards).toEqual([]);
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
  });

  it('abandons the turn on retry, and starts it again', async () => {
    const log = await left();
    const { session, operations } = await open(log, [callTools(addCard('A')), say('Done.')]);
    await session.retry();
    expect(session.turns.value.map(({ status }) => status)).toEqual(['completed']);
    expect(session.turns.value[0]?.retryOf).toBe(log.operations[0]!.turnId);
    expect(log.board.cards).toEqual(['A']);
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
  });

  it('abandons nothing if the options of the retry are refused', async () => {
    const log = await left();
    const { session, operations } = await open(log);
    const before = operations.length;
    const limits = { maxRounds: -1 };
    expect((await rejection(session.retry({ limits }))).code).toBe('invalid-configuration');
    expect(session.interrupted.value).not.toBeNull();
    expect(log.board.cards).toEqual(['A']);
    expect(operations).toHaveLength(before);
  });

  it('saves the turn with the effects that are in effect', async () => {
    const log = await left();
    const { session } = await open(log);
    const conversation = JSON.parse(JSON.stringify(session.save())) as SavedConversation;
    const { session: next } = createSession([], { domains: [log.board.domain()], conversation });
    expect(next.turns.value).toHaveLength(1);
    expect(next.turns.value[0]).toMatchObject({
      status: 'failed',
      outcome: { error: { code: 'interrupted' } },
    });
    const { report } = next.turns.value[0]!.outcome!;
    expect([...report!.irreversible, ...report!.lost]).toMatchObject([{ description: 'Added A' }]);
  });

  it('a repeated round counts neither as a further round nor as a retry, but its usage counts', async () => {
    const log = await left([
      callTools('One. ', addCard('A')),
      stall('Half', { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } }),
    ]);
    const { session, operations } = await open(log, [
      say('Whole.', { usage: { inputTokens: 10, outputTokens: 5 } }),
    ]);
    const result = await session.resume();
    expect(operations.find(({ type }) => type === 'retrying')).toMatchObject({ reason: 'restored' });
    expect(result).toMatchObject({ rounds: 2, usage: { inputTokens: 17, outputTokens: 8 } });
    expect(session.currentText.value).toBe('One. \n\nWhole.');
  });
});

describe('a question that was open at an interruption', () => {
  const asked = () => left([callTools(addCard('A'))], { guards: [asks] });

  it('stays open without a deadline', async () => {
    const { session } = await open(await asked(), [], { guards: [asks] });
    expect(session.interrupted.value?.at).toBe('batch');
    expect(session.state.pendingConfirmations).toMatchObject([{ reason: 'Really?', expiresAt: null }]);
  });

  it('the answer to an open question resumes the turn', async () => {
    const log = await asked();
    const { session, operations } = await open(log, [say('Done.')], { guards: [asks] });
    const [request] = session.state.pendingConfirmations;
    expect(await session.respond(request!.id, { approve: true })).toBe('accepted');
    await settle();
    expect(log.board.cards).toEqual(['A']);
    expect(session.lastOutcome.value?.status).toBe('completed');
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
  });

  it('several questions are answered together, each by its own answer, in any order', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const cards = ['A', 'B', 'C'].map((title) => addCard(title));
      const log = await left([callTools(...cards)], { guards: [asks] });
      const { session, operations } = await open(log, [say('Done.')], { guards: [asks] });
      const requests = session.state.pendingConfirmations;
      expect(requests).toHaveLength(3);
      const answers = order.map((index) => session.respond(requests[index]!.id, { approve: index !== 1 }));
      expect(await Promise.all(answers)).toEqual(['accepted', 'accepted', 'accepted']);
      await settle();
      expect(log.board.cards).toEqual(['A', 'C']);
      expect(session.lastOutcome.value?.status).toBe('completed');
      expect(checkOrder([...log.operations, ...operations])).toEqual([]);
      expect(await session.respond(requests[0]!.id, { approve: true })).toBe('already-settled');
      await session.dispose();
    }
  });

  it('`resume` opens a question again under its id, with a full deadline', async () => {
    const log = await asked();
    const before = log.operations.findLast(({ type }) => type === 'confirmationRequested');
    const { session, clock } = await open(log, [say('Done.')]);
    const turn = session.resume();
    await settle();
    expect(session.state.pendingConfirmations).toMatchObject([
      { id: (before as { request: { id: string } }).request.id, expiresAt: clock.now() + 45_000 },
    ]);
    await session.respond(session.state.pendingConfirmations[0]!.id, { approve: false });
    await turn;
    expect(log.board.cards).toEqual([]);
  });

  it('a question whose call a guard denies now is closed', async () => {
    const log = await asked();
    const deny = defineGuard('deny', () => ({ deny: 'Not today.' }));
    const { session, operations } = await open(log, [say('Then not.')], { guards: [deny] });
    await session.resume();
    expect(operations.filter(({ type }) => type === 'confirmationResolved')).toMatchObject([
      { decision: 'cancelled' },
    ]);
    expect(log.board.cards).toEqual([]);
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
  });

  it('is closed by `abandon`', async () => {
    const { session } = await open(await asked(), [], { guards: [asks] });
    await session.abandon();
    expect(session.state.pendingConfirmations).toEqual([]);
    expect(session.turns.value.at(-1)?.status).toBe('failed');
  });
});

describe('the option onInterrupted', () => {
  it('resumes the turn when the session opens', async () => {
    const { session } = await open(await left(), [say('Whole.')], { onInterrupted: 'resume' });
    await session.operations$.subscribe(() => {});
    await settle();
    expect(session.lastOutcome.value?.status).toBe('completed');
  });

  it('resumes a turn only once at the same point, and then waits', async () => {
    const log = await left();
    const first = await open(log, [stall('Again')], { onInterrupted: 'resume' });
    await settle();
    expect(first.session.isRunning.value).toBe(true);
    const records = recordsOf([[...log.operations, ...first.operations]]);
    await first.session.dispose({ turn: 'leave' });
    const second = await open({ records, board: log.board }, [], { onInterrupted: 'resume' });
    await settle();
    expect(second.session.interrupted.value?.at).toBe('stream');
    expect(second.operations.map(({ type }) => type)).toEqual(['ownerChanged']);
  });

  it('a tool that still runs when its turn is left cannot record an effect, and does not act', async () => {
    const start = gate();
    const acted: string[] = [];
    const refused: unknown[] = [];
    const late = defineTool({
      name: 'late',
      description: 'Acts late.',
      parameters: { type: 'object' },
      undo: { revert: () => {} },
      async execute(_args, context) {
        await start.pass();
        await context.undo({ description: 'Acted', data: {} }).catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
        acted.push('late');
      },
    });
    const { session, operations } = createSession([callTools({ tool: 'mail.late' })], {
      domains: [{ id: 'mail', tools: [late] }],
    });
    session.send('Go').catch(() => {});
    await start.reached;
    await session.dispose({ turn: 'leave' });
    const { length } = operations;
    start.open();
    await settle();
    expect([acted, refused]).toEqual([[], [expect.objectContaining({ code: 'cancelled' })]]);
    expect(operations).toHaveLength(length);
  });

  it('resumes a turn again at a later point', async () => {
    const log = await left([stall('Half')]);
    const first = await open(log, [callTools(addCard('A')), stall('More')], { onInterrupted: 'resume' });
    await settle();
    const records = recordsOf([[...log.operations, ...first.operations]]);
    await first.session.dispose({ turn: 'leave' });
    const second = await open({ records, board: log.board }, [say('Done.')], { onInterrupted: 'resume' });
    await settle();
    expect(second.session.lastOutcome.value?.status).toBe('completed');
    expect(log.board.cards).toEqual(['A']);
  });

  it('abandons the turn when the session opens', async () => {
    const log = await left();
    const { session } = await open(log, [], { onInterrupted: 'abandon' });
    await settle();
    expect(session.turns.value.at(-1)?.status).toBe('failed');
    expect(log.board.cards).toEqual([]);
  });

  it('refuses any other value', () => {
    expect(() => createSession([], { onInterrupted: 'never' as 'wait' })).toThrow('onInterrupted');
  });
});

describe('an undo of effects for which the next session has no code', () => {
  it('an undo that was cut ends with its effects as lost, if their code is gone', async () => {
    const board = createBoard();
    const { session, operations } = createSession([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
    });
    await session.send('Add A');
    const undoing = session.undo();
    const log = operations.slice();
    expect(log.at(-1)?.type).toBe('undoStarted');
    await undoing;
    const next = createSession([], {
      domains: [createBoard().domain()],
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(next.session);
    expect(next.session.interrupted.value?.at).toBe('undo');
    expect((await next.session.abandon()).lost).toMatchObject([{ description: 'Added A' }]);
    expect(next.session.undoEntries.value[0]?.state).toBe('partly-undone');
    expect(next.session.interrupted.value).toBeNull();
  });
});
