// The option `onModelFailure`: a turn whose model fails is rolled back, or waits with its effects.
import { describe, expect, it } from 'vitest';
import {
  AgentSessionError,
  UndoHistory,
  type LocalAgentSession,
  type SessionOptions,
} from '@banister/session';
import {
  callTools,
  checkOrder,
  fail,
  failAfter,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';
import { open } from './left-turn.js';
import { logWorld } from './log-world.js';
import { dataBoard } from './data-board.js';
import { createSession, recordsOf } from './opened.js';

const once = { onModelFailure: 'wait', limits: { maxRetries: 0 } } as const;

/** A turn that adds a card, whose model then fails, and the answers that follow. */
function waiting(after: readonly AnswerSource[] = [], options: Partial<SessionOptions> = {}) {
  const board = createBoard();
  const answers = [callTools(addCard('A')), fail('overloaded'), ...after];
  const f = fixture(answers, { ...once, domains: [board.domain()], ...options });
  return { board, f };
}

describe('agents D1: with `onModelFailure: "wait"`, a turn whose model fails', () => {
  const passing = ['network', 'overloaded', 'quota', 'rate-limit', 'server', 'interrupted'] as const;

  it.each(passing)('waits with its effects after %s', async (code) => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), fail(code)], { ...once, domains: [board.domain()] });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe(code);
    const { state } = f.session;
    expect(state.interrupted).toEqual({ turnId: 'turn_1', at: 'stream', unknown: [], error: error.toJSON() });
    expect(state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: false, pendingRetry: null });
    expect(board.titles).toEqual(['A']);
    expect(f.observed.types.at(-1)).toBe('turnPutDown');
  });

  it('is rolled back without the option, after other errors, and after a cancel', async () => {
    const board = createBoard();
    const answers = [callTools(addCard('A')), fail('overloaded')];
    await using byDefault = fixture(answers, { limits: once.limits, domains: [board.domain()] });
    expect((await rejection(byDefault.session.send('Go'))).code).toBe('overloaded');
    await using other = fixture([callTools(addCard('A')), fail('auth')], {
      ...once,
      domains: [board.domain()],
    });
    expect((await rejection(other.session.send('Go'))).code).toBe('auth');
    await using cancelled = fixture([callTools(addCard('A')), stall('Half')], {
      ...once,
      domains: [board.domain()],
    });
    const turn = rejection(cancelled.session.send('Go'));
    await settle();
    await cancelled.session.cancel();
    expect((await turn).code).toBe('cancelled');
    for (const { session } of [byDefault, other, cancelled]) expect(session.interrupted.value).toBeNull();
    expect(board.titles).toEqual([]);
  });

  it('goes on with `resume`, and is one step of undo, although its effects have no data', async () => {
    const { board, f } = waiting([callTools(addCard('B')), say('Done.')]);
    await using _f = f;
    await rejection(f.session.send('Go'));
    expect(await f.session.resume()).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(f.session.interrupted.value).toBeNull();
    expect(board.titles).toEqual(['A', 'B']);
    expect((await f.session.undo()).done.map(({ description }) => description)).toEqual([
      'Added B',
      'Added A',
    ]);
    expect(board.titles).toEqual([]);
    await f.session.redo();
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('goes on with the provider that `configure` has set', async () => {
    const { board, f } = waiting();
    await using _f = f;
    await rejection(f.session.send('Go'));
    const other = scriptedProvider([say('From the other model.')]);
    f.session.configure({ provider: other });
    expect(await f.session.resume()).toMatchObject({ text: 'From the other model.' });
    expect(other.requests).toHaveLength(1);
    expect(board.titles).toEqual(['A']);
  });

  it('waits again if its model fails again', async () => {
    const { board, f } = waiting([callTools(addCard('B')), fail('network'), say('Done.')]);
    await using _f = f;
    await rejection(f.session.send('Go'));
    expect((await rejection(f.session.resume())).code).toBe('network');
    expect(f.session.interrupted.value?.error?.code).toBe('network');
    await f.session.resume();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it.each(['abandon', 'cancel', 'undo'] as const)('is taken back by `%s`', async (name) => {
    const { board, f } = waiting();
    await using _f = f;
    await rejection(f.session.send('Go'));
    const report = await f.session[name]();
    expect('undo' in report ? report.undo.done : report.done).toMatchObject([{ description: 'Added A' }]);
    expect(board.titles).toEqual([]);
    expect(f.session.interrupted.value).toBeNull();
    expect(f.session.turns.value).toMatchObject([{ status: 'failed' }]);
  });

  it('leaves an edit of the user in place, and reports the conflict', async () => {
    const { board, f } = waiting();
    await using _f = f;
    await rejection(f.session.send('Go'));
    board.rename('A', 'Mine');
    expect((await f.session.abandon()).failed).toMatchObject([{ toolName: 'board.add' }]);
    expect(board.titles).toEqual(['Mine']);
  });

  it('refuses with `interrupted` every command that starts a turn or moves the head', async () => {
    const { board, f } = waiting([say('Done.')]);
    await using _f = f;
    await rejection(f.session.send('Go'));
    const { session } = f;
    const { sequence } = session.state;
    const commands: readonly ((s: LocalAgentSession) => Promise<unknown>)[] = [
      (s) => s.send('More'),
      (s) =>
        new Promise((resolve, reject) =>
          s.turn$('More').subscribe({ error: reject, complete: resolve as () => void }),
        ),
      (s) => s.generate('More', { type: 'object' }),
      (s) => s.retry(),
      (s) => s.regenerate(),
      (s) => s.edit('turn_1', 'More'),
      (s) => s.switchTo('turn_1'),
      (s) => s.clear(),
      (s) => s.compact(),
    ];
    for (const command of commands) expect((await rejection(command(session))).code).toBe('interrupted');
    expect((await rejection(session.redo())).code).toBe('conflict');
    expect(session.state.sequence).toBe(sequence);
    expect(board.titles).toEqual(['A']);
    await session.resume();
  });

  it('pauses the queue, and takes messages into it', async () => {
    const { f } = waiting([say('Done.'), say('And more.')]);
    await using _f = f;
    const turn = rejection(f.session.send('Go'));
    const first = f.session.enqueue('More');
    await turn;
    expect(f.session.queuePaused.value).toBe(true);
    const second = rejection(f.session.enqueue('Again'));
    await f.session.resume();
    expect(f.session.queue.value).toHaveLength(2);
    await f.session.dequeue(f.session.queue.value[1]!.id);
    await f.session.resumeQueue();
    await f.clock.advance(0);
    expect(await first).toBe('completed');
    await second.catch(() => {});
  });

  it('completes `turn$` after the operation `turnPutDown`', async () => {
    const { f } = waiting();
    await using _f = f;
    const types: string[] = [];
    await new Promise<void>((complete) => {
      f.session.turn$('Go').subscribe({ next: ({ type }) => types.push(type), complete });
    });
    expect(types.at(-1)).toBe('turnPutDown');
    await f.session.abandon();
  });

  it('goes on if a subscriber of its `turn$` calls `resume` at `turnPutDown`', async () => {
    const { board, f } = waiting([say('First.'), callTools(addCard('B')), fail('overloaded'), say('Done.')]);
    await using _f = f;
    await rejection(f.session.send('First'));
    // Loads the code of `resume`, so that the next call begins at once.
    await f.session.resume();
    const resumed = new Promise((resolve, reject) => {
      f.session.turn$('Go').subscribe(({ type }) => {
        if (type === 'turnPutDown') f.session.resume().then(resolve, reject);
      });
    });
    expect(await resumed).toMatchObject({ text: 'Done.' });
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('stops the deadline of an open request for more of a limit, and asks again with `resume`', async () => {
    const rest = gate();
    await using f = fixture([failAfter(['Half', rest], 'server'), say('Done.')], {
      onModelFailure: 'wait',
      limits: { onTrip: 'ask', timeoutMs: 1_000, confirmationTimeoutMs: 45_000 },
    });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.clock.advance(1_000);
    const { pendingExtension } = f.session;
    expect(pendingExtension.value).toMatchObject({ limit: 'timeoutMs', expiresAt: 47_000 });
    rest.open();
    await turn;
    expect(pendingExtension.value).toMatchObject({ limit: 'timeoutMs', expiresAt: null });
    await f.clock.advance(100_000);
    const done = f.session.resume();
    await settle();
    expect(pendingExtension.value?.expiresAt).toBe(147_000);
    const { id } = pendingExtension.value!;
    expect(await f.session.respond(id, { extend: { timeoutMs: 5_000 } })).toBe('accepted');
    expect(await done).toMatchObject({ text: 'Done.' });
  });

  it('fails as without the option if the history of the app could not be opened', async () => {
    const history = {
      begin(): never {
        throw new AgentSessionError('network', 'The history is offline.');
      },
    };
    await using f = fixture([], { ...once, history });
    expect((await rejection(f.session.send('Go'))).code).toBe('network');
    expect(f.session.interrupted.value).toBeNull();
    expect(f.session.turns.value).toMatchObject([{ status: 'failed' }]);
  });

  it('hands its effects to the history of the app once', async () => {
    const history = new UndoHistory();
    const { board, f } = waiting([say('Done.')], { history });
    await using _f = f;
    await rejection(f.session.send('Go'));
    await f.session.resume();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('goes on with `resume`, and a cancel reports the call that it aborts as unknown', async () => {
    const deaf = spyTool('deaf', { execute: () => new Promise<string>(() => {}) });
    await using f = fixture([fail('overloaded'), callTools({ tool: 'mail.deaf' })], {
      ...once,
      domains: [{ id: 'mail', tools: [deaf] }],
    });
    await rejection(f.session.send('Go'));
    const resumed = rejection(f.session.resume());
    await settle();
    const report = await f.session.cancel({ immediate: true });
    expect(report.undo.unknown).toMatchObject([{ toolName: 'mail.deaf' }]);
    expect((await resumed).code).toBe('cancelled');
  });

  it('is rolled back if one of its calls still runs', async () => {
    let end = () => {};
    const late = spyTool('late', {
      timeoutMs: 10,
      execute: () => new Promise<string>((resolve) => (end = () => resolve('Late.'))),
    });
    await using f = fixture([callTools({ tool: 'mail.late' }), fail('overloaded')], {
      ...once,
      domains: [{ id: 'mail', tools: [late] }],
    });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.clock.advance(10);
    expect((await turn).code).toBe('overloaded');
    expect(f.session.turns.value).toMatchObject([{ status: 'failed' }]);
    end();
    await settle();
  });

  it('stays as it is when the session is disposed', async () => {
    const { board, f } = waiting();
    await using _f = f;
    await rejection(f.session.send('Go'));
    await f.session.dispose();
    expect(board.titles).toEqual(['A']);
    expect(f.session.interrupted.value?.error?.code).toBe('overloaded');
  });
});

describe('agents D1: a turn that waits for its model, in its log', () => {
  async function logged() {
    const board = dataBoard();
    const made = createSession([callTools(addCard('A')), fail('quota')], {
      ...once,
      domains: [board.domain()],
    });
    await rejection(made.session.send('Go'));
    const operations = made.operations.slice();
    await made.session.dispose();
    return { board, operations, records: recordsOf([operations]) };
  }

  it('keeps its error across a reload, and is still not abandoned by a new message', async () => {
    const log = await logged();
    const next = await open(log, [say('Done.')], once);
    expect(next.session.interrupted.value).toMatchObject({ at: 'stream', error: { code: 'quota' } });
    expect((await rejection(next.session.send('More'))).code).toBe('interrupted');
    expect(await next.session.resume()).toMatchObject({ text: 'Done.' });
    expect(checkOrder([...log.operations, ...next.operations])).toEqual([]);
    await next.session.undo();
    expect(log.board.cards).toEqual([]);
    await next.session.dispose();
  });

  it('stays in the session that has its closures, at every command of another session', async () => {
    const world = logWorld();
    const board = createBoard();
    const options = { ...once, domains: [board.domain()] };
    const first = await world.open([callTools(addCard('A')), fail('overloaded'), say('Done.')], options);
    const second = await world.open([], options);
    await rejection(first.session.send('Go'));
    expect((await rejection(second.session.send('More'))).code).toBe('interrupted');
    expect(await second.session.resume()).toMatchObject({ text: 'Done.' });
    expect(first.session.link.value.role).toBe('writer');
    expect((await second.session.undo()).done).toHaveLength(1);
    expect(board.titles).toEqual([]);
    await first.session.dispose();
    await second.session.dispose();
  });

  it.each(['abandon', 'cancel'] as const)(
    'is taken back by `%s` after its log took no writes',
    async (name) => {
      let isFull = false;
      const world = logWorld((log) => ({
        append: (...args) => (isFull ? Promise.reject(new Error('full')) : log.append(...args)),
      }));
      const board = createBoard();
      const options = { ...once, domains: [board.domain()], whenUnsaved: 'stop' } as const;
      const { session } = await world.open([callTools(addCard('A')), fail('overloaded')], options);
      await rejection(session.send('Go'));
      isFull = true;
      const queued = rejection(session.enqueue('More'));
      await world.clock.advance(40_000);
      expect((await queued).code).toBe('storage');
      const cancelled = name === 'cancel' ? session.cancel() : null;
      await settle();
      isFull = false;
      await world.clock.advance(5_000);
      await (cancelled ?? session.abandon());
      expect(board.titles).toEqual([]);
      expect(session.turns.value).toMatchObject([{ status: 'failed' }]);
      await session.dispose();
      expect(checkOrder(await world.stored())).toEqual([]);
    },
  );

  it('is an interrupted turn without an error if its log takes no writes after `resume`', async () => {
    let isFull = false;
    const world = logWorld((log) => ({
      append: (...args) => (isFull ? Promise.reject(new Error('full')) : log.append(...args)),
    }));
    const board = dataBoard();
    const options = { ...once, domains: [board.domain()], whenUnsaved: 'stop' } as const;
    const { session } = await world.open([callTools(addCard('A')), fail('overloaded')], options);
    await rejection(session.send('Go'));
    isFull = true;
    const resumed = rejection(session.resume());
    await world.clock.advance(40_000);
    expect((await resumed).code).toBe('storage');
    isFull = false;
    await world.clock.advance(5_000);
    expect(session.interrupted.value).toMatchObject({ at: 'stream' });
    expect(session.interrupted.value).not.toHaveProperty('error');
    expect((await session.abandon()).done).toHaveLength(1);
    expect(board.cards).toEqual([]);
    await session.dispose();
  });

  it('goes on in a session that gets the log back, with the effects of the other session', async () => {
    const world = logWorld();
    const board = dataBoard();
    const options = { ...once, domains: [board.domain()] };
    const first = await world.open([callTools(addCard('A')), fail('overloaded'), say('Done.')], options);
    const second = await world.open([callTools(addCard('B')), fail('network')], options);
    await rejection(first.session.send('Go'));
    expect((await rejection(second.session.resume())).code).toBe('network');
    expect(second.session.link.value.role).toBe('writer');
    await second.session.dispose();
    await world.clock.advance(10_000);
    expect(await first.session.resume()).toMatchObject({ text: 'Done.' });
    expect((await first.session.undo()).done).toHaveLength(2);
    expect(board.cards).toEqual([]);
    await first.session.dispose();
  });

  it('is resumed by `onInterrupted: "resume"` once at the same point', async () => {
    const log = await logged();
    const options = { ...once, onInterrupted: 'resume' } as const;
    const second = await open(log, [fail('quota')], options);
    await settle();
    expect(second.provider.requests).toHaveLength(1);
    expect(second.session.interrupted.value?.error?.code).toBe('quota');
    const records = recordsOf([[...log.operations, ...second.operations]]);
    await second.session.dispose();
    const third = await open({ ...log, records }, [], options);
    await settle();
    expect(third.provider.requests).toHaveLength(0);
    expect(third.session.interrupted.value?.error?.code).toBe('quota');
    await third.session.abandon();
    expect(log.board.cards).toEqual([]);
    await third.session.dispose();
  });
});
