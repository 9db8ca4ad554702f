// `retry` after each ending of a turn.
import { describe, expect, it } from 'vitest';
import { callTools, createVirtualClock, fail, finishWith, say, settle, stall } from '@banister/testing';
import { UndoHistory } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection } from './fixture.js';

describe('retry', () => {
  it('`retry` sends the user message of a failed turn again, in its place', async () => {
    const board = createBoard();
    await using f = fixture([say('Hi.'), callTools('Half. ', addCard('A')), fail('auth'), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Hello');
    await rejection(f.session.send('Go'));
    const input = f.session.turns.value[1]?.input;
    const result = await f.session.retry();
    expect(result.text).toBe('Done.');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Hello',
      'assistant: Hi.',
      'user: Go',
      'assistant: Done.',
    ]);
    expect(f.session.turns.value.map((turn) => `${turn.id} ${turn.status} ${turn.retryOf ?? '-'}`)).toEqual([
      'turn_1 completed -',
      'turn_3 completed turn_2',
    ]);
    expect(f.session.turns.value[1]?.input).toBe(input);
    expect(f.observed.types).toContain('headMoved');
    expect(f.observed.types).not.toContain('conversationReplaced');
  });

  it('does not move the head if the clock throws at the first operation of the turn, before or after the operation that moves the head', async () => {
    for (const failing of [1, 2]) {
      const clock = createVirtualClock();
      let calls = Infinity;
      const now = () => {
        if (--calls === 0) throw new Error('No clock.');
        return clock.now();
      };
      await using f = fixture([fail('auth'), say('Done.')], { ports: { clock: { ...clock, now } } });
      await rejection(f.session.send('Go'));
      await settle();
      calls = failing;
      const retried = rejection(f.session.retry());
      const before = f.session.state;
      expect((await retried).code).toBe('provider-contract');
      expect(f.session.state).toMatchObject({ headTurnId: 'turn_1', isRunning: false });
      expect(before.sequence).toBe(f.session.state.sequence);
      calls = Infinity;
      expect((await f.session.retry()).text).toBe('Done.');
    }
  });

  it('works after a cancelled turn, and again after a failed retry', async () => {
    await using f = fixture([stall('x'), fail('auth'), say('Done.')]);
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    expect((await rejection(f.session.retry())).code).toBe('auth');
    expect((await f.session.retry()).text).toBe('Done.');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Done.']);
  });

  it('keeps the options of the failed attempt, except its signal; new options take precedence', async () => {
    await using f = fixture([stall('x'), callTools(addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
    });
    const controller = new AbortController();
    void f.session.send('Go', { limits: { maxRounds: 1, maxToolCalls: 3 }, signal: controller.signal });
    await settle();
    controller.abort();
    await settle();
    expect((await f.session.retry({ limits: { maxRounds: 2, maxToolCalls: 3 } })).text).toBe('Done.');
    const limits = f.observed.operations.flatMap((op) =>
      op.type === 'turnStarted' ? [op.limits.maxToolCalls] : [],
    );
    expect(limits).toEqual([3, 3]);
  });

  it('sends images again', async () => {
    await using f = fixture([fail('auth'), say('Done.')]);
    await rejection(f.session.send({ text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] }));
    await f.session.retry();
    expect(f.provider.requests[1]?.messages).toEqual(f.provider.requests[0]?.messages);
  });

  it('rejects nothing-to-retry at first, after a completed and after a stopped turn, and changes nothing', async () => {
    await using f = fixture([say('x'), finishWith('length', 'y')]);
    expect((await rejection(f.session.retry())).code).toBe('nothing-to-retry');
    await f.session.send('Go');
    expect((await rejection(f.session.retry())).code).toBe('nothing-to-retry');
    await f.session.send('Go');
    const before = f.session.state;
    expect((await rejection(f.session.retry())).code).toBe('nothing-to-retry');
    expect(f.session.state).toBe(before);
  });

  it('that is refused removes nothing from the conversation', async () => {
    await using f = fixture([fail('auth')]);
    await rejection(f.session.send('Go'));
    const before = f.session.state;
    expect((await rejection(f.session.retry({ limits: { maxRounds: -1 } }))).code).toBe(
      'invalid-configuration',
    );
    expect((await rejection(f.session.retry({ signal: AbortSignal.abort() }))).code).toBe('cancelled');
    expect(f.session.state).toBe(before);
  });

  it('the conversation lacks its user message only until the new turn is open', async () => {
    await using f = fixture([fail('auth'), say('Done.')]);
    await rejection(f.session.send('Go'));
    const turn = f.session.retry();
    await settle(20);
    expect(outline(f.session.conversation.value.messages)[0]).toBe('user: Go');
    await turn;
  });

  it.each(['headMoved', 'turnStarted'] as const)(
    'C26: whose signal a subscriber aborts at %s is cancelled',
    async (type) => {
      await using f = fixture([fail('auth')]);
      await rejection(f.session.send('Go'));
      const controller = new AbortController();
      f.session.operations$.subscribe((operation) => {
        if (operation.type === type) controller.abort();
      });
      expect((await rejection(f.session.retry({ signal: controller.signal }))).code).toBe('cancelled');
      expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    },
  );

  it('C26: `retry` is one step: a disposal that meets it leaves the user message in place', async () => {
    const f = fixture([fail('auth')]);
    await rejection(f.session.send('Go'));
    let disposed: Promise<void> | undefined;
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'headMoved') disposed = f.session.dispose();
    });
    expect((await rejection(f.session.retry())).code).toBe('cancelled');
    await disposed;
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    await f[Symbol.asyncDispose]();
  });
});
