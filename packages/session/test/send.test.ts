// `send`: its checks, its result and its refusals.
import { lastValueFrom, take } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import {
  callTools,
  createVirtualClock,
  fail,
  finishWith,
  forcedGuard,
  gate,
  say,
  spyTool,
} from '@banister/testing';
import { UndoHistory, type AgentSession } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, terminals } from './fixture.js';

describe('send', () => {
  it('resolves with status, text, messages, usage and rounds', async () => {
    await using f = fixture([callTools('One. ', addCard('A')), say('Two.', { usage: { inputTokens: 3 } })], {
      domains: [createBoard().domain()],
    });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({
      status: 'completed',
      text: 'One. \n\nTwo.',
      usage: { inputTokens: 3 },
      rounds: 2,
    });
    expect(result.messages).toEqual(f.session.conversation.value.messages);
    expect(result).not.toHaveProperty('stop');
  });

  it('fails if the clock throws at its beginning; the next send runs', async () => {
    const clock = createVirtualClock();
    let isBroken = true;
    const monotonic = () => {
      if (isBroken) throw new Error('No clock.');
      return clock.now();
    };
    const { now, schedule } = clock;
    await using f = fixture([say('Fine.')], { ports: { clock: { now, schedule, monotonic } } });
    expect((await rejection(f.session.send('Go'))).code).toBe('provider-contract');
    expect(f.observed.types.slice(-2)).toEqual(['rolledBack', 'failed']);
    isBroken = false;
    expect((await f.session.send('Again')).text).toBe('Fine.');
  });

  it('a turn is refused if the clock throws at its first operation; the session stays idle', async () => {
    const clock = createVirtualClock();
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('No clock.');
      return clock.now();
    };
    const { monotonic, schedule } = clock;
    const { signal } = new AbortController();
    const unsubscribed = vi.spyOn(signal, 'removeEventListener');
    await using f = fixture([fail('auth'), say('Fine.')], { ports: { clock: { now, schedule, monotonic } } });
    await rejection(f.session.send('Go'));
    const before = f.session.state;
    isBroken = true;
    for (const refused of [f.session.send('Again', { signal }), f.session.retry()]) {
      expect(await rejection(refused)).toMatchObject({
        code: 'provider-contract',
        cause: new Error('No clock.'),
      });
    }
    await expect(lastValueFrom(f.session.turn$('Again'))).rejects.toMatchObject({
      code: 'provider-contract',
    });
    expect(unsubscribed).toHaveBeenCalledTimes(1);
    expect(f.session.state).toBe(before);
    expect(f.session.isRunning.value).toBe(false);
    isBroken = false;
    expect((await f.session.send('Again')).text).toBe('Fine.');
  });

  it("resolves with this turn's messages only", async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    await f.session.send('Go');
    expect(outline((await f.session.send('Next')).messages)).toEqual(['user: Next', 'assistant: Two.']);
  });

  it('resolves stopped with the reason', async () => {
    await using f = fixture([finishWith('length', 'Half an')]);
    expect(await f.session.send('Go')).toMatchObject({
      status: 'stopped',
      text: 'Half an',
      stop: { kind: 'length' },
    });
  });

  it('`send` rejects with the error that `lastError` shows', async () => {
    const cause = new Error('socket');
    await using f = fixture([fail(cause)]);
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('provider-contract');
    expect(error.cause).toBe(cause);
    expect(f.session.lastError.value).toBe(error);
  });

  it('X6 a second send, or a hundred sends, reject `already-running` and change nothing', async () => {
    const more = gate();
    await using f = fixture([say(['a', more, 'b'])]);
    const turn = f.session.send('Go');
    await more.reached;
    const before = f.session.state;
    const { length } = f.observed.operations;
    const others = Array.from({ length: 100 }, (_, i) => f.session.send(`${i}`));
    for (const other of others) expect((await rejection(other)).code).toBe('already-running');
    expect(f.session.state).toBe(before);
    expect(f.observed.operations).toHaveLength(length);
    more.open();
    expect((await turn).text).toBe('ab');
    expect(f.provider.requests).toHaveLength(1);
  });

  it('`send` is accepted in the subscriber of a terminal operation', async () => {
    for (const answer of [say('x'), fail('auth')]) {
      await using f = fixture([answer, say('Next.')]);
      let next: Promise<{ readonly text: string }> | undefined;
      f.session.operations$.pipe(take(200)).subscribe((operation) => {
        if (isTerminal(operation)) next ??= f.session.send('Next');
      });
      await f.session.send('Go').catch(() => {});
      expect((await next)?.text).toBe('Next.');
      expect(terminals(f)).toHaveLength(2);
    }
  });

  it('T18 in a tool, guard, handler or context source, commands reject `already-running`', async () => {
    const codes: string[] = [];
    const later: { session?: AgentSession } = {};
    const busy = async () => {
      const { session } = later as Required<typeof later>;
      for (const command of [session.send('x'), session.undo(), session.redo(), session.retry()])
        codes.push((await rejection(command)).code);
    };
    await using f = fixture([callTools({ tool: 'board.busy' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('busy', { execute: async () => void (await busy()) })] }],
      guards: [forcedGuard('busy', async () => (await busy(), { confirm: 'Sure?' }))],
      confirm: async () => (await busy(), { approve: true }),
      context: [{ id: 'busy', policy: 'always', summary: async () => (await busy(), 'x') }],
    });
    later.session = f.session;
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(codes).toHaveLength(20);
    expect(new Set(codes)).toEqual(new Set(['already-running']));
  });

  it('never throws synchronously', async () => {
    await using f = fixture([]);
    for (const input of [
      undefined,
      null,
      3,
      {},
      '',
      { text: 4 },
      { text: 'x', images: 'y' },
      { text: '', images: [] },
    ]) {
      const promise = f.session.send(input as never);
      expect((await rejection(promise)).code, JSON.stringify(input)).toBe('invalid-input');
    }
    expect((await rejection(f.session.send('x', { limits: { maxRounds: -1 } }))).code).toBe(
      'invalid-configuration',
    );
    expect((await rejection(f.session.send('x', { limits: { nonsense: 1 } as never }))).code).toBe(
      'invalid-configuration',
    );
    for (const options of [
      null,
      3,
      { signal: 5 },
      { signal: new AbortController() },
      { signal: null },
      { signal: { addEventListener() {} } },
    ]) {
      const { code } = await rejection(f.session.send('x', options as never));
      expect(code, JSON.stringify(options)).toBe('invalid-configuration');
    }
    // No refused send leaves anything behind: the session accepts the next message.
    expect(f.session.state.phase).toBe('idle');
    expect((await f.session.cancel()).cancelled).toBe(false);
    await f.session.dispose();
    expect((await rejection(f.session.send('x'))).code).toBe('disposed');
  });

  it.each([
    ['empty text', '', 'invalid-input'],
    ['white space', ' \n ', 'invalid-input'],
    [
      'an image that is none',
      { text: 'x', images: [{ mediaType: 'text/plain', data: 'AAAA' }] },
      'unreadable-attachment',
    ],
    [
      'an image without data',
      { text: 'x', images: [{ mediaType: 'image/png', data: '' }] },
      'unreadable-attachment',
    ],
    [
      'an image for a provider without',
      { text: 'x', images: [{ mediaType: 'image/png', data: 'AAAA' }] },
      'unsupported',
    ],
  ] as const)('refuses %s before anything changes', async (_name, input, code) => {
    await using f = fixture([fail('auth')], { scripted: { images: false } });
    await rejection(f.session.send('Go'));
    const before = f.session.state;
    const { length } = f.observed.operations;
    const error = f.session.lastError.value;
    expect((await rejection(f.session.send(input))).code).toBe(code);
    expect(f.session.state).toBe(before);
    expect(f.session.lastError.value).toBe(error);
    expect(f.observed.operations).toHaveLength(length);
    expect(f.provider.requests).toHaveLength(1);
  });

  it('a refused send does not clear redo', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    await f.session.undo();
    await rejection(f.session.send(''));
    await f.session.redo();
    expect(board.titles).toEqual(['A']);
  });

  it('X4 a rejection without a handler is no unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      await using f = fixture([fail('auth')]);
      void f.session.send('Go');
      void f.session.send('too early');
      void f.session.retry();
      void f.session.undo();
      void f.session.redo();
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(unhandled).not.toHaveBeenCalled();
      expect(f.session.lastOutcome.value?.error?.code).toBe('auth');
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('methods are detachable', async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    const { send, cancel, configure, save, undo, turn$, respond, retry } = f.session;
    expect((await send('Go')).text).toBe('One.');
    configure({ role: 'x' });
    expect(save().turns).toHaveLength(1);
    expect(await respond('x', { approve: true })).toBe('already-settled');
    expect((await cancel()).cancelled).toBe(false);
    expect((await rejection(undo())).code).toBe('nothing-to-undo');
    expect((await rejection(retry())).code).toBe('nothing-to-retry');
    expect((await lastValueFrom(turn$('Next'))).type).toBe('completed');
  });

  it("works through a framework's proxy", async () => {
    await using f = fixture([callTools(addCard('A')), say('One.')], { domains: [createBoard().domain()] });
    const proxy = new Proxy(f.session, {
      get: (target, key, receiver) => Reflect.get(target, key, receiver),
    });
    expect((await proxy.send('Go')).text).toBe('One.');
    expect(proxy.state.turns).toHaveLength(1);
    expect(proxy.currentText.value).toBe('One.');
  });
});
