// A remote session behaves like the session itself.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AgentSessionError,
  confirmTools,
  defineAgent,
  defineDomain,
  effect,
  preloadTurns,
  type JsonObject,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { direct, type Transport } from '@banister/remote';
import { callTools, fail, gate, say, scriptedProvider, settle, spyTool, stall } from '@banister/testing';
import { copying, hostSession, preloadBranches, remote } from './remote.js';

beforeAll(preloadBranches);

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    ({ code }: { readonly code?: string }) => code,
  );

/** A session whose tool asks the user. */
function askingHost() {
  const add = spyTool('add');
  const host = hostSession([callTools({ tool: 'board.add', args: { title: 'A' } }), say('Done.')], {
    domains: [defineDomain({ id: 'board', tools: [add] })],
    guards: [confirmTools('board.add')],
  });
  return { ...host, add };
}

describe('a remote session', () => {
  it('exists at once, and has the state of the session when it was read', async () => {
    const host = hostSession([say(['Hel', 'lo.'])]);
    await host.session.send('Hi');
    const { session, operations } = remote(host.transport, host.clock);
    expect(session.connection.value).toBe('connecting');
    expect(session.link.value).toEqual({ role: 'follower', open: false, saved: true });
    expect(session.turns.value).toEqual([]);
    await settle();
    expect(session.connection.value).toBe('online');
    expect(session.link.value).toEqual({ role: 'follower', open: true, saved: true });
    expect(session.state).toEqual(host.session.state);
    expect(operations).toEqual([]);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('a `send` is shown at once, without an operation, until its turn begins', async () => {
    const host = hostSession([stall('Hello')]);
    const { session, operations } = remote(host.transport, host.clock);
    await settle();
    const phases: string[] = [];
    const sent = session.send('Hi');
    expect([session.isRunning.value, session.phase.value]).toEqual([true, 'preparing']);
    expect([session.state.isRunning, session.state.sequence, operations.length]).toEqual([true, 0, 0]);
    session.operations$.subscribe(({ type }) => phases.push(`${type} ${session.state.phase}`));
    await settle();
    expect(phases.slice(0, 2)).toEqual(['turnStarted preparing', 'messagesAppended preparing']);
    expect(session.phase.value).toBe('streaming');
    void session.cancel();
    expect(await codeOf(sent)).toBe('cancelled');
    await session.dispose();
    await host.session.dispose();
  });

  it.each([
    ['send', (session) => session.send('')],
    ['retry', (session) => session.retry()],
    ['regenerate', (session) => session.regenerate()],
    ['edit', (session) => session.edit('none', 'Hi')],
    ['switchTo', (session) => session.switchTo('none')],
  ] as readonly [string, (session: ReturnType<typeof remote>['session']) => Promise<unknown>][])(
    'a refused %s is no longer shown',
    async (_name, command) => {
      const host = hostSession([]);
      const { session } = remote(host.transport, host.clock);
      await settle();
      const refused = command(session);
      expect(session.isRunning.value).toBe(true);
      expect(await codeOf(refused)).not.toBe('resolved');
      expect([session.isRunning.value, session.phase.value, session.state.sequence]).toEqual([
        false,
        'idle',
        0,
      ]);
      await session.dispose();
      await host.session.dispose();
    },
  );

  it('a shown turn is replaced when a snapshot contains the turn', async () => {
    const host = hostSession([stall('Hello')]);
    let cut = () => {};
    const { read, command } = host.transport;
    const line: Transport = {
      async *read(after, signal) {
        const lost = new AbortController();
        signal.addEventListener('abort', () => lost.abort());
        cut = () => lost.abort();
        // Only snapshots arrive.
        for await (const item of read(0, lost.signal)) if ('snapshot' in item) yield item;
      },
      command,
    };
    const { session } = remote(line, host.clock);
    await settle();
    void session.send('Hi');
    await settle();
    expect(session.phase.value).toBe('preparing');
    cut();
    await host.clock.advance(300);
    expect([session.isRunning.value, session.phase.value, session.currentText.value]).toEqual([
      true,
      'streaming',
      'Hello',
    ]);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('X8 a cancel on one device ends the turn of another', async () => {
    const host = hostSession([stall('Hello')]);
    const [a, b] = [remote(host.transport, host.clock), remote(host.transport, host.clock)];
    await settle();
    const sent = a.session.send('Hi');
    await settle();
    expect(b.session.currentText.value).toBe('Hello');
    expect(await b.session.cancel()).toMatchObject({ cancelled: true });
    expect(await codeOf(sent)).toBe('cancelled');
    for (const { session } of [a, b]) expect(session.state).toEqual(host.session.state);
    for (const { session } of [a, b, host]) await session.dispose();
  });

  it('F8 if two devices answer a question at once, there is one resolution, and both get its outcome', async () => {
    const { session, clock, transport, add } = askingHost();
    const [a, b] = [remote(transport, clock), remote(transport, clock)];
    await settle();
    const sent = a.session.send('Add A');
    await settle();
    const answers = [
      a.session.pendingConfirmation.value!.approve(),
      b.session.pendingConfirmation.value!.approve(),
    ];
    expect(await Promise.all(answers)).toEqual(['accepted', 'already-settled']);
    expect((await sent).text).toBe('Done.');
    await settle();
    const resolved = b.operations.filter(({ type }) => type === 'confirmationResolved');
    expect([resolved.length, add.runs.length]).toEqual([1, 1]);
    for (const one of [a.session, b.session, session]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('shows the previews of a question and of edited arguments, and can attend the question', async () => {
    const titles = new Map([['1', 'One']]);
    let changed = () => {};
    const rename = spyTool('rename', {
      preview: ({ title }) => ({ before: titles.get('1'), after: title }),
      execute: ({ title }) => void titles.set('1', String(title)),
    });
    const host = hostSession([callTools('', { tool: 'cards.rename', args: { title: 'A' } }), say('Done.')], {
      domains: [{ id: 'cards', tools: [rename], subscribe: (report) => ((changed = report), () => {}) }],
      guards: [confirmTools('cards.rename')],
    });
    const { session } = remote(host.transport, host.clock);
    await settle();
    const sent = session.send('Rename it');
    await settle();
    const ask = session.pendingConfirmation.value!;
    expect(ask.preview).toEqual({ kind: 'change', before: 'One', after: 'A' });
    const release = session.attend(ask.id);
    await host.clock.advance(100_000);
    expect(session.pendingConfirmation.value).toMatchObject({ id: ask.id, attended: true });
    titles.set('1', 'Mine');
    changed();
    await settle();
    expect(await ask.approve()).toHaveProperty('errors');
    const made = await session.previewOf(ask.id, { title: 'B' });
    expect(made).toMatchObject({ preview: { before: 'Mine', after: 'B' } });
    release();
    await settle();
    expect(session.state).toEqual(host.session.state);
    expect(host.session.pendingConfirmation.value?.expiresAt).toBeLessThanOrEqual(host.clock.now() + 45_000);
    const { digest } = made as { readonly digest: string };
    expect(await ask.approve({ arguments: { title: 'B' }, digest })).toBe('accepted');
    expect((await sent).text).toBe('Done.');
    expect(titles.get('1')).toBe('B');
    for (const one of [session, host.session]) await one.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it.each([-10, 10])('F13 shows deadlines in local time if its clock is %i minutes off', async (minutes) => {
    const { session: host, clock, transport } = askingHost();
    const skew = minutes * 60_000;
    const local = {
      now: () => clock.now() + skew,
      schedule: (callback: () => void, ms: number) => clock.schedule(callback, ms),
    };
    const { session } = remote(transport, { ...clock, ...local });
    await settle();
    void session.send('Add A').catch(() => {});
    await settle();
    const atHost = host.pendingConfirmation.value!.expiresAt!;
    const question = session.pendingConfirmation.value!;
    expect(question.expiresAt).toBe(atHost + skew);
    expect(session.pendingConfirmations.value).toEqual([question]);
    expect(session.pendingConfirmation.value).toBe(question);
    expect(session.state).toEqual(host.state);
    expect(session.state.pendingConfirmations[0]!.expiresAt).toBe(atHost);
    await clock.advance(atHost - clock.now());
    expect(session.pendingConfirmation.value).toBeNull();
    await session.dispose();
    await host.dispose();
  });

  it('audit-S7 shows the next attempt of a request in local time', async () => {
    const { session: host, clock, transport } = hostSession([fail('overloaded'), say('Done.')]);
    const local = {
      now: () => clock.now() + 60_000,
      schedule: (callback: () => void, ms: number) => clock.schedule(callback, ms),
    };
    const { session } = remote(transport, { ...clock, ...local });
    await settle();
    const sent = session.send('Go');
    await settle();
    const { at } = host.pendingRetry.value!;
    expect(session.pendingRetry.value).toEqual({ attempt: 2, of: 4, at: at + 60_000, code: 'overloaded' });
    expect(session.state.pendingRetry).toEqual(host.state.pendingRetry);
    await clock.advance(1_000);
    await sent;
    expect(session.pendingRetry.value).toBeNull();
    await session.dispose();
    await host.dispose();
  });

  it('gets a snapshot instead of more than 10,000 unread operations', async () => {
    const host = hostSession([say(Array.from({ length: 10_500 }, (_, index) => `${index} `))]);
    const line = direct(host.session, { ports: { clock: host.clock } });
    const slow = gate();
    const kinds: string[] = [];
    const { session } = remote(
      {
        ...line,
        async *read(after, signal) {
          for await (const item of line.read(after, signal)) {
            kinds.push('snapshot' in item ? 'snapshot' : 'record');
            yield item;
            if (kinds.length === 3) await slow.pass();
          }
        },
      },
      host.clock,
    );
    await settle();
    await host.session.send('Hi');
    slow.open();
    await settle(5_000);
    expect(session.state).toEqual(host.session.state);
    expect(kinds.slice(0, 4)).toEqual(['snapshot', 'record', 'record', 'snapshot']);
    expect(kinds.length).toBeLessThan(1_000);
    await session.dispose();
    await host.session.dispose();
  });

  it('is detached by its disposal: waiting commands reject, and neither timer nor listener is left', async () => {
    const host = hostSession([stall('Hello')]);
    const added: AbortSignal[] = [];
    const { session, operations } = remote(
      {
        read: (after, signal) => (added.push(signal), host.transport.read(after, signal)),
        command: (message, signal) => (added.push(signal), host.transport.command(message, signal)),
      },
      host.clock,
    );
    await settle();
    const sent = session.send('Hi');
    await settle();
    let isOver = false;
    session.operations$.subscribe({ complete: () => (isOver = true) });
    await session.dispose();
    expect(await codeOf(sent)).toBe('disposed');
    expect(await codeOf(session.send('Hi'))).toBe('disposed');
    expect([isOver, added.every(({ aborted }) => aborted)]).toEqual([true, true]);
    expect(operations.map(({ type }) => type)).not.toContain('disposed');
    expect(host.session.isRunning.value).toBe(true);
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('is read-only after a record of a newer release', async () => {
    const host = hostSession([say('Hello.')]);
    const { session, reported } = remote(
      {
        ...host.transport,
        async *read(after, signal) {
          for await (const item of host.transport.read(after, signal))
            yield 'operations' in item ? { ...item, version: 3 } : item;
        },
      },
      host.clock,
    );
    await settle();
    await host.session.send('Hi');
    await settle();
    expect(session.link.value.role).toBe('read-only');
    expect(await codeOf(session.send('Hi'))).toBe('unsupported');
    expect(reported).toMatchObject([{ code: 'unsupported' }]);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('a failure of the session is an error of the turn, not of the connection', async () => {
    const host = hostSession([fail('auth')]);
    const { session } = remote(host.transport, host.clock);
    await settle();
    expect(await codeOf(session.send('Hi'))).toBe('auth');
    await settle();
    expect([session.connection.value, session.lastError.value?.code]).toEqual(['online', 'auth']);
    await session.dispose();
    await host.session.dispose();
  });
});

describe('the connection of a remote session', () => {
  /** A transport that fails while it has an error, and counts the attempts. */
  function line(inner: Transport) {
    const state = { error: null as Error | null, reads: 0, commands: [] as JsonObject[], cut: () => {} };
    const transport: Transport = {
      async *read(after, signal) {
        state.reads++;
        if (state.error) throw state.error;
        const lost = new AbortController();
        signal.addEventListener('abort', () => lost.abort());
        state.cut = () => lost.abort();
        yield* inner.read(after, lost.signal);
        if (state.error) throw state.error;
      },
      async command(message, signal) {
        state.commands.push(message);
        if (state.error) throw state.error;
        return inner.command(message, signal);
      },
    };
    return { state, transport };
  }

  it('a failure of the connection is not an error of a turn, and is retried', async () => {
    const host = hostSession([]);
    const { state, transport } = line(host.transport);
    state.error = new Error('No line.');
    const { session } = remote(transport, host.clock);
    await settle();
    expect([session.connection.value, session.connectionError.value?.code]).toEqual(['offline', 'network']);
    const times: number[] = [];
    for (let at = 0; at < 40_000; at += 250) {
      const before = state.reads;
      await host.clock.advance(250);
      if (state.reads > before) times.push(at + 250);
    }
    expect(times).toEqual([250, 750, 1_750, 3_750, 7_750, 15_750, 23_750, 31_750, 39_750]);
    state.error = null;
    await host.clock.advance(8_000);
    expect([session.connection.value, session.connectionError.value, session.lastError.value]).toEqual([
      'online',
      null,
      null,
    ]);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('is tried at once when the browser is online again', async () => {
    const target = new EventTarget();
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
    try {
      const host = hostSession([]);
      const { state, transport } = line(host.transport);
      state.error = new Error('No line.');
      const { session } = remote(transport, host.clock);
      await host.clock.advance(2_000);
      state.error = null;
      target.dispatchEvent(new Event('online'));
      await settle();
      expect(session.connection.value).toBe('online');
      await session.dispose();
      await host.session.dispose();
      expect(host.clock.pending).toBe(0);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('after a stream that ends without an error, reading continues after the last revision', async () => {
    const host = hostSession([say('One.'), say('Two.')]);
    const { state, transport } = line(host.transport);
    const { session, operations } = remote(transport, host.clock);
    await settle();
    await session.send('1');
    await settle();
    state.cut();
    await settle();
    expect([session.connection.value, session.connectionError.value]).toEqual(['online', null]);
    await session.send('2');
    await settle();
    expect(session.state).toEqual(host.session.state);
    expect(operations.map(({ sequence }) => sequence)).toEqual(operations.map((_, index) => index + 1));
    await session.dispose();
    await host.session.dispose();
  });

  it('served H8 after a stream that ends during an answer without an error, reading continues at once, and the connection stays online', async () => {
    const host = hostSession([stall('Hello')]);
    const { state, transport } = line(host.transport);
    const { session } = remote(transport, host.clock);
    const connections: string[] = [];
    const stop = effect(() => void connections.push(session.connection.value));
    const started = host.clock.now();
    await settle();
    const sent = codeOf(session.send('Hi'));
    await settle();
    expect([session.currentText.value, state.reads]).toEqual(['Hello', 1]);
    state.cut();
    await settle();
    expect(state.reads).toBe(2);
    await session.cancel();
    expect(await sent).toBe('cancelled');
    expect(session.state).toEqual(host.session.state);
    state.cut();
    await settle();
    expect([state.reads, host.clock.now()]).toEqual([3, started]);
    expect(connections).toEqual(['connecting', 'online']);
    stop();
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('served H8 a host that ends each stream without an item is asked again after 0.25 s, doubled up to 8 s', async () => {
    const host = hostSession([say('One.')]);
    const { state, transport } = line(host.transport);
    let isEmpty = false;
    const { session } = remote(
      {
        ...transport,
        async *read(after, signal) {
          if (isEmpty) state.reads++;
          else yield* transport.read(after, signal);
        },
      },
      host.clock,
    );
    await settle();
    await session.send('Hi');
    await settle();
    const started = host.clock.now();
    isEmpty = true;
    state.reads = 0;
    state.cut();
    await settle();
    // The next read after the items starts at once, but brings nothing.
    expect([state.reads, session.connection.value]).toEqual([1, 'connecting']);
    const times: number[] = [];
    while (host.clock.now() < started + 20_000) {
      const before = state.reads;
      await host.clock.advance(250);
      if (state.reads > before) times.push(host.clock.now() - started);
    }
    expect(times).toEqual([250, 750, 1_750, 3_750, 7_750, 15_750]);
    expect([state.reads, session.connectionError.value]).toEqual([7, null]);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it.each([
    [0, 2 + 10_000 / 250],
    [5_000, 3],
  ])('served H8 a host whose idle streams end after %i ms is asked %i times in 10 s', async (ms, times) => {
    const host = hostSession([]);
    let reads = 0;
    const { session } = remote(
      {
        ...host.transport,
        async *read(after, signal) {
          reads++;
          for await (const item of host.transport.read(after, signal)) {
            yield item;
            if (ms > 0) await new Promise<void>((end) => host.clock.schedule(end, ms));
            return;
          }
        },
      },
      host.clock,
    );
    const connections: string[] = [];
    const stop = effect(() => void connections.push(session.connection.value));
    await settle();
    await host.clock.advance(10_000);
    expect(reads).toBe(times);
    // A short stream without news ends the connection until the next read.
    expect(connections.length === 2).toBe(ms > 0);
    stop();
    await session.dispose();
    await host.session.dispose();
  });

  it('agents C37 a message joins the child turn that its options name', async () => {
    const more = gate();
    const agent = defineAgent({
      id: 'notes',
      description: 'Writes notes.',
      role: 'You write.',
      provider: scriptedProvider([say(['First', more]), say('Second.')]),
    });
    const task = { tool: 'banister.delegate', args: { agent: 'notes', task: 'Write.' } };
    // A virtual clock does not wait for code.
    await preloadTurns({ agents: [agent] });
    const host = hostSession([callTools(task), say('Done.')], { agents: [agent] });
    const { session } = remote(host.transport, host.clock);
    await settle();
    const sent = session.send('Go');
    await more.reached;
    for (let turns = 0; turns < 10; turns++) await settle();
    const [child] = childrenOf(session.liveTurn.value!);
    const steered = session.steer('Shorter', { child: child!.id });
    await settle();
    expect(session.queue.value).toMatchObject([{ input: 'Shorter', steering: true, child: child!.id }]);
    more.open();
    expect(await steered).toBe('joined');
    await sent;
    expect(await session.steer('Hm', { child: child!.id })).toBe('cancelled');
    expect(await session.steer('Hm', { child: 'none' })).toBe('cancelled');
    const parts = childrenOf(session.turns.value[0]!)[0]!.rounds[0]!.parts;
    expect(parts.at(-1)).toMatchObject({ type: 'steering', message: { parts: [{ text: 'Shorter' }] } });
    expect(session.state).toEqual(host.session.state);
    await session.dispose();
    await host.session.dispose();
  });

  it('commands wait while the connection is down, and keep their ids and their order', async () => {
    const host = hostSession([stall('One')]);
    const { state, transport } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    state.error = new Error('No line.');
    const sent = codeOf(session.send('1'));
    const queued = session.enqueue('2', { id: 'second' });
    const steered = codeOf(session.steer('3'));
    await host.clock.advance(200);
    expect([session.connection.value, session.isRunning.value]).toEqual(['offline', true]);
    const first = state.commands.slice(0, 3).map(({ id }) => id);
    state.commands.length = 0;
    state.error = null;
    await host.clock.advance(300);
    expect(state.commands.map(({ id }) => id)).toEqual(first);
    expect(session.connection.value).toBe('online');
    await session.cancel();
    expect([await sent, await steered]).toEqual(['cancelled', 'resolved']);
    await session.dequeue('second');
    expect(await queued).toBe('cancelled');
    await session.dispose();
    await host.session.dispose();
  });

  it('F7 a command that arrives again after 10 s, and in another order, acts once', async () => {
    const host = hostSession([say('One.'), say('Two.')]);
    const inner = host.transport;
    const held: (() => void)[] = [];
    const { session } = remote(
      {
        ...inner,
        async command(message, signal) {
          // The first command arrives after the second, and each arrives again later.
          if (message['after'] === undefined) await new Promise<void>((resolve) => held.push(resolve));
          const answer = await inner.command(message, signal);
          host.clock.schedule(() => void inner.command(message, signal), 10_000);
          return answer;
        },
      },
      host.clock,
    );
    await settle();
    const sent = session.send('1');
    const queued = session.enqueue('2');
    await settle();
    expect(host.session.turns.value).toEqual([]);
    held[0]!();
    expect((await sent).text).toBe('One.');
    await host.clock.advance(1);
    expect(await queued).toBe('completed');
    await host.clock.advance(20_000);
    expect(host.session.turns.value).toHaveLength(2);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('a command whose answer the host no longer has rejects `interrupted`, and acts once', async () => {
    const host = hostSession([say('One.'), say('Two.')]);
    let isLost = true;
    const { session } = remote(
      {
        ...host.transport,
        async command(message, signal) {
          const answer = await host.transport.command(message, signal);
          if (isLost) throw new Error('The answer is lost.');
          return answer;
        },
      },
      host.clock,
    );
    const other = remote(host.transport, host.clock);
    await settle();
    const sent = codeOf(session.send('1'));
    await settle();
    for (let count = 0; count < 300; count++) await other.session.dequeue('none');
    isLost = false;
    await host.clock.advance(10_000);
    expect(await sent).toBe('interrupted');
    expect(host.session.turns.value).toHaveLength(1);
    for (const one of [session, other.session, host.session]) await one.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('reads the session of another host from the start, even if that session has as many operations', async () => {
    const first = hostSession([say('One.')]);
    const second = hostSession([say('Two.')], {}, first.clock);
    await first.session.send('Hi');
    await second.session.send('Hi');
    expect(second.session.state.sequence).toBe(first.session.state.sequence);
    let { transport } = first;
    const line = new AbortController();
    const { session } = remote(
      {
        async *read(after, signal) {
          yield* transport.read(after, transport === first.transport ? line.signal : signal);
        },
        command: (message, signal) => transport.command(message, signal),
      },
      first.clock,
    );
    await settle();
    expect(session.state).toEqual(first.session.state);
    ({ transport } = second);
    line.abort();
    await first.clock.advance(2_000);
    expect(session.state).toEqual(second.session.state);
    await session.dispose();
    await first.session.dispose();
    await second.session.dispose();
    expect(first.clock.pending).toBe(0);
  });

  it('a permanent error rejects the commands, and is the reason for being offline', async () => {
    const host = hostSession([say('Hello.')]);
    const { state, transport } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    state.error = new AgentSessionError('auth', 'You are signed out.');
    state.cut();
    expect(await codeOf(session.send('Hi'))).toBe('auth');
    expect([session.connection.value, session.connectionError.value?.code]).toEqual(['offline', 'auth']);
    expect([session.isRunning.value, session.lastError.value]).toEqual([false, null]);
    state.error = null;
    await host.clock.advance(8_000);
    expect((await session.send('Hi')).text).toBe('Hello.');
    expect(session.connection.value).toBe('online');
    await session.dispose();
    await host.session.dispose();
  });

  it('waits as long as the host asks', async () => {
    const host = hostSession([]);
    const { state, transport } = line(host.transport);
    state.error = new AgentSessionError('overloaded', 'Too many readers.', { retry: { afterMs: 5_000 } });
    const { session } = remote(transport, host.clock);
    await host.clock.advance(4_999);
    expect(state.reads).toBe(1);
    await host.clock.advance(1);
    expect(state.reads).toBe(2);
    await session.dispose();
    await host.session.dispose();
  });

  it('is offline when the session is disposed, with the reason, and its commands reject interrupted', async () => {
    const host = hostSession([]);
    const { session } = remote(host.transport, host.clock);
    await settle();
    await host.session.dispose();
    await settle();
    expect([session.connection.value, session.connectionError.value?.code]).toEqual(['offline', 'disposed']);
    expect(await codeOf(session.send('Hi'))).toBe('interrupted');
    await session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('without a log, a command that the last host may have begun is not begun by the next', async () => {
    const first = hostSession([stall('Hello')]);
    const second = hostSession([say('Two.')], {}, first.clock);
    let transport = first.transport;
    let isLost = false;
    const { session } = remote(
      {
        async *read(after, signal) {
          yield* transport.read(after, signal);
        },
        async command(message, signal) {
          const answer = transport.command(message, signal);
          if (isLost) throw new Error('The answer is lost.');
          return answer;
        },
      },
      first.clock,
    );
    await settle();
    isLost = true;
    const sent = codeOf(session.send('1'));
    await settle();
    expect(first.session.isRunning.value).toBe(true);
    isLost = false;
    transport = second.transport;
    await first.session.dispose();
    await first.clock.advance(1_000);
    expect(await sent).toBe('interrupted');
    expect(second.session.turns.value).toEqual([]);
    expect((await session.send('2')).text).toBe('Two.');
    await settle();
    expect(session.state).toEqual(second.session.state);
    await session.dispose();
    await second.session.dispose();
    expect(first.clock.pending).toBe(0);
  });

  it.each(['none', 7, true])(
    'X8 a command with the limits %j is refused with a clear error',
    async (limits) => {
      const host = hostSession([say('Never.')]);
      const command = { command: 'send', id: 'hand-made', args: ['Hi', { limits }] };
      const answer = await host.transport.command(command, new AbortController().signal);
      expect(answer).toMatchObject({ receipt: 'hand-made', error: { code: 'invalid-configuration' } });
      await host.session.dispose();
    },
  );

  it('an answer that does not come from the session is a failure', async () => {
    const host = hostSession([say('Hello.')]);
    let isWrong = true;
    const { session } = remote(
      copying({
        ...host.transport,
        command: (message, signal) => {
          if (isWrong) return Promise.resolve({ html: 'Bad gateway' });
          return host.transport.command(message, signal);
        },
      }),
      host.clock,
    );
    await settle();
    const sent = session.send('Hi');
    await settle();
    expect([session.connection.value, session.connectionError.value?.code]).toEqual(['offline', 'server']);
    isWrong = false;
    await host.clock.advance(1_000);
    expect((await sent).text).toBe('Hello.');
    await session.dispose();
    await host.session.dispose();
  });
});

it('if the log of a session elsewhere cannot be read, a command rejects with the reason, and after `dispose` with `disposed`', async () => {
  const host = hostSession([]);
  const record = { version: 99, revision: 1, epoch: 1, operations: [] };
  const transport: Transport = {
    ...host.transport,
    async *read() {
      yield record;
    },
  };
  const { session } = remote(transport, host.clock);
  await settle();
  expect(session.link.value.role).toBe('read-only');
  expect(await codeOf(session.send('Hi'))).toBe('unsupported');
  await session.dispose();
  expect(await codeOf(session.send('Hi'))).toBe('disposed');
  await host.session.dispose();
});
