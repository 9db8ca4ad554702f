// The code of sessions and the one that checks arguments are chunks of their own: calls wait while they are fetched, and a turn fails with
// a message for the user when they cannot be.
import {
  callTools,
  createVirtualClock,
  observe,
  say,
  scriptedProvider,
  settle,
  spyTool,
} from '@banister/testing';
import type { AnswerSource } from '@banister/testing';
import {
  createAgentSession,
  effect,
  type LocalAgentSession,
  type Ports,
  type SessionOptions,
} from '@banister/session';
import type * as library from '@banister/session';
import type * as sessionChunk from '../src/session/session-chunk.js';
import { afterEach, describe, expect, it, vi } from 'vitest';

type SessionModule = typeof sessionChunk;
type Load = (original: () => Promise<SessionModule>) => Promise<SessionModule>;

const sessionModule = '../src/session/session-chunk.js';
const checkerModule = '@banister/schema/interpreted';
const matcherModule = '@banister/schema/patterns';

/** A copy of the library that has not loaded the code of sessions yet, and loads it with `load`. */
async function freshLibrary(load: Load): Promise<typeof library> {
  vi.resetModules();
  vi.doMock(sessionModule, (original) => load(original as () => Promise<SessionModule>));
  return await import('@banister/session');
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
  vi.doUnmock(sessionModule);
  vi.resetModules();
});

describe('while the code of sessions is being fetched', () => {
  it('a turn is shown with its message when `send` returns, and keeps its ids when it begins', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    const published: unknown[] = [];
    const stop = effect(() => void published.push([session.isRunning.value, session.turns.value.length]));
    const answer = session.send('Hi');
    expect(session.state).toMatchObject({ isRunning: true, phase: 'preparing' });
    const shown = session.liveTurn.value!;
    expect(shown.input.parts).toEqual([{ type: 'text', text: 'Hi' }]);
    await settle();
    expect(types(observed)).toEqual([]);
    arrive();
    expect((await answer).text).toBe('Hello.');
    expect(observed.operations[0]).toMatchObject({
      type: 'turnStarted',
      turnId: shown.id,
      input: shown.input,
    });
    expect(provider.requests).toHaveLength(1);
    expect(published).toEqual([
      [false, 0],
      [true, 0],
      [false, 1],
    ]);
    stop();
    observed.check();
    await session.dispose();
  });

  it('the record of a shown turn has the fields of a running turn', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    const answer = session.send('Hi');
    const shown = session.liveTurn.value;
    const begun = new Promise((resolve) =>
      session.operations$.subscribe(({ type }) => {
        if (type === 'turnStarted') resolve(session.state.liveTurn);
      }),
    );
    arrive();
    expect(await begun).toEqual(shown);
    await answer;
    observed.check();
    await session.dispose();
  });

  it('calls wait for the code, and are carried out in their order', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load, {
      role: 'First.',
      provider: scriptedProvider([say('One.'), say('Two.')]),
    });
    const undone = codeOf(session.undo());
    const first = session.send('One');
    session.configure({ role: 'Second.' });
    const queued = session.enqueue('Two');
    const retried = codeOf(session.retry());
    expect(() => session.configure({ limits: { maxRounds: 0 } })).toThrow('maxRounds');
    expect(() => session.touch(5 as never)).toThrow('touch');
    session.touch('board');
    arrive();
    expect([await undone, await retried]).toEqual(['nothing-to-undo', 'already-running']);
    expect([(await first).text, await queued]).toEqual(['One.', 'completed']);
    const requests = observed.operations.flatMap((one) => (one.type === 'modelCallStarted' ? [one] : []));
    expect(requests.map(({ request }) => request?.system)).toEqual(['First.', 'Second.']);
    observed.check();
    await session.dispose();
  });

  it('a second send, and an invalid message, are refused', async () => {
    const { session } = await sessionOn(never);
    expect(await codeOf(session.send(' '))).toBe('invalid-input');
    expect(session.isRunning.value).toBe(false);
    void session.send('Hi');
    expect(await codeOf(session.send('Again'))).toBe('already-running');
    const streamed = new Promise((resolve) => session.turn$('Again').subscribe({ error: resolve }));
    expect(await streamed).toMatchObject({ code: 'already-running' });
    await session.dispose();
  });

  it('a turn with invalid options is refused when the code is loaded, and leaves no record', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    const refused = codeOf(session.send('Hi', { limits: { maxRounds: -1 } }));
    const cancelled = codeOf(session.send('Hi').finally(() => {}));
    expect(await cancelled).toBe('already-running');
    arrive();
    expect(await refused).toBe('invalid-configuration');
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle', liveTurn: null, turns: [] });
    expect(types(observed)).toEqual([]);
    await session.dispose();
  });

  it.each([
    { sideEffects: 'rollback', ends: ['rollbackStarted', 'rolledBack', 'cancelled'] },
    { sideEffects: 'keep', ends: ['commitStarted', 'committed', 'cancelled'] },
  ] as const)(
    'a cancel with $sideEffects ends the turn at once; the turn is recorded when the code is loaded',
    async ({ sideEffects, ends }) => {
      const { load, arrive } = heldBack();
      const { session, provider, observed } = await sessionOn(load);
      const answer = codeOf(session.send('Hi'));
      const cancelled = session.cancel({ sideEffects });
      expect(session.state).toMatchObject({ isRunning: false, phase: 'idle', liveTurn: null });
      const shown = session.turns.value;
      expect(shown).toMatchObject([{ status: 'cancelled', outcome: { status: 'cancelled', rounds: 0 } }]);
      expect(session.lastOutcome.value).toEqual(shown[0]!.outcome);
      const nothing = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
      expect(await cancelled).toEqual({
        landed: 'preparing',
        cancelled: true,
        completed: [],
        skipped: [],
        undo: nothing,
      });
      expect(await answer).toBe('cancelled');
      arrive();
      await observed.until('cancelled');
      expect(types(observed)).toEqual(['turnStarted', 'cancelRequested', 'messagesAppended', ...ends]);
      expect(session.turns.value).toEqual([{ ...shown[0], messageIds: [shown[0]!.input.id] }]);
      expect(provider.requests).toEqual([]);
      observed.check();
      await session.dispose();
    },
  );

  it('a turn that was cancelled meanwhile stays ended when the code arrives, and `retry` runs it', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    void session.send('Hi');
    await session.cancel();
    const retried = session.retry();
    arrive();
    expect((await retried).text).toBe('Hello.');
    expect(provider.requests).toHaveLength(1);
    expect(session.conversation.value.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    observed.check();
    await session.dispose();
  });

  it('a `retry` that waits for the code can be cancelled, and another message can be sent after it', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    void session.send('One');
    await session.cancel();
    const running: boolean[] = [];
    const stop = effect(() => void running.push(session.isRunning.value));
    const retried = codeOf(session.retry());
    const cancelled = session.cancel();
    arrive();
    expect(await retried).toBe('cancelled');
    expect(await cancelled).toMatchObject({ cancelled: true });
    void session.send('Two');
    expect((await session.cancel()).cancelled).toBe(true);
    expect(provider.requests).toEqual([]);
    expect(running[0]).toBe(false);
    stop();
    observed.check();
    await session.dispose();
  });

  it('a turn after a cancelled turn is shown as running throughout', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    void session.send('One');
    await session.cancel();
    const second = session.send('Two');
    const running: boolean[] = [];
    const stop = effect(() => void running.push(session.isRunning.value));
    arrive();
    expect((await second).text).toBe('Hello.');
    expect(running).toEqual([true, false]);
    expect(session.turns.value.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    stop();
    observed.check();
    await session.dispose();
  });

  it('a subscriber that acts while a cancelled turn is recorded acts after it', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    let reports = 0;
    session.operations$.subscribe(({ type }) => {
      if (type === 'messagesAppended') void session.cancel().then(() => reports++);
    });
    void session.send('Hi');
    await session.cancel();
    arrive();
    await vi.waitFor(() => expect(reports).toBe(1), 30_000);
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
    expect(await codeOf(session.send('One', { signal: aborter.signal }))).toBe('cancelled');
    session.turn$('Two').subscribe().unsubscribe();
    expect(session.isRunning.value).toBe(false);
    const third = codeOf(session.send('Three'));
    const undone = codeOf(session.undo());
    const completed = new Promise<void>((resolve) => session.operations$.subscribe({ complete: resolve }));
    await session.dispose();
    await completed;
    expect([await third, await undone]).toEqual(['cancelled', 'disposed']);
    expect(session.turns.value.map((turn) => turn.status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await codeOf(session.send('Four'))).toBe('disposed');
    expect(await codeOf(session.cancel())).toBe('disposed');
    expect(() => session.configure({ role: 'None.' })).toThrow('disposed');
    expect(types(observed)).toEqual([]);
  });

  it('a session that was disposed stays so when the code arrives', async () => {
    const { load, arrive } = heldBack();
    const { session, provider, observed } = await sessionOn(load);
    const sent = codeOf(session.send('Hi'));
    const ends = [session.dispose(), session.dispose()];
    expect(ends[0]).toBe(ends[1]);
    await ends[0];
    arrive();
    await settle();
    expect(await sent).toBe('cancelled');
    expect(provider.requests).toEqual([]);
    expect(types(observed)).toEqual([]);
  });

  it('a turn$ begins with the code, emits its operations, and runs once', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    const turn = session.turn$('Hi');
    const seen: string[] = [];
    const completed = new Promise<void>((resolve, reject) =>
      turn.subscribe({ next: ({ type }) => seen.push(type), complete: resolve, error: reject }),
    );
    expect(session.liveTurn.value?.input.parts).toEqual([{ type: 'text', text: 'Hi' }]);
    const again = () => new Promise((resolve) => turn.subscribe({ error: resolve }));
    expect(await again()).toMatchObject({ code: 'already-running' });
    arrive();
    await completed;
    expect([seen[0], seen.at(-1)]).toEqual(['turnStarted', 'completed']);
    expect(await again()).toMatchObject({ code: 'already-running' });
    const cancelled = new Promise((resolve) =>
      session.turn$('Two').subscribe({ complete: () => resolve('ended') }),
    );
    await session.cancel();
    expect(await cancelled).toBe('ended');
    observed.check();
    await session.dispose();
  });

  it('a cancelled turn$ errors, and its turn is recorded', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    const ended = new Promise((resolve) => session.turn$('Hi').subscribe({ error: resolve }));
    await session.cancel();
    expect(await ended).toMatchObject({ code: 'cancelled' });
    arrive();
    await observed.until('cancelled');
    observed.check();
    await session.dispose();
  });

  it('a cancel while idle has nothing to do, and a released attendance is not announced', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    expect(await session.cancel()).toMatchObject({ landed: 'idle', cancelled: false });
    session.attend('question_1')();
    const release = session.attend('question_2');
    const answered = session.respond('question_2', { approve: true });
    arrive();
    expect(await answered).toBe('already-settled');
    release();
    release();
    observed.check();
    await session.dispose();
  });

  it('there is nothing to undo, and no question to answer', async () => {
    const { load, arrive } = heldBack();
    const { session } = await sessionOn(load);
    void session.send('Hi');
    await session.cancel();
    const codes = Promise.all([codeOf(session.undo()), codeOf(session.redo()), codeOf(session.resume())]);
    arrive();
    expect(await codes).toEqual(['nothing-to-undo', 'nothing-to-undo', 'nothing-to-resume']);
    await session.dispose();
  });

  it('a message with files is shown without its text, and a cancel of it leaves no record', async () => {
    const { load, arrive } = heldBack();
    const { session, observed } = await sessionOn(load);
    const files = [new Blob(['Some words.'])];
    const first = codeOf(session.send({ text: 'One', files }));
    expect(session.state).toMatchObject({ isRunning: true, phase: 'preparing', liveTurn: null });
    await session.cancel();
    expect(await first).toBe('cancelled');
    expect(session.turns.value).toEqual([]);
    const second = session.send({ text: 'Two', files });
    arrive();
    expect((await second).text).toBe('Hello.');
    expect(session.turns.value).toHaveLength(1);
    observed.check();
    await session.dispose();
  });
});

describe('a conversation that is opened while the code of sessions is being fetched', () => {
  async function saved() {
    const { createAgentSession } = await import('@banister/session');
    const session = createAgentSession({ provider: scriptedProvider([say('Before.')]) });
    await session.send('Before?');
    const conversation = session.save();
    await session.dispose();
    return conversation;
  }

  it('is in the signals when the code is there, with the turn that was sent meanwhile behind it', async () => {
    const conversation = await saved();
    const { load, arrive } = heldBack();
    const { session } = await sessionOn(load, { conversation });
    expect(session.link.value).toEqual({ role: 'writer', open: false, saved: true });
    expect(session.save()).toEqual(conversation);
    const answer = session.send('And now?');
    arrive();
    expect((await answer).text).toBe('Hello.');
    expect(session.link.value.open).toBe(true);
    expect(session.conversation.value.messages).toHaveLength(4);
    expect(session.turns.value[1]!.parentId).toBe(conversation.head);
    await session.dispose();
  });

  it('is refused at once when a newer release saved it', async () => {
    const conversation = { ...(await saved()), version: 99 };
    await expect(sessionOn(never, { conversation })).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('if it is damaged, it cannot be opened: calls reject with the reason, which is reported', async () => {
    const conversation = { ...(await saved()), turns: 5 } as never;
    const { load, arrive } = heldBack();
    const reported: unknown[] = [];
    const { session, provider } = await sessionOn(load, {
      conversation,
      ports: { reportError: (error) => reported.push(error) },
    });
    const answer = codeOf(session.send('Hi'));
    arrive();
    expect(await answer).toBe('invalid-configuration');
    expect(session.link.value).toEqual({ role: 'read-only', open: true, saved: true });
    expect(session.state).toMatchObject({ isRunning: false, turns: [{ status: 'failed' }], liveTurn: null });
    expect(session.lastError.value).toMatchObject({ code: 'invalid-configuration' });
    expect(await codeOf(session.undo())).toBe('invalid-configuration');
    expect(reported).toMatchObject([{ code: 'invalid-configuration' }]);
    expect(provider.requests).toEqual([]);
    expect(session.save()).toBe(conversation);
    await session.dispose();
  });
});

describe('when the code of sessions cannot be loaded', () => {
  it('a turn whose code cannot be fetched fails with `network`, and `retry` fetches it again', async () => {
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
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle' });
    expect(session.turns.value).toMatchObject([
      { status: 'failed', outcome: { error: { code: 'network' } } },
    ]);
    expect(provider.requests).toEqual([]);
    online = true;
    // vitest keeps a failed import, which a page would fetch again.
    vi.doUnmock(sessionModule);
    expect((await session.retry()).text).toBe('Hello.');
    expect(types(observed).slice(0, 5)).toEqual([
      'turnStarted',
      'messagesAppended',
      'rollbackStarted',
      'rolledBack',
      'failed',
    ]);
    expect(session.conversation.value.messages).toHaveLength(2);
    observed.check();
    await session.dispose();
  });

  it('any other call rejects `network`, and the next one fetches again', async () => {
    let online = false;
    const load: Load = (original) => (online ? original() : Promise.reject(new Error('Failed to fetch')));
    const { session } = await sessionOn(load);
    expect(await codeOf(session.undo())).toBe('network');
    const streamed = new Promise((resolve) => session.turn$('Hi').subscribe({ error: resolve }));
    expect(await streamed).toMatchObject({ code: 'network' });
    online = true;
    vi.doUnmock(sessionModule);
    expect(await codeOf(session.undo())).toBe('nothing-to-undo');
    expect(session.turns.value).toMatchObject([{ status: 'failed' }]);
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

  it('saves nothing in the form of a session without a message', async () => {
    const { createAgentSession: fresh } = await freshLibrary(never);
    const early = fresh({ provider: scriptedProvider([]) });
    const session = createAgentSession({ provider: scriptedProvider([]) });
    expect(early.save()).toEqual(session.save());
    expect(early.state).toEqual(session.state);
    await Promise.all([early.dispose(), session.dispose()]);
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
    const { createAgentSession } = await import('@banister/session');
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

  it('C25: a fetch of the code of sessions that stalls fails the turn with network, and retry fetches again', async () => {
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
    vi.doUnmock(sessionModule);
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
    await observed.until('toolsRequested');
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

  it('C25: a page fetches the code of its turns in advance, so that it works offline afterwards', async () => {
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

  it.each(['no tools', 'no page'])('C25: nothing is fetched in advance with %s', async (without) => {
    if (without === 'no tools') vi.stubGlobal('document', {});
    const checker = vi.fn(() => vi.importActual(checkerModule));
    vi.resetModules();
    vi.doMock(checkerModule, checker);
    const { createAgentSession } = await import('@banister/session');
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
