// The code that ends interrupted work while it is fetched: commands wait for it, and can be ended.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentSessionError, confirmTools, effect } from '@banister/session';
import { callTools, say, settle, stall } from '@banister/testing';
import * as interruption from '../src/session/end-interruption.js';
import { resumeCode } from '../src/session/resume-code.js';
import { structuredCode } from '../src/structured/structured-code.js';
import { addCard } from './board.js';
import { compactionLoaded } from './compaction-loaded.js';
import { dataBoard } from './data-board.js';
import { generateLoaded } from './generate-loaded.js';
import { left, open } from './left-turn.js';
import { id, logWorld } from './log-world.js';
import { codeOf, createSession, recordsOf } from './opened.js';

// The other late code is there.
beforeAll(() => Promise.all([compactionLoaded(), generateLoaded()]));
afterEach(() => vi.restoreAllMocks());

/** As though the code was on its way, until the returned function is called; with an error it fails. */
function fetchesSlowly(): (error?: Error) => void {
  let arrive!: (error?: Error) => void;
  const code = new Promise<typeof interruption>((resolve, reject) => {
    arrive = (error) => {
      if (error) return reject(error);
      vi.spyOn(resumeCode, 'loaded', 'get').mockReturnValue(interruption);
      vi.spyOn(resumeCode, 'get').mockReturnValue(interruption);
      resolve(interruption);
    };
  });
  code.catch(() => {});
  vi.spyOn(resumeCode, 'loaded', 'get').mockReturnValue(undefined);
  vi.spyOn(resumeCode, 'get').mockReturnValue(code);
  return arrive;
}

const lost = () => new AgentSessionError('network', 'A part of this page could not be loaded.');

/** Opens a turn that was left after a turn that has ended. */
async function openSecond() {
  const board = dataBoard();
  const first = createSession([say('One.'), callTools(addCard('A')), stall('Half')], {
    domains: [board.domain()],
  });
  await first.session.send('One');
  const { id } = first.session.turns.value[0]!;
  const second = codeOf(first.session.send('Two'));
  await settle();
  const operations = first.operations.slice();
  await first.session.dispose({ turn: 'leave' });
  await second;
  return { ...(await open({ records: recordsOf([operations]), board }, [say('Done.')])), board, id };
}

describe('while the code that ends interrupted work is fetched', () => {
  it('a command that waits for it shows the session as running', async () => {
    const arrive = fetchesSlowly();
    const log = await left();
    const { session } = await open(log, [say('Done.')]);
    expect(session.isRunning.value).toBe(false);
    const resumed = session.resume();
    expect(session.isRunning.value).toBe(true);
    expect(await codeOf(session.send('Other'))).toBe('already-running');
    arrive();
    expect(await resumed).toMatchObject({ status: 'completed' });
    expect(session.isRunning.value).toBe(false);
    expect(log.board.cards).toEqual(['A']);
  });

  it('a command with nothing to do ends the wait', async () => {
    const arrive = fetchesSlowly();
    const { session } = await open(await left());
    const answer = session.respond('unknown', { approve: true });
    await settle();
    expect(session.isRunning.value).toBe(true);
    arrive();
    expect(await answer).toBe('already-settled');
    expect(session.isRunning.value).toBe(false);
    expect(session.phase.value).toBe('idle');
  });

  it('an effect can call the next command if the fetch failed', async () => {
    const arrive = fetchesSlowly();
    const { session } = await open(await left());
    const resumed = codeOf(session.resume());
    let next: Promise<unknown> | null = null;
    const stop = effect(() => {
      if (!session.isRunning.value) next ??= codeOf(session.resume());
    });
    arrive(lost());
    expect(await resumed).toBe('network');
    expect(await next).toBe('network');
    stop();
  });

  it('V4 resume rejects network if it cannot be fetched, and the session is idle', async () => {
    const arrive = fetchesSlowly();
    const { session } = await open(await left());
    const resumed = codeOf(session.resume());
    arrive(lost());
    expect(await resumed).toBe('network');
    expect(session.isRunning.value).toBe(false);
    expect(session.interrupted.value).not.toBeNull();
  });

  it.each(['resume', 'send', 'retry'] as const)('cancel ends %s, and takes the turn back', async (name) => {
    const arrive = fetchesSlowly();
    const log = await left();
    const { session, operations } = await open(log, [say('Done.')]);
    const waiting = codeOf(name === 'send' ? session.send('Next') : session[name]());
    const cancelled = Promise.all([session.cancel(), session.cancel()]);
    expect(await waiting).toBe('cancelled');
    arrive();
    await cancelled;
    // A cancelled command that moves the head leaves the interrupted turn as it is.
    if (name === 'retry') await session.cancel();
    expect(log.board.cards).toEqual([]);
    expect(session.interrupted.value).toBeNull();
    expect(operations.filter(({ type }) => type === 'turnStarted')).toEqual([]);
  });

  it.each(['abandon', 'undo'] as const)('%s ends a resume that has not begun', async (name) => {
    const arrive = fetchesSlowly();
    const log = await left();
    const { session } = await open(log);
    const resumed = codeOf(session.resume());
    const back = session[name]();
    expect(await resumed).toBe('cancelled');
    arrive();
    expect((await back).done).toHaveLength(1);
    expect(log.board.cards).toEqual([]);
  });

  it('C1 a signal that fires ends a send', async () => {
    const arrive = fetchesSlowly();
    const { session } = await open(await left());
    const aborter = new AbortController();
    const sent = codeOf(session.send('Next', { signal: aborter.signal }));
    aborter.abort();
    expect(await sent).toBe('cancelled');
    expect(session.interrupted.value).not.toBeNull();
    arrive();
  });

  it.each([
    'resume',
    'abandon',
    'retry',
    'regenerate',
    'edit',
    'switchTo',
    'clear',
    'generate',
    'compact',
  ] as const)('dispose ends %s at once, and leaves the turn as it is', async (name) => {
    const arrive = fetchesSlowly();
    const { session, operations, board, id } = await openSecond();
    const schema = { type: 'object', properties: {} } as const;
    const given = { edit: [id, 'Other'], switchTo: [id], generate: ['A plan', schema] } as Record<
      string,
      readonly unknown[]
    >;
    const run = session[name] as (...args: readonly unknown[]) => Promise<unknown>;
    const command = codeOf(run(...(given[name] ?? [])));
    const before = operations.length;
    await session.dispose({ turn: 'leave' });
    expect(await command).toMatch(/^(disposed|cancelled)$/);
    arrive();
    await settle();
    expect(operations.slice(before).map(({ type }) => type)).toEqual(['disposed']);
    expect(board.cards).toEqual(['A']);
  });

  it.each(['resume', 'abandon', 'cancel', 'send', 'retry', 'undo', 'clear'] as const)(
    'D3 %s rejects `storage` and changes nothing if another session has taken the log over and ended the turn',
    async (name) => {
      const world = logWorld();
      const board = dataBoard();
      const domains = [board.domain()];
      const first = await world.open([callTools(addCard('A')), stall('Half')], { domains });
      const turn = codeOf(first.session.send('Add A'));
      await settle();
      await world.clock.advance(100);
      await first.session.dispose({ turn: 'leave' });
      expect(await turn).toBe('disposed');
      const arrive = fetchesSlowly();
      const second = await world.open([say('Second.')], { domains });
      const command = codeOf(name === 'send' ? second.session.send('Next') : second.session[name]());
      await settle();
      await world.log.claim(id, 'another', 10, { steal: 2 });
      await world.clock.advance(20);
      const third = await world.open([say('Third.')], { domains });
      vi.spyOn(resumeCode, 'get').mockReturnValue(interruption);
      await third.session.abandon();
      await world.clock.advance(6_000);
      expect(second.session.link.value.role).toBe('follower');
      arrive();
      await settle();
      expect(await command).toBe('storage');
      expect(second.provider.requests).toEqual([]);
      expect(second.session.state).toEqual(third.session.state);
      await second.session.dispose();
      await third.session.dispose();
    },
  );

  it('a part of `generate` that cannot be fetched leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    const board = dataBoard();
    const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const first = createSession([stall('{"a":')], { domains: [board.domain()] });
    const made = codeOf(first.session.generate('A plan', schema));
    await settle();
    const operations = first.operations.slice();
    await first.session.dispose({ turn: 'leave' });
    await made;
    const { session } = await open({ records: recordsOf([operations]), board });
    vi.spyOn(resumeCode, 'get').mockImplementation(() => Promise.reject(lost()));
    vi.spyOn(structuredCode, 'get').mockImplementation(() => Promise.reject(lost()));
    expect(await codeOf(session.clear())).toBe('network');
    expect(await codeOf(session.resume())).toBe('network');
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it.each(['resume', 'abandon'] as const)(
    'the option onInterrupted: %s reports a fetch that fails, and the turn stays interrupted',
    async (onInterrupted) => {
      const arrive = fetchesSlowly();
      const { session, reported } = await open(await left(), [], { onInterrupted });
      arrive(lost());
      await settle();
      expect(reported.map((error) => (error as AgentSessionError).code)).toEqual(['network']);
      expect(session.interrupted.value).not.toBeNull();
    },
  );
});

describe('if the code that ends interrupted work is there', () => {
  it.each(['resume', 'send', 'abandon'] as const)(
    'a cancel takes precedence over %s in the same tick, and undoes the turn',
    async (name) => {
      const log = await left();
      const { session } = await open(log, [say('Done.')]);
      const cancelled = session.cancel();
      const next = codeOf(name === 'send' ? session.send('Next') : session[name]());
      expect(await next).toBe('already-running');
      await cancelled;
      expect(log.board.cards).toEqual([]);
      expect(session.interrupted.value).toBeNull();
    },
  );

  it.each(['resume', 'send', 'respond'] as const)('C1 a cancel ends %s in the same tick', async (name) => {
    const log = await left();
    const { session, provider } = await open(log, [say('Done.')]);
    const args = { resume: [], send: ['Next'], respond: ['unknown', { approve: true }] }[name];
    const run = session[name] as (...args: readonly unknown[]) => Promise<unknown>;
    const command = codeOf(run(...args));
    await session.cancel();
    expect(await command).toBe(name === 'respond' ? 'already-running' : 'cancelled');
    expect(log.board.cards).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  it('a clear in the same tick as a resume does not wait: it is refused', async () => {
    const log = await left();
    const { session } = await open(log, [say('Done.')]);
    const resumed = session.resume();
    expect(await codeOf(session.clear())).toBe('already-running');
    expect(await resumed).toMatchObject({ status: 'completed' });
  });

  it.each(['clear', 'dispose'] as const)(
    'the option onInterrupted reports nothing if %s comes first',
    async (name) => {
      const { session, reported } = await open(await left(), [say('Done.')], { onInterrupted: 'resume' });
      await codeOf(session[name]());
      await settle();
      expect(reported).toEqual([]);
    },
  );
});

describe('an answer to a question of an interrupted turn', () => {
  it('rejects if the turn continues elsewhere, and does not delay later answers', async () => {
    const asks = { guards: [confirmTools('board.add')] };
    const log = await left([callTools(addCard('A'))], asks);
    const fenced = new AgentSessionError('storage', 'Another session has the log.', {
      details: { reason: 'fenced' },
    });
    const refuses = { write: () => Promise.reject(fenced) };
    const { session } = await open(log, [], { ...asks, ports: { journal: refuses } });
    const [question] = session.pendingConfirmations.value;
    expect(await codeOf(session.respond(question!.id, { approve: true }))).toBe('storage');
    expect(await codeOf(session.respond('other', { approve: true }))).toBe('storage');
    expect(log.board.cards).toEqual([]);
  });
});

describe('a turn that waits while an interrupted turn is undone', () => {
  it.each(['unsubscribes', 'cancels'] as const)('C1 does not start if the user %s', async (how) => {
    const log = await left();
    const slow = new Promise<void>((resolve) => setTimeout(resolve, 5));
    const domain = log.board.domain();
    const { session, operations } = await open(log, [say('Done.')], {
      domains: [domain],
      ports: { journal: { write: async () => slow } as never },
    });
    let code: unknown;
    if (how === 'cancels') {
      const sent = codeOf(session.send('Next'));
      await Promise.resolve();
      await session.cancel();
      code = await sent;
    } else {
      const subscription = session.turn$('Next').subscribe();
      for (let tick = 0; session.phase.value !== 'rolling-back'; tick++) {
        expect(tick).toBeLessThan(20);
        await Promise.resolve();
      }
      subscription.unsubscribe();
    }
    await slow;
    await settle();
    if (how === 'cancels') expect(code).toBe('cancelled');
    expect(operations.filter(({ type }) => type === 'turnStarted')).toEqual([]);
    expect(log.board.cards).toEqual([]);
  });
});

it('undo of an interrupted turn checks its options like any undo', async () => {
  const log = await left();
  const { session } = await open(log);
  expect(await codeOf(session.undo({ nonsense: 1 } as never))).toBe('invalid-configuration');
  expect(session.interrupted.value).not.toBeNull();
});
