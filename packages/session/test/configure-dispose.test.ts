// Configure and dispose.
import { describe, expect, it, vi } from 'vitest';
import {
  callTools,
  forcedGuard,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import {
  createAgentSession,
  defaultLimits,
  effect,
  immediate,
  UndoHistory,
  type ConfirmHandler,
} from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, names, rejection, type Fixture } from './fixture.js';

describe('unknown options', () => {
  it('C24: unknown options of a session are refused by name', () => {
    const provider = scriptedProvider([]);
    for (const [options, name] of [
      [{ provider, domain: [], guard: [] }, /domain, guard/],
      [{ provider, toString: 1 }, /toString/],
      [{ provider, ports: { schedular: immediate() } }, /schedular/],
    ] as const) {
      expect(() => createAgentSession(options as never)).toThrow(
        expect.objectContaining({ code: 'invalid-configuration', message: expect.stringMatching(name) }),
      );
    }
  });

  it('C24: unknown options of a turn are refused by name, and change nothing', async () => {
    await using f = fixture([]);
    const before = f.session.state;
    const error = await rejection(f.session.send('Go', { signl: new AbortController().signal } as never));
    expect(error).toMatchObject({ code: 'invalid-configuration', message: expect.stringContaining('signl') });
    expect(f.session.state).toBe(before);
  });
});

describe('configure', () => {
  it('DF-11 takes effect with the next turn; a running turn uses its snapshot', async () => {
    const more = gate();
    const second = scriptedProvider([say('From the second.')], { model: 'second' });
    await using f = fixture([callTools('x', more, addCard('A')), say('From the first.')], {
      domains: [createBoard().domain()],
      role: 'first',
    });
    const turn = f.session.send('Go');
    await more.reached;
    f.session.configure({
      provider: second,
      role: 'second',
      guards: [forcedGuard('deny', { deny: 'no' })],
      limits: { maxRounds: 1 },
    });
    more.open();
    expect((await turn).text).toBe('x\n\nFrom the first.');
    expect(f.provider.requests.map((request) => request.system)).toEqual(['first', 'first']);
    expect((await f.session.send('Next')).text).toBe('From the second.');
    expect(second.requests[0]?.system).toBe('second');
    const configured = f.observed.operations.find((operation) => operation.type === 'configured');
    expect(configured).toMatchObject({ changed: ['provider', 'role', 'guards', 'limits'] });
  });

  it('changes only the options that it names', async () => {
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

  describe('an undefined setting', () => {
    const none = undefined;
    const start = (confirm: ConfirmHandler) =>
      fixture([callTools({ tool: 'board.list' }), say('x')], {
        domains: [createBoard().domain()],
        guards: [forcedGuard('ask', { confirm: 'Sure?' })],
        confirm,
        role: 'role',
        context: [{ id: 'user', policy: 'always', summary: () => 'Ada.' }],
        limits: { maxRounds: 3 },
      });

    const startedWith = ({ observed }: Fixture) =>
      observed.operations.find((operation) => operation.type === 'turnStarted')?.limits;

    it('a setting that `configure` gets as undefined stays as it is', async () => {
      const confirm = vi.fn<ConfirmHandler>(() => Promise.resolve({ approve: true }));
      await using f = start(confirm);
      f.session.configure({
        provider: none,
        guards: none,
        limits: none,
        role: none,
        context: none,
        confirm: none,
      });
      expect(f.observed.operations.at(-1)).toMatchObject({ type: 'configured', changed: [] });
      await f.session.send('Go');
      expect(f.provider.requests[0]?.system).toMatch(/^role[^]*Ada\./);
      expect(confirm).toHaveBeenCalledTimes(1);
      expect(startedWith(f)).toMatchObject({ maxRounds: 3 });
    });

    it('empty settings, and `confirm: null`, remove the setting', async () => {
      const confirm = vi.fn<ConfirmHandler>();
      await using f = start(confirm);
      f.session.configure({ limits: {}, role: '', context: [], confirm: null });
      const turn = f.session.send('Go');
      await settle();
      expect(f.provider.requests[0]?.system).not.toMatch(/role|Ada/);
      expect(f.session.pendingConfirmations.value).toHaveLength(1);
      await f.session.pendingConfirmations.value[0]?.approve();
      await turn;
      expect(confirm).not.toHaveBeenCalled();
      expect(startedWith(f)).toMatchObject({ maxRounds: defaultLimits.maxRounds });
      f.session.configure({ guards: [], role: none });
      expect(f.observed.operations.at(-1)).toMatchObject({ type: 'configured', changed: ['guards'] });
    });
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
      { guards: 'x' },
      { context: {} },
      { domains: {} },
      { domains: [{ id: 'banister', tools: [] }] },
      { rolee: 'x' },
    ]) {
      expect(() => f.session.configure({ role: 'other', ...changes } as never)).toThrow(
        expect.objectContaining({ code: 'invalid-configuration' }),
      );
    }
    for (const changes of [null, undefined, 'role', 3]) {
      expect(() => f.session.configure(changes as never)).toThrow(
        expect.objectContaining({ code: 'invalid-configuration' }),
      );
    }
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('role');
    expect(f.observed.types).not.toContain('configured');
  });
});

describe('dispose', () => {
  it('`dispose` aborts the turn, awaits the rollback and publishes idle; signals keep their last values', async () => {
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
    expect(f.session.currentText.value).toBe('One.\n\nTwo.');
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
    for (const command of [
      session.send('x'),
      session.retry(),
      session.cancel(),
      session.undo(),
      session.redo(),
    ])
      expect((await rejection(command)).code).toBe('disposed');
    expect(() => session.configure({})).toThrow(expect.objectContaining({ code: 'disposed' }));
    expect(await session.respond('x', { approve: true })).toBe('already-settled');
    expect(session.save().turns).toEqual([]);
  });

  it.each(['terminal', 'effect', 'turn$'] as const)(
    'C1: no turn starts while the session is being disposed (%s)',
    async (place) => {
      const f = fixture([stall('x')]);
      const { session } = f;
      const refused: string[] = [];
      const refuse = (error: { readonly code?: string }) => refused.push(error.code ?? 'no code');
      let isOver = false;
      const next = () => {
        if (isOver) return;
        isOver = true;
        if (place === 'turn$') session.turn$('Next').subscribe({ error: refuse });
        else session.send('Next').catch(refuse);
      };
      const stop = effect(() => {
        const over = !session.isRunning.value && session.turns.value.length > 0;
        if (place === 'effect' && over) next();
      });
      session.operations$.subscribe((operation) => {
        if (place !== 'effect' && isTerminal(operation)) next();
      });
      void session.send('Go');
      await settle();
      await session.dispose();
      stop();
      expect(refused).toEqual(['disposed']);
      expect(f.provider.requests).toHaveLength(1);
      expect(f.observed.types.slice(-2)).toEqual(['cancelled', 'disposed']);
      await f[Symbol.asyncDispose]();
    },
  );

  it('C1: every command rejects disposed while the disposal runs', async () => {
    await using f = fixture([stall('x')]);
    const { session } = f;
    const codes: Promise<string>[] = [];
    let again: Promise<void> | undefined;
    atOperation(session, 'rollbackStarted', () => {
      const commands = [session.send('x'), session.retry(), session.cancel(), session.undo(), session.redo()];
      codes.push(...commands.map(async (command) => (await rejection(command)).code));
      expect(() => session.configure({})).toThrow(expect.objectContaining({ code: 'disposed' }));
      again = session.dispose();
    });
    void session.send('Go');
    await settle();
    const disposal = session.dispose();
    expect(again).toBe(disposal);
    await disposal;
    expect(await Promise.all(codes)).toEqual(Array(5).fill('disposed'));
  });

  it('`dispose` may be called twice, and waits for a running undo', async () => {
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

  it("`dispose({ turn: 'leave' })` leaves a running turn for the next session", async () => {
    const board = createBoard();
    const session = createAgentSession({
      provider: scriptedProvider([callTools(addCard('A')), stall('Half')]),
      domains: [board.domain()],
    });
    const types: string[] = [];
    session.operations$.subscribe(({ type }) => types.push(type));
    const turn = rejection(session.send('Go'));
    await vi.waitUntil(() => session.currentText.value === 'Half', 30_000);
    await session.dispose({ turn: 'leave' });
    expect((await turn).code).toBe('disposed');
    expect(board.titles).toEqual(['A']);
    expect(session.liveTurn.value).not.toBeNull();
    expect(types.slice(types.lastIndexOf('text') + 1)).toEqual(['disposed']);
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
