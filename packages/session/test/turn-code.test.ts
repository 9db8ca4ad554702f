// The code that runs turns and the one that checks arguments are chunks of their own: a session works while they are
// fetched, and a turn fails with a message for the user when they cannot be.
import {
  callTools,
  createVirtualClock,
  observe,
  say,
  scriptedProvider,
  settle,
  spyTool,
} from '@handrail/testing';
import type { AnswerSource } from '@handrail/testing';
import type { LocalAgentSession, Ports, SessionOptions } from '@handrail/session';
import type * as library from '@handrail/session';
import type * as turns from '../src/session/turn-chunk.js';
import { afterEach, describe, expect, it, vi } from 'vitest';

type TurnModule = typeof turns;
type Load = (original: () => Promise<TurnModule>) => Promise<TurnModule>;

const turnModule = '../src/session/turn-chunk.js';
const checkerModule = '../src/tools/validators/interpreted-validator.js';
const matcherModule = '../src/tools/validators/linear-pattern.js';

/** A copy of the library that has not loaded the code of turns yet, and loads it with `load`. */
async function freshLibrary(load: Load): Promise<typeof library> {
  vi.resetModules();
  vi.doMock(turnModule, (original) => load(original as () => Promise<TurnModule>));
  return await import('@handrail/session');
}

/** A load that waits until `arrive` is called. */
function heldBack(): { load: Load; arrive: () => void } {
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return { load: (original) => arrived.then(original), arrive };
}

const never: Load = () => new Promise(() => {});

async function sessionOn(load: Load, options: Partial<SessionOptions> = {}) {
  const { createAgentSession } = await freshLibrary(load);
  const provider = scriptedProvider([say('Hello.')]);
  const session: LocalAgentSession = createAgentSession({ provider, ...options });
  return { session, provider, observed: observe(session) };
}

const types = ({ operations }: { operations: readonly { type: string }[] }) =>
  operations.map((operation) => operation.type);

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: { code?: string }) => error.code,
  );

afterEach(() => {
  vi.doUnmock(turnModule);
  vi.resetModules();
});

describe('while the code of turns is being fetched', () => {
  it('a turn has begun when send returns, and goes on once the code is there', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    const answer = session.send('Hi');
    expect(session.isRunning.value).toBe(true);
    expect(session.liveTurn.value?.input.parts).toEqual([{ type: 'text', text: 'Hi' }]);
    await settle();
    expect(types(observed)).toEqual(['turnStarted']);
    expect(provider.requests).toEqual([]);
    arrive();
    expect((await answer).text).toBe('Hello.');
    observed.check();
    await session.dispose();
  });

  it('a second send is refused', async () => {
    const { session } = await sessionOn(never);
    void session.send('Hi');
    expect(await codeOf(session.send('Again'))).toBe('already-running');
    await session.dispose();
  });

  it.each([
    { sideEffects: 'rollback', ends: ['rollbackStarted', 'rolledBack', 'cancelled'] },
    { sideEffects: 'keep', ends: ['commitStarted', 'committed', 'cancelled'] },
  ] as const)('a cancel with $sideEffects ends the turn at once', async ({ sideEffects, ends }) => {
    const { session, provider, observed } = await sessionOn(never);
    const answer = codeOf(session.send('Hi'));
    const cancelled = session.cancel({ sideEffects });
    expect(session.isRunning.value).toBe(false);
    expect(types(observed)).toEqual(['turnStarted', 'cancelRequested', 'messagesAppended', ...ends]);
    const nothing = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
    expect(await cancelled).toEqual({
      landed: 'preparing',
      cancelled: true,
      completed: [],
      skipped: [],
      undo: nothing,
    });
    expect(await answer).toBe('cancelled');
    expect(provider.requests).toEqual([]);
    observed.check();
    await session.dispose();
  });

  it('a turn that was cancelled meanwhile stays ended when the code arrives, and retry runs it', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    void session.send('Hi');
    await session.cancel();
    arrive();
    await settle();
    expect(provider.requests).toEqual([]);
    expect((await session.retry()).text).toBe('Hello.');
    expect(session.conversation.value.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    observed.check();
    await session.dispose();
  });

  it('a retry waits for the code, holds other commands off, and can be cancelled', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    void session.send('Hi');
    await session.cancel();
    const retried = codeOf(session.retry());
    expect(await codeOf(session.send('Again'))).toBe('already-running');
    expect(await session.cancel()).toMatchObject({ landed: 'preparing', cancelled: true });
    expect(await retried).toBe('cancelled');
    const again = session.retry();
    arrive();
    expect((await again).text).toBe('Hello.');
    expect(session.turns.value).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
    observed.check();
    await session.dispose();
  });

  it('undo without an undoable turn rejects at once', async () => {
    const { session } = await sessionOn(never);
    expect(await codeOf(session.undo())).toBe('nothing-to-undo');
    await session.dispose();
  });

  it('a subscriber that cancels again while the turn ends does not end it twice', async () => {
    const { session, observed } = await sessionOn(never);
    session.operations$.subscribe(({ type }) => {
      if (type === 'cancelRequested' || type === 'messagesAppended') void session.cancel();
    });
    void session.send('Hi');
    await session.cancel();
    expect(types(observed).filter((type) => type === 'messagesAppended')).toHaveLength(1);
    expect(types(observed).filter((type) => type === 'cancelled')).toHaveLength(1);
    observed.check();
    await session.dispose();
  });

  it('an aborted signal, an unsubscribed turn$ and a disposal end it too', async () => {
    const { session, observed } = await sessionOn(never);
    const aborter = new AbortController();
    const first = codeOf(session.send('One', { signal: aborter.signal }));
    aborter.abort();
    expect(await first).toBe('cancelled');
    session.turn$('Two').subscribe().unsubscribe();
    expect(session.isRunning.value).toBe(false);
    const third = codeOf(session.send('Three'));
    await session.dispose();
    expect(await third).toBe('cancelled');
    expect(session.turns.value.map((turn) => turn.status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    observed.check();
  });

  it('there is nothing to undo, and nothing that could be answered', async () => {
    const { session } = await sessionOn(never);
    void session.send('Hi');
    expect(await session.respond('confirmation_1', { approve: true })).toBe('already-settled');
    await session.cancel();
    expect(await codeOf(session.undo())).toBe('nothing-to-undo');
    expect(await codeOf(session.redo())).toBe('nothing-to-undo');
    await session.dispose();
  });
});

describe('when the code of turns cannot be loaded', () => {
  it('the turn fails with network, its message is for the user, and retry fetches again', async () => {
    let online = false;
    const load: Load = (original) => (online ? original() : Promise.reject(new Error('Failed to fetch')));
    const { session, provider, observed } = await sessionOn(load);
    expect(await codeOf(session.send('Hi'))).toBe('network');
    expect(session.lastError.value).toMatchObject({
      code: 'network',
      retry: 'now',
      message:
        'A part of this page that the agent needs could not be loaded. Check the connection and try again.',
    });
    expect(session.lastError.value?.cause).toBeInstanceOf(Error);
    expect(provider.requests).toEqual([]);
    online = true;
    // vitest keeps a failed import, which a page would fetch again.
    vi.doUnmock(turnModule);
    expect((await session.retry()).text).toBe('Hello.');
    expect(session.conversation.value.messages).toHaveLength(2);
    observed.check();
    await session.dispose();
  });

  it('preloadTurns rejects, and a session can be created, read and disposed', async () => {
    const { createAgentSession, preloadTurns } = await freshLibrary(() =>
      Promise.reject(new Error('Failed to fetch')),
    );
    await expect(preloadTurns()).rejects.toThrow();
    const session = createAgentSession({ provider: scriptedProvider([]) });
    expect(session.phase.value).toBe('idle');
    expect(session.save().turns).toEqual([]);
    await session.dispose();
  });
});

describe('preloadTurns', () => {
  it('loads once, for every session', async () => {
    const load = vi.fn<Load>((original) => original());
    const { createAgentSession, preloadTurns } = await freshLibrary(load);
    await preloadTurns();
    await preloadTurns();
    const session = createAgentSession({ provider: scriptedProvider([say('One.')]) });
    expect((await session.send('Hi')).text).toBe('One.');
    expect(load).toHaveBeenCalledTimes(1);
    await session.dispose();
  });
});

describe('code that is fetched late', () => {
  const stalled = () => new Promise<never>(() => {});
  const refused = () =>
    Promise.reject(new TypeError('Failed to fetch dynamically imported module: https://app.test/c-1f.js'));
  const inWords = {
    code: 'network',
    retry: 'now',
    message:
      'A part of this page that the agent needs could not be loaded. Check the connection and try again.',
  };

  const work = callTools({ tool: 'board.work', args: { x: 'a' } });

  /** A session whose copy of the library loads the argument checker, and the matcher of patterns, with the given functions. */
  async function sessionWith(
    checker: () => Promise<unknown>,
    {
      validator = 'interpreted',
      pattern = '^a$',
      answers = [work, say('Done.')],
    }: { validator?: Ports['validator']; pattern?: string; answers?: AnswerSource[] } = {},
  ) {
    vi.resetModules();
    vi.doMock(checkerModule, checker);
    const { createAgentSession } = await import('@handrail/session');
    const clock = createVirtualClock();
    const parameters = { type: 'object', properties: { x: { type: 'string', pattern } } } as const;
    const tool = spyTool('work', { parameters: parameters as never });
    const session = createAgentSession({
      provider: scriptedProvider(answers),
      domains: [{ id: 'board', tools: [tool] }],
      ports: { clock, validator },
    });
    return { session, clock, tool, observed: observe(session) };
  }

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.doUnmock(checkerModule);
    vi.doUnmock(matcherModule);
  });

  it('C25: a fetch of the code of turns that stalls fails the turn with network, and retry fetches again', async () => {
    let fetches = 0;
    const clock = createVirtualClock();
    const load: Load = (original) => (fetches++ === 0 ? stalled() : original());
    const { session, provider, observed } = await sessionOn(load, { ports: { clock } });
    const answer = codeOf(session.send('Hi'));
    await clock.advance(30_000);
    expect(await answer).toBe('network');
    expect(session.lastError.value).toMatchObject(inWords);
    expect(clock.pending).toBe(0);
    // vitest keeps a failed import, which a page would fetch again.
    vi.doUnmock(turnModule);
    expect((await session.retry()).text).toBe('Hello.');
    expect(provider.requests).toHaveLength(1);
    observed.check();
    await session.dispose();
  });

  it('C25: an argument checker that cannot be fetched fails the turn with a message for the user, and retry fetches it again', async () => {
    const { session, tool, observed } = await sessionWith(refused, { answers: [work, work, say('Done.')] });
    expect(await codeOf(session.send('Go'))).toBe('network');
    expect(session.lastError.value).toMatchObject(inWords);
    expect(JSON.stringify(observed.operations)).not.toContain('app.test');
    expect(tool.runs).toEqual([]);
    vi.doUnmock(checkerModule);
    expect((await session.retry()).text).toBe('Done.');
    expect(tool.runs).toHaveLength(1);
    observed.check();
    await session.dispose();
  });

  it('C25: a fetch of the argument checker that stalls fails the turn with network', async () => {
    const { session, clock, tool, observed } = await sessionWith(stalled);
    const answer = codeOf(session.send('Go'));
    await settle();
    await clock.advance(30_000);
    expect(await answer).toBe('network');
    expect(session.lastError.value).toMatchObject(inWords);
    expect(tool.runs).toEqual([]);
    expect(clock.pending).toBe(0);
    observed.check();
    await session.dispose();
  });

  it('C25: a turn that waits for the argument checker is cancelled at once', async () => {
    const { session, tool, observed } = await sessionWith(stalled);
    const answer = codeOf(session.send('Go'));
    await observed.until('toolsRequested');
    await settle();
    await session.cancel();
    expect(await answer).toBe('cancelled');
    expect(tool.runs).toEqual([]);
    observed.check();
    await session.dispose();
  });

  it('C25: a page that was loaded once works offline: a session fetches its argument checker when it is created', async () => {
    vi.stubGlobal('document', {});
    const checker = vi.fn(() => vi.importActual(checkerModule));
    const matcher = vi.fn(() => vi.importActual(matcherModule));
    vi.doMock(matcherModule, matcher);
    const { session, tool } = await sessionWith(checker, { validator: 'auto', pattern: '^(a|b)+$' });
    await vi.waitFor(
      () => expect([checker, matcher].map((fetch) => fetch.mock.calls.length)).toEqual([1, 1]),
      30_000,
    );
    // A chunk that was fetched is not fetched again.
    expect((await session.send('Go')).text).toBe('Done.');
    expect(tool.runs).toHaveLength(1);
    expect([checker, matcher].map((fetch) => fetch.mock.calls.length)).toEqual([1, 1]);
    await session.dispose();
  });

  it('C25: the matcher of patterns that cannot be fetched fails the turn like the argument checker', async () => {
    vi.doMock(matcherModule, refused);
    const { session, tool } = await sessionWith(() => vi.importActual(checkerModule), {
      pattern: '^(a|b)+$',
      answers: [work, work, say('Done.')],
    });
    expect(await codeOf(session.send('Go'))).toBe('network');
    expect(session.lastError.value).toMatchObject(inWords);
    vi.doUnmock(matcherModule);
    expect((await session.retry()).text).toBe('Done.');
    expect(tool.runs).toHaveLength(1);
    await session.dispose();
  });

  it.each(['no tools', 'no page'])('C25: nothing is fetched ahead with %s', async (without) => {
    if (without === 'no tools') vi.stubGlobal('document', {});
    const checker = vi.fn(() => vi.importActual(checkerModule));
    vi.resetModules();
    vi.doMock(checkerModule, checker);
    const { createAgentSession } = await import('@handrail/session');
    const tools = without === 'no tools' ? [] : [spyTool('work')];
    const session = createAgentSession({
      provider: scriptedProvider([say('Hello.')]),
      domains: [{ id: 'board', tools }],
    });
    expect((await session.send('Hi')).text).toBe('Hello.');
    expect(checker).not.toHaveBeenCalled();
    await session.dispose();
  });
});
