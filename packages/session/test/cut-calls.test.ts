// Calls, questions and answers that are cut: a result that arrives later changes no operation before it.
import { describe, expect, it } from 'vitest';
import { callTools, finishWith, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import {
  defineGuard,
  UndoHistory,
  type CancelReport,
  type Decision,
  type Provider,
  type UndoProvider,
} from '@banister/session';
import type { ProviderEvent } from '@banister/provider';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection } from './fixture.js';

const slowCall = { tool: 'board.slow' };

describe('a call that was cut', () => {
  it('and reverted late causes no conflict for the undo of its turn or of earlier turns', async () => {
    const board = createBoard();
    const slow = gatedTool('slow', { timeoutMs: 1_000 });
    const more = gate();
    await using f = fixture(
      [
        callTools(addCard('A')),
        say('Done.'),
        callTools(slowCall),
        callTools(more, addCard('B')),
        say('Done.'),
      ],
      { domains: [board.domain(slow)] },
    );
    await f.session.send('One');
    const turn = f.session.send('Two');
    const run = await slow.next();
    await f.clock.advance(1_000);
    await more.reached;
    board.put('Slow');
    run.context.undo({ description: 'Put Slow', revert: () => board.rename('Slow', 'Gone') });
    run.settle();
    await settle();
    more.open();
    await turn;
    expect(board.titles).toEqual(['A', 'Gone', 'B']);
    await f.session.undo();
    await f.session.undo();
    expect(board.titles).toEqual(['Gone']);
  });

  it("whose effect was just reverted is in exactly one list of the turn's report", async () => {
    const listed: (readonly string[])[] = [];
    for (let ticks = 0; ticks < 12; ticks++) {
      const slow = gatedTool('slow', { timeoutMs: 1_000 });
      const more = gate();
      await using f = fixture([callTools(slowCall), callTools(more, addCard('B'))], {
        domains: [createBoard().domain(slow)],
      });
      const turn = rejection(f.session.send('Go'));
      const run = await slow.next();
      await f.clock.advance(1_000);
      await more.reached;
      const report = new Promise<CancelReport>((resolve) => {
        const cancel = () => resolve(f.session.cancel({ immediate: true }));
        atOperation(f.session, 'effectReverted', () => void settle(ticks).then(cancel));
      });
      run.context.undo({ description: 'Put Slow', revert: () => {} });
      run.settle();
      const { undo } = await report;
      await turn;
      listed.push([...undo.done, ...undo.unknown].map(({ toolCallId }) => toolCallId));
    }
    expect(listed.map((ids) => ids.length)).toEqual(listed.map(() => 1));
  });

  it('of a `readOnly` tool is not listed as unknown, even if it recorded an effect', async () => {
    const look = gatedTool('look', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.look' })], {
      domains: [{ id: 'board', tools: [look] }],
    });
    const turn = rejection(f.session.send('Go'));
    const run = await look.next();
    run.context.undo({ description: 'Moved the cursor', revert: () => {} });
    const report = await f.session.cancel({ immediate: true });
    expect((await turn).code).toBe('cancelled');
    expect(report.undo.unknown).toEqual([]);
    run.settle();
    await settle();
  });

  it('by a limit that stops the turn gets a result, and no empty operation follows', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools(slowCall)], {
      domains: [{ id: 'board', tools: [slow] }],
      limits: { timeoutMs: 5_000, onTrip: 'stop' },
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    await f.clock.advance(5_000);
    expect((await turn).status).toBe('stopped');
    expect(f.observed.types).toContain('toolFailed');
    expect(f.observed.types).not.toContain('toolsRejected');
    run.settle();
    await settle();
  });
});

describe('an answer that reached the token limit', () => {
  it('is not kept as an answer if the turn is cancelled when its calls are rejected', async () => {
    const spy = spyTool('spy');
    await using f = fixture([finishWith('length', 'Well', { tool: 'board.spy' })], {
      domains: [{ id: 'board', tools: [spy] }],
    });
    atOperation(f.session, 'toolsRejected', () => void f.session.cancel());
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    expect(spy.runs).toEqual([]);
  });
});

describe('a question that timed out', () => {
  it('is answered once, although its handler answers while the next question is open', async () => {
    const [first, second] = [gate(), gate()];
    const spy = spyTool('spy');
    await using f = fixture([callTools({ tool: 'board.spy' }, { tool: 'board.spy' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spy] }],
      guards: [defineGuard('ask', () => ({ confirm: 'Really?' }))],
      confirm: async ({ id }): Promise<Decision> => {
        await (id === 'confirmation_1' ? first : second).pass();
        return { approve: true };
      },
      limits: { confirmationTimeoutMs: 1_000 },
    });
    const turn = f.session.send('Go');
    await first.reached;
    await f.clock.advance(1_000);
    await second.reached;
    first.open();
    await settle();
    second.open();
    await turn;
    const decisions = f.observed.operations.flatMap((operation) =>
      operation.type === 'confirmationResolved' ? [`${operation.callId} ${operation.decision}`] : [],
    );
    expect(decisions).toEqual(['call_1 timed-out', 'call_2 approved']);
    expect(spy.runs.map(({ context }) => context.callId)).toEqual(['call_2']);
  });
});

describe('an answer that a limit broke off', () => {
  it('is not completed by the end of its stream during the commit', async () => {
    const ending = gate();
    const committing = gate();
    const provider: Provider = {
      id: 'slow',
      model: 'slow-1',
      capabilities: { images: false },
      // It does not look at its signal.
      async *stream(): AsyncGenerator<ProviderEvent> {
        yield { type: 'text', delta: 'Hello.' };
        yield { type: 'finish', reason: 'stop' };
        await ending.pass();
      },
    };
    const inner = new UndoHistory();
    const history: UndoProvider = {
      begin: (label) => ({
        ...inner.begin(label),
        droppable: false,
        commit: async () => {
          await committing.pass();
          return inner.begin(label).commit();
        },
      }),
    };
    await using f = fixture([], {
      history,
      limits: { timeoutMs: 5_000, onTrip: 'stop' },
      ...({ provider } as object),
    });
    const turn = f.session.send('Go');
    await ending.reached;
    await f.clock.advance(5_000);
    await committing.reached;
    ending.open();
    await settle();
    committing.open();
    expect(await turn).toMatchObject({ status: 'stopped', text: 'Hello.' });
    expect(f.observed.types).not.toContain('roundCompleted');
    expect(names(f.session.turns.value[0]?.effects ?? [])).toEqual([]);
  });
});
