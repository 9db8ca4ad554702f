// Section 4 of the contract: send, turn$, retry, configure, dispose.
import { firstValueFrom, lastValueFrom, retry as rxRetry, take, toArray } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, finishWith, forcedGuard, gate, gatedTool, say, scriptedProvider, settle, spyTool, stall } from '@handrail/testing';
import { isTerminal, UndoHistory, type AgentSession } from '@handrail/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, outline, rejection, terminals } from './fixture.js';

describe('send', () => {
  it('resolves with status, text, messages, usage and rounds', async () => {
    await using f = fixture([callTools('One. ', addCard('A')), say('Two.', { usage: { inputTokens: 3 } })], {
      domains: [createBoard().domain()],
    });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'completed', text: 'One. Two.', usage: { inputTokens: 3 }, rounds: 2 });
    expect(result.messages).toEqual(f.session.conversation.value.messages);
    expect(result).not.toHaveProperty('stop');
  });

  it("resolves with this turn's messages only", async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    await f.session.send('Go');
    expect(outline((await f.session.send('Next')).messages)).toEqual(['user: Next', 'assistant: Two.']);
  });

  it('resolves stopped with the reason', async () => {
    await using f = fixture([finishWith('length', 'Half an')]);
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', text: 'Half an', stop: { kind: 'length' } });
  });

  it('rejects with the error instance that lastError shows, its cause kept', async () => {
    const cause = new Error('socket');
    await using f = fixture([fail(cause)]);
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('provider-contract');
    expect(error.cause).toBe(cause);
    expect(f.session.lastError.value).toBe(error);
  });

  it('X6 a second one rejects already-running and changes nothing; so do a hundred', async () => {
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

  it('is accepted in the subscriber of a terminal operation, whatever the ending', async () => {
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

  it('T18 in a tool, a guard, a handler and a context source, commands reject already-running', async () => {
    const codes: string[] = [];
    let session!: AgentSession;
    const busy = async () => {
      for (const command of [session.send('x'), session.undo(), session.redo(), session.retry()])
        codes.push((await rejection(command)).code);
    };
    await using f = fixture([callTools({ tool: 'board.busy' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('busy', { execute: async () => void (await busy()) })] }],
      guards: [forcedGuard('busy', async () => (await busy(), { confirm: 'Sure?' }))],
      confirm: async () => (await busy(), { approve: true }),
      context: [{ id: 'busy', policy: 'always', summary: async () => (await busy(), 'x') }],
    });
    session = f.session;
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(codes).toHaveLength(20);
    expect(new Set(codes)).toEqual(new Set(['already-running']));
  });

  it('never throws synchronously', async () => {
    await using f = fixture([]);
    for (const input of [undefined, null, 3, {}, '', { text: 4 }, { text: 'x', images: 'y' }, { text: '', images: [] }]) {
      const promise = f.session.send(input as never);
      expect((await rejection(promise)).code, JSON.stringify(input)).toBe('invalid-input');
    }
    expect((await rejection(f.session.send('x', { limits: { maxRounds: -1 } }))).code).toBe('invalid-configuration');
    expect((await rejection(f.session.send('x', { limits: { nonsense: 1 } as never }))).code).toBe('invalid-configuration');
    await f.session.dispose();
    expect((await rejection(f.session.send('x'))).code).toBe('disposed');
  });

  it.each([
    ['empty text', '', 'invalid-input'],
    ['white space', ' \n ', 'invalid-input'],
    ['an image that is none', { text: 'x', images: [{ mediaType: 'text/plain', data: 'AAAA' }] }, 'unreadable-attachment'],
    ['an image without data', { text: 'x', images: [{ mediaType: 'image/png', data: '' }] }, 'unreadable-attachment'],
    ['an image for a provider without', { text: 'x', images: [{ mediaType: 'image/png', data: 'AAAA' }] }, 'unsupported'],
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

  it('a refused one does not clear redo', async () => {
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

  it('X4 a rejection that nobody handles is no unhandled rejection', async () => {
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
    expect(respond('x', { approve: true })).toBe('already-settled');
    expect((await cancel()).cancelled).toBe(false);
    expect((await rejection(undo())).code).toBe('nothing-to-undo');
    expect((await rejection(retry())).code).toBe('nothing-to-retry');
    expect((await lastValueFrom(turn$('Next'))).type).toBe('completed');
  });

  it("survives a framework's proxy", async () => {
    await using f = fixture([callTools(addCard('A')), say('One.')], { domains: [createBoard().domain()] });
    const proxy = new Proxy(f.session, { get: (target, key, receiver) => Reflect.get(target, key, receiver) });
    expect((await proxy.send('Go')).text).toBe('One.');
    expect(proxy.state.turns).toHaveLength(1);
    expect(proxy.currentText.value).toBe('One.');
  });
});

describe('turn$', () => {
  it('is cold: nothing happens until somebody subscribes', async () => {
    await using f = fixture([say('x')]);
    const turn = f.session.turn$('Go');
    await settle();
    expect(f.observed.operations).toEqual([]);
    expect(f.session.isRunning.value).toBe(false);
    const operations = await lastValueFrom(turn.pipe(toArray()));
    expect(operations).toEqual(f.observed.operations);
    expect(operations[0]?.type).toBe('turnStarted');
    expect(operations.at(-1)?.type).toBe('completed');
  });

  it("delivers its own turn's operations only", async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('x')], { domains: [{ id: 'board', tools: [slow] }] });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    const types: string[] = [];
    const turn = lastValueFrom(f.session.turn$('Next').pipe(toArray()));
    run.settle();
    for (const operation of await turn) types.push(operation.type);
    await settle();
    expect(f.observed.types).toContain('lateToolSettled');
    expect(types).not.toContain('lateToolSettled');
  });

  it.each([
    ['failed', fail('auth')],
    ['stopped', finishWith('length', 'x')],
  ] as const)('ends with the terminal operation and completes, never errors (%s)', async (type, answer) => {
    await using f = fixture([answer]);
    expect((await lastValueFrom(f.session.turn$('Go'))).type).toBe(type);
  });

  it('completes when the turn is cancelled', async () => {
    await using f = fixture([stall('x')]);
    const last = lastValueFrom(f.session.turn$('Go'));
    await settle();
    void f.session.cancel();
    expect((await last).type).toBe('cancelled');
  });

  it('errors where send would refuse', async () => {
    await using f = fixture([]);
    expect((await rejection(firstValueFrom(f.session.turn$('')))).code).toBe('invalid-input');
    await f.session.dispose();
    expect((await rejection(firstValueFrom(f.session.turn$('x')))).code).toBe('disposed');
    expect(f.observed.types).toEqual(['disposed']);
  });

  it('a refused subscription may be tried again: nothing ran', async () => {
    const more = gate();
    await using f = fixture([say([more, 'x']), say('y')]);
    const turn = f.session.turn$('Next');
    const first = f.session.send('Go');
    expect((await rejection(firstValueFrom(turn))).code).toBe('already-running');
    more.open();
    await first;
    expect((await lastValueFrom(turn)).type).toBe('completed');
  });

  it('runs once: a second subscription and RxJS retry cannot re-run side effects', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('x')], { domains: [board.domain()] });
    const turn = f.session.turn$('Go');
    await lastValueFrom(turn);
    expect((await rejection(lastValueFrom(turn.pipe(rxRetry(2))))).code).toBe('already-running');
    expect(board.titles).toEqual(['A']);
    expect(f.provider.requests).toHaveLength(2);
  });

  it('take(1) ends it as an abort', async () => {
    await using f = fixture([], { looseScript: true });
    await firstValueFrom(f.session.turn$('Go'));
    await settle();
    expect(terminals(f)).toEqual(['cancelled']);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('X10 a throwing subscriber harms nothing', async () => {
    await using f = fixture([say('x')], { reportsErrors: true });
    f.session.turn$('Go').subscribe(() => {
      throw new Error('subscriber');
    });
    await settle();
    expect(terminals(f)).toEqual(['completed']);
    expect(f.reported.length).toBeGreaterThan(0);
  });
});

describe('retry', () => {
  it('sends the user message of a failed turn again, in its place, without doubling it', async () => {
    const board = createBoard();
    await using f = fixture(
      [say('Hi.'), callTools('Half. ', addCard('A')), fail('auth'), say('Done.')],
      { domains: [board.domain()], history: new UndoHistory() },
    );
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
      'turn_2 failed -',
      'turn_3 completed turn_2',
    ]);
    expect(f.session.turns.value[2]?.input).toBe(input);
    expect(f.observed.types).toContain('conversationReplaced');
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

  it('keeps the options of the failed attempt, except its signal; new ones win', async () => {
    await using f = fixture([stall('x'), callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
    const controller = new AbortController();
    void f.session.send('Go', { limits: { maxRounds: 1, maxToolCalls: 3 }, signal: controller.signal });
    await settle();
    controller.abort();
    await settle();
    expect((await f.session.retry({ limits: { maxRounds: 2, maxToolCalls: 3 } })).text).toBe('Done.');
    const limits = f.observed.operations.flatMap((op) => (op.type === 'turnStarted' ? [op.limits.maxToolCalls] : []));
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
    expect((await rejection(f.session.retry({ limits: { maxRounds: -1 } }))).code).toBe('invalid-configuration');
    expect((await rejection(f.session.retry({ signal: AbortSignal.abort() }))).code).toBe('cancelled');
    expect(f.session.state).toBe(before);
  });

  it('nobody sees the conversation without its user message for longer than the turn takes to start', async () => {
    await using f = fixture([fail('auth'), say('Done.')]);
    await rejection(f.session.send('Go'));
    const turn = f.session.retry();
    await settle(20);
    expect(outline(f.session.conversation.value.messages)[0]).toBe('user: Go');
    await turn;
  });
});

describe('configure', () => {
  it('counts from the next turn on; a turn works on its snapshot', async () => {
    const more = gate();
    const second = scriptedProvider([say('From the second.')], { model: 'second' });
    await using f = fixture([callTools('x', more, addCard('A')), say('From the first.')], {
      domains: [createBoard().domain()],
      role: 'first',
    });
    const turn = f.session.send('Go');
    await more.reached;
    f.session.configure({ provider: second, role: 'second', guards: [forcedGuard('deny', { deny: 'no' })], limits: { maxRounds: 1 } });
    more.open();
    expect((await turn).text).toBe('xFrom the first.');
    expect(f.provider.requests.map((request) => request.system)).toEqual(['first', 'first']);
    expect((await f.session.send('Next')).text).toBe('From the second.');
    expect(second.requests[0]?.system).toBe('second');
    const configured = f.observed.operations.find((operation) => operation.type === 'configured');
    expect(configured).toMatchObject({ changed: ['provider', 'role', 'guards', 'limits'] });
  });

  it('changes only what it names', async () => {
    await using f = fixture([callTools({ tool: 'board.list' }), say('x')], {
      domains: [createBoard().domain()],
      role: 'role',
      guards: [forcedGuard('deny', { deny: 'no' })],
    });
    f.session.configure({ limits: { maxRounds: 3 } });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('role');
    expect(f.observed.types).toContain('toolsRejected');
  });

  it('throws invalid-configuration, and then nothing has changed', async () => {
    await using f = fixture([say('x')], { role: 'role' });
    for (const changes of [
      { provider: {} },
      { guards: ['x'] },
      { limits: { maxRounds: 0 } },
      { role: 3 },
      { context: [{ id: 'x', policy: 'never', summary: () => '' }] },
      { confirm: 'x' },
    ]) {
      expect(() => f.session.configure({ role: 'other', ...changes } as never)).toThrow(
        expect.objectContaining({ code: 'invalid-configuration' }),
      );
    }
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('role');
    expect(f.observed.types).not.toContain('configured');
  });
});

describe('dispose', () => {
  it('aborts, awaits the rollback, publishes idle; signals keep their last values', async () => {
    const board = createBoard();
    const f = fixture([callTools('One.', addCard('A')), stall('Two.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    const completed = vi.fn();
    f.session.operations$.subscribe({ complete: completed });
    await f.session.dispose();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(board.titles).toEqual([]);
    expect(f.session.isRunning.value).toBe(false);
    expect(f.session.currentText.value).toBe('One.Two.');
    expect(f.session.turns.value).toHaveLength(1);
    expect(f.observed.types.slice(-2)).toEqual(['cancelled', 'disposed']);
    expect(completed).toHaveBeenCalledTimes(1);
    expect(f.clock.pending).toBe(0);
    await f[Symbol.asyncDispose]();
  });

  it('every command rejects disposed afterwards; respond finds nothing', async () => {
    await using f = fixture([]);
    await f.session.dispose();
    const { session } = f;
    for (const command of [session.send('x'), session.retry(), session.cancel(), session.undo(), session.redo()])
      expect((await rejection(command)).code).toBe('disposed');
    expect(() => session.configure({})).toThrow(expect.objectContaining({ code: 'disposed' }));
    expect(session.respond('x', { approve: true })).toBe('already-settled');
    expect(session.save().turns).toEqual([]);
  });

  it('may be called twice, and waits for a running undo', async () => {
    let release: () => void = () => {};
    const slow = spyTool('slow', {
      execute: (_a, c) =>
        c.undo({ description: 'x', revert: () => new Promise<void>((resolve) => (release = resolve)) }),
    });
    await using f = fixture([callTools({ tool: 'board.slow' }), say('x')], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    const undo = f.session.undo();
    await settle();
    let disposed = false;
    const both = Promise.all([f.session.dispose(), f.session.dispose()]).then(() => (disposed = true));
    await settle();
    expect(disposed).toBe(false);
    release();
    await both;
    expect(names((await undo).done)).toEqual(['x']);
    expect(f.observed.types.slice(-2)).toEqual(['undone', 'disposed']);
  });

  it('from inside a subscriber ends the turn', async () => {
    await using f = fixture([say('x')], { looseScript: true });
    let disposed: Promise<void> | undefined;
    atOperation(f.session, 'text', () => (disposed = f.session.dispose()));
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    await disposed;
    expect(f.observed.types.at(-1)).toBe('disposed');
  });
});
