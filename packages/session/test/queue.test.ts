// The queue, its order and its promises.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  createVirtualClock,
  fail,
  gatedTool,
  recordingHistory,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import { textOf } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, rejection, terminals, type Fixture } from './fixture.js';

/** The texts of the queue. */
const waiting = ({ session }: Fixture) => session.queue.value.map(({ input }) => input);

describe('enqueue', () => {
  it('starts at once on an idle session with an empty queue, exactly as send', async () => {
    await using f = fixture([say('Hi.')]);
    expect(await f.session.enqueue('Hello')).toBe('completed');
    expect(f.observed.types).not.toContain('queued');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Hello', 'assistant: Hi.']);
  });

  it('messages start in their order, each when the turn before it has ended', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    const sent = f.session.send('A');
    const second = f.session.enqueue('B');
    const third = f.session.enqueue('C');
    await settle(5);
    expect(f.session.queue.value.map(({ input, steering }) => [input, steering])).toEqual([
      ['B', false],
      ['C', false],
    ]);
    await sent;
    await f.clock.advance(0);
    expect(await second).toBe('completed');
    await f.clock.advance(0);
    expect(await third).toBe('completed');
    expect(waiting(f)).toEqual([]);
    expect(f.session.turns.value.map(({ input }) => outline([input]).join())).toEqual([
      'user: A',
      'user: B',
      'user: C',
    ]);
  });

  it('keeps an input of which textOf returns the text, with images or without', async () => {
    await using f = fixture([say('1')]);
    const sent = f.session.send('A');
    const images = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }];
    const waits = [
      f.session.enqueue('B', { id: 'b' }),
      f.session.enqueue({ text: 'C', images }, { id: 'c' }),
    ];
    await settle(5);
    expect(f.session.queue.value.map(({ input }) => textOf(input))).toEqual(['B', 'C']);
    await f.session.dequeue('b');
    await f.session.dequeue('c');
    expect(await Promise.all(waits)).toEqual(['cancelled', 'cancelled']);
    await sent;
  });

  it('names in dequeued the turn that begins with the next operation', async () => {
    await using f = fixture([say('1'), say('2')]);
    void f.session.send('A');
    void f.session.enqueue('B', { id: 'b' });
    await f.clock.runAll();
    const { operations } = f.observed;
    const dequeued = operations.findIndex(({ type }) => type === 'dequeued');
    expect(operations[dequeued]).toMatchObject({ id: 'b', reason: 'started', target: 'turn_2' });
    expect(operations[dequeued + 1]).toMatchObject({ type: 'turnStarted', turnId: 'turn_2' });
  });

  it('a `send` in the continuation of a turn goes before the next message', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    const sent = f.session.send('A').then(() => f.session.send('B'));
    const queued = f.session.enqueue('C');
    await settle();
    expect(f.session.turns.value).toHaveLength(2);
    await sent;
    await f.clock.advance(0);
    expect(await queued).toBe('completed');
    expect(f.session.turns.value.map(({ input }) => outline([input]).join())).toEqual([
      'user: A',
      'user: B',
      'user: C',
    ]);
  });

  it('resolves stopped for a turn that stops, after which the next one starts', async () => {
    await using f = fixture([say('1'), callTools('', { tool: 'board.add', args: {} }), say('3')], {
      domains: [{ id: 'board', tools: [gatedTool('add')] }],
      looseScript: true,
    });
    void f.session.send('A');
    const stopped = f.session.enqueue('B', { limits: { maxToolCalls: 0, onTrip: 'stop' } });
    const next = f.session.enqueue('C');
    await f.clock.runAll();
    expect([await stopped, await next]).toEqual(['stopped', 'completed']);
  });

  it('rejects as send does for a turn that fails', async () => {
    await using f = fixture([say('1'), fail('auth')]);
    void f.session.send('A');
    const queued = rejection(f.session.enqueue('B'));
    await f.clock.runAll();
    expect((await queued).code).toBe('auth');
    expect(f.session.lastError.value).toBe(await queued);
  });

  it('rejects cancelled for a turn that the user cancels', async () => {
    await using f = fixture([say('1'), stall()]);
    void f.session.send('A');
    const queued = rejection(f.session.enqueue('B'));
    await f.clock.advance(0);
    await f.session.cancel();
    expect((await queued).code).toBe('cancelled');
  });

  it('the limits of a message are kept until its turn starts', async () => {
    await using f = fixture([say('1'), say('2')]);
    void f.session.send('A');
    void f.session.enqueue('B', { limits: { maxRounds: 3, timeoutMs: Infinity } });
    await settle();
    const [item] = f.session.queue.value;
    expect(item?.options).toEqual({ limits: { maxRounds: 3, timeoutMs: null } });
    await f.session.requeue(item!.id, { input: 'C' });
    await f.clock.runAll();
    const turn = f.session.turns.value[1];
    expect(turn?.options).toEqual({ limits: { maxRounds: 3, timeoutMs: null } });
    expect(outline([turn!.input])).toEqual(['user: C']);
  });

  it('keeps a copy of its input', async () => {
    await using f = fixture([say('1'), say('2')]);
    void f.session.send('A');
    const input = { text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] };
    void f.session.enqueue(input);
    await settle();
    input.images.length = 0;
    await f.clock.runAll();
    expect(outline([f.session.turns.value[1]!.input])).toEqual(['user: Look | image']);
  });

  it.each<[string, readonly [string, object], string]>([
    ['an empty message', ['', {}], 'invalid-input'],
    ['an unknown option', ['B', { signal: AbortSignal.abort() }], 'invalid-configuration'],
    ['an unknown limit', ['B', { limits: { rounds: 1 } }], 'invalid-configuration'],
    ['a source without a task', ['B', { from: {} }], 'invalid-configuration'],
    ['a source with another field', ['B', { from: { task: 't', turn: 'x' } }], 'invalid-configuration'],
    ['an id that is no text', ['B', { id: '' }], 'invalid-input'],
    ['the id of a message without an id of its own', ['B', { id: 'queued_1' }], 'invalid-input'],
  ])('rejects at the call, and changes nothing, for %s', async (_name, [input, options], code) => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    void f.session.enqueue('First');
    await settle();
    const before = f.session.state;
    expect((await rejection(f.session.enqueue(input, options))).code).toBe(code);
    expect(f.session.state).toBe(before);
  });

  it('a message whose turn cannot start is removed, and the queue pauses', async () => {
    await using f = fixture([say('1')], { looseScript: true });
    void f.session.send('A');
    const image = { text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] };
    const refused = rejection(f.session.enqueue(image));
    void f.session.enqueue('C');
    await settle(3);
    f.session.configure({ provider: scriptedProvider([], { images: false }) });
    await f.clock.runAll();
    expect((await refused).code).toBe('unsupported');
    expect(waiting(f)).toEqual(['C']);
    expect(f.session.queuePaused.value).toBe(true);
    expect(terminals(f)).toEqual(['completed']);
  });

  it('a message that is refused at its start is not in the queue of the next session either', async () => {
    for (const failing of [1, 2]) {
      let calls = Infinity;
      const clock = createVirtualClock(1_000);
      const now = () => {
        if (--calls === 0) throw new Error('The clock stopped.');
        return clock.now();
      };
      await using f = fixture([say('1')], { ports: { clock: { ...clock, now } }, looseScript: true });
      void f.session.send('A');
      const refused = rejection(f.session.enqueue('B', { id: 'b' }));
      await settle();
      calls = failing;
      await clock.advance(0);
      expect((await refused).code).toBe('provider-contract');
      expect(f.observed.operations.at(-1)).toMatchObject({ type: 'dequeued', id: 'b', reason: 'refused' });
      expect(f.session.state).toMatchObject({ queue: [], isRunning: false, fold: { starting: null } });
    }
  });

  it('in a tool waits for the end of the turn', async () => {
    const act = gatedTool('act');
    await using f = fixture([callTools('', { tool: 'app.act', args: {} }), say('1'), say('2')], {
      domains: [{ id: 'app', tools: [act] }],
    });
    const sent = f.session.send('A');
    const run = await act.next();
    const queued = f.session.enqueue('B');
    run.settle();
    await sent;
    await f.clock.runAll();
    expect(await queued).toBe('completed');
  });

  it('rejects disposed for a message that still waits', async () => {
    const f = fixture([stall()]);
    void f.session.send('A').catch(() => {});
    const queued = rejection(f.session.enqueue('B'));
    const steered = rejection(f.session.steer('C'));
    await settle();
    await f[Symbol.asyncDispose]();
    expect([(await queued).code, (await steered).code]).toEqual(['disposed', 'disposed']);
    expect((await rejection(f.session.enqueue('D'))).code).toBe('disposed');
    expect(f.clock.pending).toBe(0);
  });
});

describe('a queue that is not empty', () => {
  it('goes on when an undo has ended', async () => {
    await using f = fixture([callTools('', addCard('A')), say('1'), say('2')], {
      domains: [createBoard().domain()],
      history: recordingHistory(),
    });
    await f.session.send('A');
    let queued: Promise<string> | undefined;
    atOperation(f.session, 'undoStarted', () => (queued = f.session.enqueue('B')));
    await f.session.undo();
    expect(waiting(f)).toEqual(['B']);
    await f.clock.advance(0);
    expect(await queued).toBe('completed');
  });

  it('`send` while a turn runs still rejects `already-running`', async () => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    void f.session.enqueue('B');
    await settle();
    expect((await rejection(f.session.send('C'))).code).toBe('already-running');
    expect(waiting(f)).toEqual(['B']);
  });

  it('is not saved', async () => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    void f.session.enqueue('B');
    await settle();
    expect(JSON.stringify(f.session.save())).not.toContain('"B"');
  });

  it('starts a turn also if a subscriber enqueues at the end of another', async () => {
    await using f = fixture([say('1'), say('2')]);
    await f.session.resumeQueue();
    let queued: Promise<string> | undefined;
    atOperation(f.session, 'commitStarted', () => (queued = f.session.enqueue('B')));
    await f.session.send('A');
    await f.clock.advance(0);
    expect(await queued).toBe('completed');
  });
});
