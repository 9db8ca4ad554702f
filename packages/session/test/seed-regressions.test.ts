// The faults of the systems from which the contract grew, one test each. Numbers 1, 6, 8, 10 and 14 are among the tests of their parts.
import { afterEach, describe, expect, it } from 'vitest';
import { compaction, UndoHistory } from '@banister/session';
import {
  callTools,
  failAfter,
  forcedGuard,
  gate,
  say,
  settle,
  spyTool,
  stall,
  validateHistory,
} from '@banister/testing';
import { concatMap, filter, from, lastValueFrom, map, toArray } from 'rxjs';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, resultTexts, terminals } from './fixture.js';

const unhandled: unknown[] = [];
const listen = (reason: unknown) => unhandled.push(reason);
process.on('unhandledRejection', listen);
afterEach(() => {
  expect(unhandled).toEqual([]);
});

const done = say('Done.');

describe('seed regression', () => {
  it('2, OP-36: an unknown tool and malformed arguments each leave a paired result', async () => {
    await using f = fixture(
      [callTools({ tool: 'no.tool' }, { tool: 'board.add', argumentsText: '{"title": "A' }), done],
      { domains: [createBoard().domain()] },
    );
    await f.session.send('Go');
    const [, answer, results] = f.session.conversation.value.messages;
    const ids = answer!.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    expect(results!.parts).toMatchObject(
      ids.map((callId) => ({ type: 'tool-result', callId, outcome: 'rejected' })),
    );
    expect(ids).toHaveLength(2);
  });

  it('3, SA-6, DF-34: a failing tool has one end operation; a denied tool has no start and one rejection', async () => {
    const bad = spyTool('bad', {
      execute: () => {
        throw new Error('No.');
      },
    });
    await using f = fixture([callTools({ tool: 'board.bad' }, { tool: 'board.mail' }), done], {
      domains: [{ id: 'board', tools: [bad, spyTool('mail')] }],
      guards: [forcedGuard('no-mail', ({ tool }) => (tool === 'board.mail' ? { deny: 'No.' } : 'allow'))],
    });
    await f.session.send('Go');
    const count = (type: string) => f.observed.types.filter((one) => one === type).length;
    expect(['toolStarted', 'toolFailed', 'toolCompleted', 'toolsRejected'].map(count)).toEqual([1, 1, 0, 1]);
  });

  it('4, SA-5: usage that arrives after the last tool call is counted', async () => {
    const usage = { type: 'usage', usage: { inputTokens: 40, outputTokens: 2 } } as const;
    await using f = fixture([callTools(addCard('A'), usage), say('Done.', { usage: usage.usage })], {
      domains: [createBoard().domain()],
    });
    expect((await f.session.send('Go')).usage).toMatchObject({ inputTokens: 80, outputTokens: 4 });
  });

  it('5, SA-8: 10,000 fast deltas all reach a slow subscriber in order', async () => {
    const deltas = Array.from({ length: 10_000 }, (_one, index) => `${index} `);
    await using f = fixture([say(deltas)]);
    const slow = lastValueFrom(
      f.session.turn$('Go').pipe(
        filter((one) => one.type === 'text'),
        concatMap((one) => from(settle(1)).pipe(map(() => one.delta))),
        toArray(),
      ),
    );
    expect((await slow).join('')).toBe(deltas.join(''));
    expect(f.session.currentText.value).toBe(deltas.join(''));
  });

  it('7, DF-21, AK-F5: an error after partial text appends no answer, rolls back once, and the next turn runs', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), failAfter(['Half'], 'server'), say('Again.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('server');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: call board.add',
      'user: result success',
    ]);
    expect(f.observed.types.filter((type) => type === 'rolledBack')).toHaveLength(1);
    expect(board.titles).toEqual([]);
    expect((await f.session.send('Next')).text).toBe('Again.');
  });

  it('9, OP-5, OP-52: unsubscribing aborts the request, ends the turn, and leaves no rejection unhandled', async () => {
    await using f = fixture([stall('Half')]);
    const subscription = f.session.turn$('Go').subscribe();
    await settle();
    subscription.unsubscribe();
    await settle();
    expect(f.provider.streams[0]!.aborted).toBe(true);
    expect(terminals(f)).toEqual(['cancelled']);
    expect(f.session.isRunning.value).toBe(false);
  });

  it('11, DF-35: the result of a tool that crashes has the id of its own call', async () => {
    const crash = spyTool('crash', { execute: () => Promise.reject(new Error('Crash.')) });
    await using f = fixture([callTools({ tool: 'board.look' }, { tool: 'board.crash' }), done], {
      domains: [{ id: 'board', tools: [spyTool('look'), crash] }],
    });
    await f.session.send('Go');
    const [, answer, results] = f.session.conversation.value.messages;
    expect(results!.parts[1]).toMatchObject({
      callId: (answer!.parts[1] as { id: string }).id,
      outcome: 'thrown',
    });
  });

  it('12, AK-C6: a cancel while idle, or after the end of a turn, does not cancel the next send', async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    await f.session.cancel();
    expect((await f.session.send('Go')).text).toBe('One.');
    await f.session.cancel({ immediate: true });
    expect((await f.session.send('Go')).text).toBe('Two.');
  });

  it('13, AK-C5: after a cancel while a handler decides, the approved call runs, the next call does not, and everything is rolled back', async () => {
    const board = createBoard();
    const decided = gate();
    await using f = fixture([callTools(addCard('A'), addCard('B'))], {
      domains: [board.domain()],
      history: new UndoHistory(),
      guards: [forcedGuard('ask', { confirm: 'Really?' })],
      confirm: async () => {
        await decided.pass();
        return { approve: true };
      },
    });
    const turn = rejection(f.session.send('Go'));
    await settle();
    const cancelled = f.session.cancel();
    decided.open();
    await cancelled;
    expect((await turn).code).toBe('cancelled');
    expect(f.observed.types.filter((type) => type === 'toolStarted')).toHaveLength(1);
    expect(board.titles).toEqual([]);
  });

  it('15, SA-23: a cancellation is never retried', async () => {
    await using f = fixture([stall()], { limits: { maxRetries: 3 } });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel();
    await turn;
    await f.clock.advance(60_000);
    expect(f.provider.requests).toHaveLength(1);
    expect(f.observed.types).not.toContain('retrying');
  });

  it('16, OP-44, DF-43: a compaction separates no call from its result, also in a single long turn', async () => {
    const read = spyTool('read', { capabilities: ['readOnly'], execute: () => 'result '.repeat(300) });
    const call = (page: number) => ({ tool: 'docs.read', args: { page } });
    const rounds = Array.from({ length: 6 }, (_one, index) => callTools(call(index), call(-index - 1)));
    await using f = fixture([...rounds, done], {
      domains: [{ id: 'docs', tools: [read] }],
      scripted: { contextWindow: 4_000 },
      limits: { maxToolCalls: 20 },
      compaction: compaction({ summary: false }),
    });
    expect((await f.session.send('Read all')).status).toBe('completed');
    expect(f.session.compactions.value.length).toBeGreaterThan(0);
    for (const { messages } of f.provider.requests) expect(validateHistory(messages)).toEqual([]);
    expect(resultTexts(f.provider.requests.at(-1)!).at(-1)).not.toBe('');
  });
});
