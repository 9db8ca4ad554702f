// The option `whenUnsaved`, for a log that takes no writes while its session lives.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, recordingJournal, say, settle, spyTool } from '@banister/testing';
import type { OperationType, SessionLog, SessionOptions } from '@banister/session';
import { addPlan, cuttable, withBoard } from './cuttable.js';
import { dataBoard } from './data-board.js';
import { atOperation, fixture, rejection, terminals, type FixtureOptions } from './fixture.js';
import { logWorld } from './log-world.js';
import { codeOf } from './opened.js';

/** Two sessions of one log, as two processes have it: one can be cut from it. */
async function twoProcesses(whenUnsaved: SessionOptions['whenUnsaved']) {
  let isCut = false;
  const world = logWorld();
  const behind = new Proxy(world.log, {
    get(log, name: keyof SessionLog) {
      const member = log[name] as unknown;
      if (typeof member !== 'function' || name === 'channel') return member;
      return (...args: unknown[]): unknown =>
        isCut ? Promise.reject(new Error('The connection was reset.')) : member.apply(log, args);
    },
  });
  const acted: string[] = [];
  const turns = Array.from({ length: 3 }, () => [callTools({ tool: 'shop.pay', args: {} }), say('Paid.')]);
  const open = (name: string, log: SessionLog) =>
    world.open(turns.flat(), {
      log,
      whenUnsaved,
      domains: [{ id: 'shop', tools: [spyTool('pay', { execute: () => void acted.push(name) })] }],
    });
  const setCut = (value: boolean) => void (isCut = value);
  return { world, acted, setCut, a: await open('A', behind), openB: () => open('B', world.log) };
}

describe('a writer that is cut from its log, while another session takes the log over', () => {
  it('served H1 stop: acts no more, and each send acts once', async () => {
    const { world, acted, setCut, a, openB } = await twoProcesses('stop');
    await a.session.send('first');
    setCut(true);
    const second = rejection(a.session.send('second'));
    const b = await openB();
    await world.clock.advance(29_000);
    expect(b.session.link.value.role).toBe('writer');
    expect(a.session.link.value).toMatchObject({ role: 'writer', saved: false });
    await world.clock.advance(6_000);
    expect(await second).toMatchObject({ code: 'storage', retry: 'now' });
    expect(await rejection(a.session.send('third'))).toMatchObject({ code: 'storage', retry: 'now' });
    const both = Promise.all([codeOf(a.session.send('fourth at A')), b.session.send('fourth at B')]);
    expect(await both).toMatchObject(['storage', { status: 'completed' }]);
    expect(acted).toEqual(['A', 'B']);
    setCut(false);
    await world.clock.advance(5_000);
    expect(a.session.link.value).toMatchObject({ role: 'follower', saved: true });
    expect(a.session.state).toEqual(b.session.state);
    expect(b.session.turns.value).toHaveLength(2);
    await a.session.dispose();
    await b.session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H1 continue, the default: the next turn fails, and later ones run without the log', async () => {
    const { world, acted, setCut, a } = await twoProcesses(undefined);
    await a.session.send('first');
    setCut(true);
    expect((await rejection(a.session.send('second'))).code).toBe('storage');
    expect((await a.session.send('third')).status).toBe('completed');
    expect(acted).toEqual(['A', 'A']);
    expect(a.session.link.value).toMatchObject({ role: 'writer', saved: false });
    setCut(false);
    await world.clock.advance(5_000);
    await a.session.dispose();
  });
});

describe('a turn whose log takes no writes', () => {
  it('served H1 goes on when a write succeeds within 30 seconds, and has acted once', async () => {
    const { f, journal, cutAt, heal, acted } = withBoard([callTools('', addPlan), say('Done.')]);
    await using _ = f;
    cutAt('toolStarted');
    const turn = f.session.send('Go');
    await f.clock.advance(10_000);
    expect(acted).toEqual([]);
    expect(f.session.link.value.saved).toBe(false);
    await heal();
    expect((await turn).status).toBe('completed');
    expect(acted).toEqual(['Plan']);
    expect(f.session.link.value.saved).toBe(true);
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('served H1 with `stop` a turn is put down after 30 seconds, and interrupted when a write succeeds', async () => {
    const { f, journal, cutAt, heal, acted, board } = withBoard([
      callTools('One. ', addPlan),
      callTools('', { tool: 'board.add', args: { title: 'Second' } }),
      say('Done.'),
    ]);
    await using _ = f;
    atOperation(f.session, 'roundCompleted', () => cutAt('toolStarted'));
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(29_999);
    expect(f.session.link.value.saved).toBe(false);
    await f.clock.advance(1);
    expect(await turn).toMatchObject({ code: 'storage', retry: 'now' });
    expect(terminals(f)).toEqual([]);
    expect(f.observed.types).not.toContain('rollbackStarted');
    expect(board.cards).toEqual(['Plan']);
    // It can be read.
    expect(f.session.liveTurn.value?.rounds).toHaveLength(2);
    expect(f.session.interrupted.value).toBeNull();
    await f.clock.advance(10_000);
    await heal();
    expect(f.session.interrupted.value).toMatchObject({ at: 'batch' });
    expect(f.session.link.value.saved).toBe(true);
    await f.session.resume();
    expect(terminals(f)).toEqual(['completed']);
    expect(acted).toEqual(['Plan', 'Second']);
    await f.session.dispose();
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('served H1 goes on by itself with the option onInterrupted: resume', async () => {
    const { f, cutAt, heal, acted } = withBoard([callTools('', addPlan), say('Done.')], {
      onInterrupted: 'resume',
    });
    await using _ = f;
    cutAt('toolStarted');
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(40_000);
    expect((await turn).code).toBe('storage');
    await heal();
    await settle();
    expect(terminals(f)).toEqual(['completed']);
    expect(acted).toEqual(['Plan']);
  });

  it('served H1 with `stop` a write without an answer holds a turn as a refused write does', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([say('Done.')], { whenUnsaved: 'stop', ports: { journal } });
    atOperation(f.session, 'commitStarted', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    await f.clock.advance(20_000);
    expect(f.session.link.value.saved).toBe(false);
    journal.answer = 'resolve';
    journal.acceptAll();
    expect((await turn).status).toBe('completed');
    expect(f.session.link.value.saved).toBe(true);
    journal.check();
  });

  it('served H1 with `stop` a turn that fails takes nothing back before the record', async () => {
    const end = gate();
    const { f, cut, heal, board } = withBoard([callTools('', addPlan), fail('server'), say([end])], {
      limits: { maxRetries: 0 },
    });
    await using _ = f;
    atOperation(f.session, 'modelCallStarted', cut, 2);
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(10_000);
    expect(f.observed.types.at(-1)).toBe('rollbackStarted');
    expect(board.cards).toEqual(['Plan']);
    await heal();
    expect((await turn).code).toBe('server');
    expect(board.cards).toEqual([]);
  });

  it('served H1 a late result of a call that was put down is not taken back', async () => {
    const late = gate();
    const runs: string[] = [];
    const slow = spyTool('slow', {
      parallel: true,
      undo: { revert: () => void runs.push('reverted') },
      execute: async (_args, context) => {
        context.undo({ description: 'Slow', revert: () => void runs.push('reverted') });
        await late.pass();
        runs.push('acted');
      },
    });
    const act = spyTool('act', { parallel: true });
    const { f, cut, heal } = cuttable([callTools('', { tool: 'app.slow' }, { tool: 'app.act' })], {
      domains: [{ id: 'app', tools: [slow, act] }],
      limits: { toolTimeoutMs: 600_000, timeoutMs: 600_000 },
      leavesTimers: true,
    });
    await using _ = f;
    f.session.operations$.subscribe((operation) => {
      if (operation.type === 'toolStarted' && operation.tool === 'app.act') cut();
    });
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(40_000);
    expect((await turn).code).toBe('storage');
    late.open();
    await heal();
    expect(act.runs).toHaveLength(0);
    expect(runs).not.toContain('reverted');
    expect(f.session.interrupted.value?.unknown).toHaveLength(2);
  });
});

describe('each wait of a turn', () => {
  const answers = () => [callTools('One. ', addPlan), say('Done.')];

  /** The number of writes for which a step of the turn waits. */
  async function barriers(): Promise<number> {
    const { f, journal } = withBoard(answers());
    await using _ = f;
    await f.session.send('Go');
    return journal.writes.filter(({ barrier }) => barrier).length;
  }

  /** Runs the turn with a journal that refuses all writes from the k-th barrier on, for a time. */
  async function cutAtBarrier(k: number, ms: number) {
    const board = dataBoard();
    const unrecorded: string[] = [];
    let seen = 0;
    let isCut = false;
    const journal = recordingJournal(({ barrier }) => {
      if (barrier && ++seen === k) isCut = true;
      return isCut ? 'refuse' : 'resolve';
    });
    const has = (type: OperationType) => journal.operations.some((operation) => operation.type === type);
    const add = { ...board.add, replay: 'safe' as const };
    let acts = 0;
    const tool: typeof add = {
      ...add,
      async execute(args, context) {
        if (!has('toolStarted')) unrecorded.push('toolStarted');
        const result = await add.execute(args, context);
        if (!has('effectRecorded')) unrecorded.push('effectRecorded');
        acts++;
        return result;
      },
    };
    const f = fixture([...answers(), ...answers()], {
      whenUnsaved: 'stop',
      looseScript: true,
      domains: [{ ...board.domain(), tools: [tool] }],
      limits: { toolTimeoutMs: 600_000 },
      ports: { journal },
    });
    const turn = codeOf(f.session.send('Go'));
    await f.clock.advance(ms);
    const requests = f.provider.requests.length;
    isCut = false;
    seen = Infinity;
    await f.clock.advance(1_000);
    return { f, board, journal, turn, requests, unrecorded, acts: () => acts };
  }

  it('served H1 wherever a turn waits, it acts once, after 10 seconds without its log', async () => {
    const count = await barriers();
    expect(count).toBeGreaterThan(4);
    for (let k = 1; k <= count; k++) {
      const { f, board, journal, turn, unrecorded, acts } = await cutAtBarrier(k, 10_000);
      await using _ = f;
      expect(await turn).toBe('resolved');
      expect([k, board.cards, acts(), unrecorded]).toEqual([k, ['Plan'], 1, []]);
      expect(f.session.interrupted.value).toBeNull();
      await f.session.dispose();
      expect(journal.operations).toEqual(f.observed.operations);
      journal.check();
    }
  });

  it('served H1 wherever a turn waits, it goes on and acts once, after 40 seconds without its log', async () => {
    const count = await barriers();
    for (let k = 1; k <= count; k++) {
      const { f, board, journal, turn, requests, unrecorded, acts } = await cutAtBarrier(k, 40_000);
      await using _ = f;
      expect(await turn).toBe('storage');
      expect(f.session.link.value.saved).toBe(true);
      // Nothing was sent meanwhile.
      expect(requests).toBeLessThanOrEqual(k > 4 ? 2 : 1);
      const isEnded = k === count;
      expect(f.session.interrupted.value === null).toBe(isEnded);
      if (!isEnded) await f.session.resume();
      expect(terminals(f)).toEqual(['completed']);
      expect([k, board.cards, acts(), unrecorded]).toEqual([k, ['Plan'], 1, []]);
      expect((await f.session.undo()).done).toHaveLength(1);
      expect(board.cards).toEqual([]);
      await f.session.dispose();
      expect(journal.operations).toEqual(f.observed.operations);
      journal.check();
    }
  });
});

describe('a cancel while the log takes no writes', () => {
  const answers = () => [callTools('', addPlan), say('Done.')];

  it('served H1 with `stop` a cancel stops the turn at once, and takes its effects back when a write succeeds', async () => {
    const { f, journal, cut, heal, board } = withBoard(answers());
    await using _ = f;
    atOperation(f.session, 'roundCompleted', cut);
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    const cancelled = f.session.cancel();
    await f.clock.advance(5_000);
    expect(f.observed.types.at(-1)).toBe('rollbackStarted');
    expect(board.cards).toEqual(['Plan']);
    expect(f.provider.requests).toHaveLength(1);
    await heal();
    expect((await cancelled).undo.done).toHaveLength(1);
    expect((await turn).code).toBe('cancelled');
    expect(board.cards).toEqual([]);
    journal.check();
  });

  it('served H1 a cancel that outlasts the 30 seconds takes the effects back when a write succeeds', async () => {
    const { f, cut, heal, board } = withBoard(answers());
    await using _ = f;
    atOperation(f.session, 'roundCompleted', cut);
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    const cancelled = rejection(f.session.cancel());
    await f.clock.advance(35_000);
    expect((await turn).code).toBe('storage');
    expect((await cancelled).code).toBe('storage');
    expect(board.cards).toEqual(['Plan']);
    await heal();
    await settle();
    expect(board.cards).toEqual([]);
    expect(terminals(f)).toEqual(['cancelled']);
    expect(f.session.interrupted.value).toBeNull();
  });

  it.each(['wait', 'resume'] as const)(
    'served H1 after the turn was put down waits for a write, and takes the effects back: %s',
    async (onInterrupted) => {
      const { f, cut, heal, board } = withBoard(answers(), { onInterrupted });
      await using _ = f;
      atOperation(f.session, 'roundCompleted', cut);
      const turn = rejection(f.session.send('Go'));
      await f.clock.advance(40_000);
      expect((await turn).code).toBe('storage');
      const cancelled = f.session.cancel();
      await f.clock.advance(1_000);
      expect(board.cards).toEqual(['Plan']);
      await heal();
      expect((await cancelled).undo.done).toHaveLength(1);
      expect(board.cards).toEqual([]);
      expect(f.provider.requests).toHaveLength(1);
      expect(terminals(f)).toEqual(['cancelled']);
    },
  );
});

describe('commands while the log takes no writes', () => {
  /** A session whose turn was put down. */
  async function putDown(options: FixtureOptions = {}) {
    const app = withBoard([callTools('', addPlan), say('Done.'), say('More.')], options);
    atOperation(app.f.session, 'roundCompleted', app.cut);
    const turn = rejection(app.f.session.send('Go'));
    await app.f.clock.advance(40_000);
    expect((await turn).code).toBe('storage');
    return app;
  }

  it('served H1 commands that act or write reject storage, until a write succeeds', async () => {
    const { f, heal, board } = await putDown();
    await using _ = f;
    const { session } = f;
    const commands: readonly (() => Promise<unknown>)[] = [
      () => session.send('Next'),
      () => session.retry(),
      () => session.enqueue('Next'),
      () => session.undo(),
      () => session.resume(),
      () => session.abandon(),
      () => session.clear(),
      () => session.compact(),
      () => session.dequeue('none'),
    ];
    for (const command of commands)
      expect(await rejection(command())).toMatchObject({ code: 'storage', retry: 'now' });
    session.configure({ role: 'Terse' });
    await heal();
    await session.abandon();
    expect(board.cards).toEqual([]);
    expect((await session.send('Next')).status).toBe('completed');
  });

  it('served H1 with `stop` `dispose()` leaves the turn as it is', async () => {
    const { f, cut, board } = withBoard([callTools('', addPlan), say('Done.')]);
    await using _ = f;
    atOperation(f.session, 'roundCompleted', cut);
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    await f.session.dispose();
    expect((await turn).code).toBe('storage');
    expect(board.cards).toEqual(['Plan']);
    expect(f.observed.types).not.toContain('rollbackStarted');
  });

  it('served H1 dispose ends a cancel that waits', async () => {
    const { f } = await putDown();
    await using _ = f;
    const cancelled = rejection(f.session.cancel());
    await f.session.dispose();
    expect((await cancelled).code).toBe('disposed');
  });

  it('served H1 with `stop` an undo waits for its record, and rejects `storage` after 30 seconds without a change', async () => {
    const { f, cut, heal, board } = withBoard([callTools('', addPlan), say('Done.')]);
    await using _ = f;
    await f.session.send('Go');
    cut();
    const undone = rejection(f.session.undo());
    await f.clock.advance(29_000);
    expect(f.session.isRunning.value).toBe(false);
    await f.clock.advance(6_000);
    expect((await undone).code).toBe('storage');
    expect(board.cards).toEqual(['Plan']);
    expect(await f.session.cancel()).toMatchObject({ cancelled: false });
    await heal();
    expect(f.session.interrupted.value).toBeNull();
    expect((await f.session.undo()).done).toHaveLength(1);
    expect(board.cards).toEqual([]);
  });

  it('served H1 a message in the queue starts when a write succeeds', async () => {
    const { f, cutAt, heal } = cuttable([say('One.'), say('Two.')]);
    await using _ = f;
    cutAt('committed');
    const turn = rejection(f.session.send('Go'));
    const queued = f.session.enqueue('Next');
    await f.clock.advance(40_000);
    expect((await turn).details.outcome).toMatchObject({ status: 'completed' });
    expect(f.provider.requests).toHaveLength(1);
    await heal();
    await f.clock.advance(10);
    expect(await queued).toBe('completed');
  });
});

describe('a log that cannot be opened', () => {
  it('served H1 stop: the session refuses commands until the log can be read, and then writes', async () => {
    let isCut = true;
    const world = logWorld((log) => ({
      claim: (...args) => (isCut ? Promise.reject(new Error('Gone.')) : log.claim(...args)),
      load: (name) => (isCut ? Promise.reject(new Error('Gone.')) : log.load(name)),
    }));
    const { session, reported } = await world.open([say('Hello.')], { whenUnsaved: 'stop' });
    expect(session.link.value).toMatchObject({ role: 'read-only', saved: false });
    expect((await rejection(session.send('Hi'))).code).toBe('storage');
    expect(reported).toHaveLength(1);
    isCut = false;
    await world.clock.advance(5_000);
    expect(session.link.value).toMatchObject({ role: 'writer', saved: true });
    expect((await session.send('Hi')).text).toBe('Hello.');
    await session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H1 stop: a log that does not answer is asked again after 5 seconds', async () => {
    let calls = 0;
    const world = logWorld((log) => ({
      claim: (...args) => (calls < 2 ? Promise.reject(new Error('Gone.')) : log.claim(...args)),
      // The first call rejects, the second one never settles, and the third one answers.
      async load(name) {
        calls++;
        if (calls === 1) throw new Error('Gone.');
        if (calls === 2) await new Promise(() => {});
        return log.load(name);
      },
    }));
    const { session } = await world.open([say('Hello.')], { whenUnsaved: 'stop' });
    await world.clock.advance(20_000);
    expect(session.link.value).toMatchObject({ role: 'writer', saved: true });
    expect((await session.send('Hi')).text).toBe('Hello.');
    await session.dispose();
    expect(world.clock.pending).toBe(0);
  });
});

it('served H1 the option has no effect without a log and a journal', async () => {
  await using f = fixture([say('Done.')], { whenUnsaved: 'stop' });
  expect((await f.session.send('Go')).status).toBe('completed');
  expect(f.session.link.value.saved).toBe(true);
});
