// The payloads of operations.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gatedTool, say, settle } from '@banister/testing';
import { UndoHistory, type Operation, type Tool } from '@banister/session';
import { accumulateToolCalls, apply, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type FixtureOptions } from './fixture.js';

const board = (options: FixtureOptions = {}, ...extra: readonly Tool[]) => ({
  domains: [createBoard().domain(...extra)],
  history: new UndoHistory(),
  ...options,
});

describe('the payloads of operations', () => {
  it('turnStarted: input, finite limits, provider and model', async () => {
    await using f = fixture([say('x')]);
    await f.session.send('Go');
    expect(f.observed.operations[0]).toMatchObject({
      type: 'turnStarted',
      input: { role: 'user', parts: [{ type: 'text', text: 'Go' }] },
      limits: { maxRounds: 8, maxToolCalls: 12, onTrip: 'fail' },
      provider: { id: 'scripted', model: 'scripted-1' },
    });
    expect(f.observed.operations[0]).not.toHaveProperty('limits.maxTokens');
  });

  it('roundStarted: 1-based, with the budget left and the pressure on the context window', async () => {
    await using f = fixture(
      [callTools({ tool: 'board.list' }, { type: 'usage', usage: { inputTokens: 250 } }), say('x')],
      {
        ...board(),
        scripted: { contextWindow: 1_000 },
      },
    );
    await f.session.send('Go');
    const rounds = f.observed.operations.filter((operation) => operation.type === 'roundStarted');
    expect(rounds).toMatchObject([
      { round: 1, contextPressure: expect.closeTo(0.1, 1), budget: { rounds: { spent: 1, left: 7 } } },
      {
        round: 2,
        contextPressure: expect.closeTo(0.3, 1),
        budget: { rounds: { spent: 2, left: 6 }, toolCalls: { spent: 1, left: 11 } },
      },
    ]);
  });

  it('modelCallStarted: the request object; modelCallFinished: usage, stop reason, error', async () => {
    await using f = fixture([fail('overloaded'), say('x', { usage: { outputTokens: 3 } })]);
    const turn = f.session.send('Go');
    await f.clock.advance(500);
    await turn;
    const started = f.observed.operations.filter((operation) => operation.type === 'modelCallStarted');
    expect(started.map((operation) => operation.attempt)).toEqual([1, 2]);
    expect(started[0]?.request).toBe(f.provider.requests[0]);
    const finished = f.observed.operations.filter((operation) => operation.type === 'modelCallFinished');
    expect(finished).toMatchObject([
      { attempt: 1, usage: null, stopReason: null, error: { code: 'overloaded' } },
      { attempt: 2, usage: { outputTokens: 3 }, stopReason: 'stop', error: null },
    ]);
  });

  it('toolCallPartial: only deltas; `accumulateToolCalls` joins them', async () => {
    await using f = fixture(
      [callTools({ ...addCard('A long title'), id: 'provider-1', fragment: 5 }), say('x')],
      board(),
    );
    const texts: string[] = [];
    f.session.operations$.pipe(accumulateToolCalls()).subscribe((call) => texts.push(call.argumentsText));
    await f.session.send('Go');
    const partials = f.observed.operations.filter((operation) => operation.type === 'toolCallPartial');
    expect(partials.map((operation) => operation.delta).join('')).toBe('{"title":"A long title"}');
    expect(
      partials.every(
        (op) =>
          op.callId === 'call_1' &&
          op.providerCallId === 'provider-1' &&
          op.tool === 'board.add' &&
          op.index === 0,
      ),
    ).toBe(true);
    expect(texts.at(-1)).toBe('{"title":"A long title"}');
    expect(texts).toHaveLength(partials.length);
  });

  it('AK-V9 `messagesAppended` carries one exchange: the assistant message with all its results in call order', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture(
      [callTools({ tool: 'board.slow' }, { tool: 'board.list' }), say('x')],
      board({}, slow),
    );
    const turn = f.session.send('Go');
    const run = await slow.next();
    await settle();
    // The second call settled first.
    run.settle('slow');
    await turn;
    const [, exchange] = f.observed.operations.filter((operation) => operation.type === 'messagesAppended');
    expect(exchange?.messages.map((message) => message.role)).toEqual(['assistant', 'user']);
    expect(exchange?.messages[1]?.parts.map((part) => 'callId' in part && part.callId)).toEqual([
      'call_1',
      'call_2',
    ]);
  });

  it('session operations belong to no turn', async () => {
    await using f = fixture([callTools(addCard('A')), say('x')], board());
    await f.session.send('Go');
    f.session.configure({ role: 'x' });
    await f.session.undo();
    await f.session.redo();
    await f.session.dispose();
    const session = f.observed.operations.slice(f.observed.types.indexOf('completed') + 1);
    expect(session.map((operation) => operation.type)).toEqual([
      'configured',
      'undoStarted',
      'effectReverted',
      'undone',
      'redoStarted',
      'effectReapplied',
      'redone',
      'disposed',
    ]);
    for (const operation of session) expect(operation.turnId).toBeUndefined();
  });

  it('an unknown operation changes only the number of the last operation', () => {
    const state = initialState();
    const after = apply(state, { type: 'somethingNew', sequence: 1, at: 0 } as unknown as Operation);
    expect(after).toEqual({ ...state, sequence: 1 });
  });

  it('terminal operations carry usage and rounds, text and messages, reason, report, error', async () => {
    await using f = fixture(
      [callTools('One.', addCard('A'), { type: 'usage', usage: { inputTokens: 5 } }), fail('auth')],
      board(),
    );
    await rejection(f.session.send('Go'));
    expect(f.observed.operations.at(-1)).toMatchObject({
      type: 'failed',
      usage: { inputTokens: 5 },
      rounds: 2,
      error: { code: 'auth' },
      report: { done: [{ description: 'Added A' }] },
    });
  });
});
