// Calls that are given before a session is open: they act as those that are given to one that is.
import { effect } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { checkOrder, memoryLog, say, settle } from '@banister/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { savedNothing } from '../src/conversation/saved-nothing.js';
import { lateCode } from './late-code.js';
import { left, type Left } from './left-turn.js';
import { codeOf, createSession, opened } from './opened.js';

afterEach(() => void vi.restoreAllMocks());

describe('a subscriber of the first operation of a turn that waited for the code of sessions', () => {
  it('cancels the turn', async () => {
    const { arrive } = lateCode();
    const { session, provider } = createSession([say('Hello.')]);
    const reports: boolean[] = [];
    session.operations$.subscribe(({ type }) => {
      if (type === 'turnStarted') void session.cancel().then(({ cancelled }) => reports.push(cancelled));
    });
    const sent = codeOf(session.send('Hi'));
    arrive();
    expect(await sent).toBe('cancelled');
    expect(reports).toEqual([true]);
    expect(provider.requests).toEqual([]);
    await session.dispose();
  });

  it('cannot start another turn, and no view shows one', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([say('Hello.')]);
    const shown = new Set<string>();
    const stop = effect(() => {
      const { value } = session.liveTurn;
      if (value !== null) shown.add(value.id);
    });
    const codes: unknown[] = [];
    session.operations$.subscribe(({ type }) => {
      if (type === 'turnStarted') void codeOf(session.send('More')).then((code) => codes.push(code));
    });
    const sent = codeOf(session.send('Hi'));
    arrive();
    expect(await sent).toBe('resolved');
    expect(codes).toEqual(['already-running']);
    expect(shown.size).toBe(1);
    stop();
    await session.dispose();
  });

  it('disposes the session: the call after the turn rejects `disposed`', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([say('Hello.')]);
    const disposals: Promise<void>[] = [];
    session.operations$.subscribe(({ type }) => {
      if (type === 'turnStarted') disposals.push(session.dispose());
    });
    const sent = codeOf(session.send('Hi'));
    const undone = codeOf(session.undo());
    arrive();
    expect([await sent, await undone]).toEqual(['cancelled', 'disposed']);
    expect(session.dispose()).toBe(disposals[0]);
  });
});

describe('while the code of sessions is being fetched', () => {
  it('a message is sent in the form that it had when `send` was called', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([say('Hello.')]);
    const image = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
    const input = { text: 'Hi', images: [image] };
    const sent = session.send(input);
    input.text = '';
    input.images.length = 0;
    arrive();
    await sent;
    expect(session.turns.value[0]!.input.parts).toMatchObject([{ text: 'Hi' }, { type: 'image' }]);
    await session.dispose();
  });

  it('an invalid `signal` is refused when the code is loaded, like other invalid options', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([]);
    const sent = codeOf(session.send('Hi', { signal: {} as never }));
    expect(session.isRunning.value).toBe(true);
    arrive();
    expect(await sent).toBe('invalid-configuration');
    expect(session.isRunning.value).toBe(false);
    await session.dispose();
  });

  it('a turn$ that was cancelled does not run when it is subscribed to again', async () => {
    const { arrive } = lateCode();
    const { session, provider } = createSession([say('Hello.')]);
    const turn = session.turn$('Hi');
    const ended = () =>
      new Promise((resolve) => turn.subscribe({ error: resolve, complete: () => resolve('completed') }));
    const first = ended();
    await session.cancel();
    expect(await first).toMatchObject({ code: 'cancelled' });
    arrive();
    await settle();
    expect(await ended()).toMatchObject({ code: 'already-running' });
    expect(provider.requests).toEqual([]);
    await session.dispose();
  });

  it('a second cancel has nothing to do, and does not wait', async () => {
    lateCode();
    const { session } = createSession([]);
    void session.send('Hi');
    await session.cancel();
    expect(await session.cancel()).toMatchObject({ landed: 'idle', cancelled: false });
    await session.dispose();
  });

  it('a cancel ends the turn of an earlier call, if the later turn cannot begin after it', async () => {
    const { arrive } = lateCode();
    const { session, provider } = createSession([say('Hello.')]);
    void session.send('One');
    void session.cancel();
    const retried = codeOf(session.retry());
    void session.send('Two');
    void session.cancel();
    arrive();
    expect(await retried).toBe('cancelled');
    expect(provider.requests).toEqual([]);
    expect(session.turns.value.map(({ status }) => status)).toEqual(['cancelled']);
    await session.dispose();
  });

  it.each([true, false])(
    'a queued message keeps waiting when the turn before it is cancelled (late: %s)',
    async (isLate) => {
      const code = lateCode();
      if (!isLate) code.restore();
      const { session, provider } = createSession([say('Hello.')]);
      void session.send('One');
      void session.enqueue('Two');
      void session.cancel();
      code.arrive();
      await settle();
      expect(session.queuePaused.value).toBe(true);
      expect(session.queue.value).toMatchObject([{ input: 'Two' }]);
      expect(session.turns.value.map(({ status }) => status)).toEqual(['cancelled']);
      expect(provider.requests).toEqual([]);
      await session.dispose();
    },
  );

  it('operations are folded onto a state that shows ended turns', async () => {
    const { arrive } = lateCode();
    const { session, operations } = createSession([say('Hello.')]);
    void session.send('One');
    await session.cancel();
    const { state } = session;
    expect(state.turns).toHaveLength(1);
    arrive();
    await session.send('Two');
    expect(fold(state, operations)).toEqual(session.state);
    await session.dispose();
  });

  it('a conversation that is saved while a log is read has no turn without an operation', async () => {
    const log = { ...memoryLog(), load: () => new Promise<never>(() => {}) };
    const { session } = createSession([], { id: 'conversation', log });
    void session.send('Hi');
    await session.cancel();
    await settle();
    expect(session.turns.value).toHaveLength(1);
    expect(session.save().turns).toEqual([]);
    await session.dispose();
  });

  it('releasing an attended question after the session is disposed is not an error', async () => {
    lateCode();
    const { session } = createSession([]);
    await session.dispose();
    expect(() => session.attend('question')()).not.toThrow();
  });
});

describe('when the code of sessions arrives', () => {
  it('an effect reads the same values from the state and from the signals, and a turn that it sends is shown', async () => {
    const first = createSession([say('Before.')]);
    await first.session.send('Before?');
    const conversation = first.session.save();
    const { arrive } = lateCode();
    const { session } = createSession([say('Hello.')], { conversation });
    const lengths: (readonly number[])[] = [];
    const running: boolean[] = [];
    const stop = effect(() => {
      const { length } = session.turns.value;
      lengths.push([length, session.state.turns.length]);
      if (length !== 1 || running.length > 0) return;
      void session.send('Now');
      running.push(session.isRunning.value);
    });
    arrive();
    await opened(session);
    expect(running).toEqual([true]);
    expect(lengths).toEqual(lengths.map(([length]) => [length, length]));
    stop();
    await Promise.all([first.session.dispose(), session.dispose()]);
  });

  it('the record of a failed turn is not shown as running', async () => {
    const { arrive } = lateCode(1);
    const { session } = createSession([say('Hello.')]);
    const codes: unknown[] = [];
    const running: boolean[] = [];
    const stops = [
      effect(() => void codes.push(session.lastError.value?.code)),
      effect(() => void running.push(session.isRunning.value)),
    ];
    expect(await codeOf(session.send('Hi'))).toBe('network');
    arrive();
    await session.retry();
    expect(codes).toEqual([undefined, 'network', undefined]);
    expect(running).toEqual([false, true, false, true, false]);
    for (const stop of stops) stop();
    await session.dispose();
  });
});

describe('turns that ended before the code of sessions was there', () => {
  it('a recorded turn is not shown with the error of a later turn', async () => {
    const { arrive } = lateCode(2);
    const { session, operations } = createSession([]);
    const first = codeOf(session.send('One'));
    await session.cancel();
    const codes = [await first, await codeOf(session.send('Two')), await codeOf(session.send('Three'))];
    expect(codes).toEqual(['cancelled', 'network', 'network']);
    const errors: unknown[] = [];
    const readings: (readonly unknown[])[] = [];
    session.operations$.subscribe(() => {
      const { isRunning, lastError } = session.state;
      if (isRunning) errors.push(lastError);
      readings.push([session.lastError.value?.code, lastError?.code]);
    });
    arrive();
    await codeOf(session.undo());
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => error !== null)).toEqual([]);
    expect(readings).toEqual(readings.map(([, code]) => [code, code]));
    expect(session.turns.value.map(({ status }) => status)).toEqual(['cancelled', 'failed', 'failed']);
    expect(checkOrder(operations)).toEqual([]);
    await session.dispose();
  });

  it('a command that waits for its own code is shown, even if a later turn could not begin', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([]);
    const cleared = codeOf(session.clear());
    const aborter = new AbortController();
    const sent = codeOf(session.send('Hi', { signal: aborter.signal }));
    aborter.abort();
    const running: boolean[] = [];
    const stop = effect(() => void running.push(session.isRunning.value));
    arrive();
    expect([await sent, await cleared]).toEqual(['cancelled', 'resolved']);
    expect(running).toEqual([false, true, false]);
    expect(session.turns.value).toEqual([]);
    stop();
    await session.dispose();
  });
});

describe('when the code of sessions cannot be loaded', () => {
  it('a change of configure is kept for the next attempt', async () => {
    const { arrive } = lateCode(1);
    const { session, provider } = createSession([say('Hello.')], { role: 'First.' });
    session.configure({ role: 'Second.' });
    expect(await codeOf(session.undo())).toBe('network');
    arrive();
    await session.send('Hi');
    expect(provider.requests[0]!.system).toContain('Second.');
    await session.dispose();
  });

  it('a cancel rejects with the reason when the saved conversation is invalid', async () => {
    const { arrive } = lateCode();
    const { session } = createSession([], {
      conversation: { ...savedNothing(), turns: 5 } as never,
    });
    arrive();
    await opened(session);
    expect(await codeOf(session.cancel())).toBe('invalid-configuration');
    await session.dispose();
  });

  it('an effect that retries the failed turn runs after the turn is recorded', async () => {
    const { arrive } = lateCode(1);
    const { session, operations } = createSession([say('Hello.')]);
    let retried: Promise<unknown> | undefined;
    const stop = effect(() => {
      if (session.lastError.value?.code === 'network') retried ??= codeOf(session.retry());
    });
    arrive();
    expect(await codeOf(session.send('Hi'))).toBe('network');
    expect(await retried).toBe('resolved');
    const begun = operations.filter((operation) => operation.type === 'turnStarted');
    expect(begun.map(({ retryOf }) => retryOf)).toEqual([undefined, begun[0]!.turnId]);
    expect(session.turns.value.map(({ status }) => status)).toEqual(['completed']);
    expect(checkOrder(operations)).toEqual([]);
    expect(fold(initialState(), operations)).toEqual(session.state);
    stop();
    await session.dispose();
  });
});

describe('on a log with a turn that was interrupted', () => {
  function openLog({ board, records, operations: before }: Left) {
    const made = createSession([say('Done.')], {
      domains: [board.domain()],
      restored: { snapshot: null, records },
    });
    return { ...made, before };
  }

  const openLeft = async () => openLog(await left());

  it('a turn that was cancelled while the log was read is recorded after the end of the interrupted turn', async () => {
    const { session, operations, before } = await openLeft();
    void session.send('Hi');
    await session.cancel();
    await opened(session);
    await settle();
    expect(checkOrder([...before, ...operations])).toEqual([]);
    expect(session.turns.value.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    expect(session.interrupted.value).toBeNull();
    await session.dispose();
  });

  it('the error of a turn that failed meanwhile is not shown while the interrupted turn is undone', async () => {
    const log = await left();
    const { arrive } = lateCode(1);
    const { session } = openLog(log);
    expect(await codeOf(session.send('Hi'))).toBe('network');
    const running: unknown[] = [];
    const stop = effect(() => {
      if (session.isRunning.value) running.push(session.lastError.value);
    });
    arrive();
    await codeOf(session.undo());
    expect(running.length).toBeGreaterThan(0);
    expect(running.filter((error) => error !== null)).toEqual([]);
    expect(session.lastError.value).toMatchObject({ code: 'network' });
    stop();
    await session.dispose();
  });

  it('a cancelled turn that waited for another command does not delay later calls', async () => {
    const { session, operations, before } = await openLeft();
    const cleared = codeOf(session.clear());
    const aborter = new AbortController();
    void session.send('Hi', { signal: aborter.signal });
    aborter.abort();
    const undone = codeOf(session.undo());
    expect([await undone, await cleared]).toEqual(['already-running', 'resolved']);
    expect(checkOrder([...before, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('a second `retry` is refused while the interrupted turn is undone', async () => {
    const { session, provider } = await openLeft();
    await opened(session);
    const codes = await Promise.all([codeOf(session.retry()), codeOf(session.retry())]);
    expect(codes).toEqual(['resolved', 'already-running']);
    expect(provider.requests).toHaveLength(1);
    await session.dispose();
  });

  it('a cancel ends a `retry` while the interrupted turn is undone', async () => {
    const { session, provider } = await openLeft();
    await opened(session);
    const retried = codeOf(session.retry());
    expect(session.state).toMatchObject({ isRunning: true, phase: 'preparing' });
    expect(await session.cancel()).toMatchObject({ landed: 'preparing', cancelled: true });
    expect(await retried).toBe('cancelled');
    expect(provider.requests).toEqual([]);
    await session.dispose();
  });
});
