// Two processes host one session, one after the other, over its log.
import { beforeAll, describe, expect, it } from 'vitest';
import { immediate, type SessionLog, type SessionOptions } from '@banister/session';
import { direct, type Transport } from '@banister/remote';
import {
  checkOrder,
  createVirtualClock,
  memoryLog,
  say,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { copying, hostSession, noValidator, preloadBranches, remote } from './remote.js';

beforeAll(preloadBranches);

const id = 'chat-1';

function world() {
  const clock = createVirtualClock(1_000_000);
  const inner: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };
  let current: Transport;
  let isCut = false;
  /** Opens the session in a separate process. */
  async function host(answers: readonly AnswerSource[], options: Partial<SessionOptions> = {}) {
    let isDead = false;
    const never = () => new Promise<never>(() => {});
    const log: SessionLog = {
      ...inner,
      renew: (lease) => (isDead ? never() : inner.renew(lease)),
      append: (...args) => (isDead ? never() : inner.append(...args)),
      release: (lease) => (isDead ? never() : inner.release(lease)),
    };
    const { session } = hostSession(
      answers,
      { id, log, ...options, ports: { scheduler: immediate(), validator: noValidator } },
      clock,
    );
    const transport = copying(direct(session, { ports: { clock } }));
    return {
      session,
      transport,
      kill() {
        isDead = true;
      },
    };
  }
  let connection = new AbortController();
  const gone = () => new Error('The line is cut.');
  const cutOff = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(gone())));
  /** The transport to the host that the load balancer has chosen. */
  const line: Transport = {
    async *read(after, signal) {
      if (isCut) throw gone();
      const both = AbortSignal.any([signal, connection.signal]);
      yield* current.read(after, both);
      if (!signal.aborted) throw gone();
    },
    command(message, signal) {
      if (isCut) return Promise.reject(gone());
      return Promise.race([current.command(message, signal), cutOff(connection.signal)]);
    },
  };
  /** Cuts every connection. Later connections lead to this host. */
  const choose = (transport: Transport) => {
    connection.abort();
    connection = new AbortController();
    current = transport;
  };
  return {
    clock,
    host,
    line,
    choose,
    cut: (value: boolean) => void (isCut = value),
    stored: async () => (await inner.load(id)).records.flatMap(({ operations }) => operations),
  };
}

/** Sends a message over the transport to a first host, whose answer stalls. */
async function sending({ clock, host, line, choose }: ReturnType<typeof world>) {
  const first = await host([stall('Hel')]);
  choose(first.transport);
  const { session } = remote(line, clock);
  await clock.advance(100);
  const sent = session.send('PAY');
  await clock.advance(100);
  return { first, session, sent };
}

describe('two hosts of one session', () => {
  it('served H2 with a log, the promise of a turn settles with that turn at the next host, and the command acts once', async () => {
    const hosts = world();
    const { clock, host, choose, stored } = hosts;
    const { first, session, sent } = await sending(hosts);
    expect(session.currentText.value).toBe('Hel');
    first.kill();
    const second = await host([say('Hello.')], { onInterrupted: 'resume' });
    await clock.advance(10_000);
    choose(second.transport);
    await clock.advance(20_000);
    expect((await sent).text).toBe('Hello.');
    expect(second.session.turns.value).toHaveLength(1);
    const operations = await stored();
    expect(operations.filter(({ type }) => type === 'commandBegan')).toHaveLength(1);
    expect(operations.filter(({ type }) => type === 'turnStarted')).toHaveLength(1);
    expect(checkOrder(operations)).toEqual([]);
    expect(session.state).toEqual(second.session.state);
    await session.dispose();
    await second.session.dispose();
  });

  it('served H2 with a log, a command that no host has begun is begun by the next', async () => {
    const { clock, host, line, choose, cut } = world();
    const first = await host([]);
    choose(first.transport);
    const { session } = remote(line, clock);
    await clock.advance(100);
    cut(true);
    const sent = session.send('PAY');
    await settle();
    first.kill();
    const second = await host([say('Done.')]);
    await clock.advance(10_000);
    choose(second.transport);
    cut(false);
    await clock.advance(20_000);
    expect((await sent).text).toBe('Done.');
    expect(second.session.turns.value).toHaveLength(1);
    await session.dispose();
    await second.session.dispose();
  });

  it('served H2 a command whose host is disposed waits for the next host', async () => {
    const hosts = world();
    const { clock, host, choose } = hosts;
    const { first, session, sent } = await sending(hosts);
    await first.session.dispose({ turn: 'leave' });
    const second = await host([say('Hello.')], { onInterrupted: 'resume' });
    await clock.advance(1_000);
    choose(second.transport);
    await clock.advance(20_000);
    expect((await sent).text).toBe('Hello.');
    await session.dispose();
    await second.session.dispose();
  });

  it('served H2 a command that reaches a host that follows begins once, under its own id', async () => {
    const { clock, host, line, choose, stored } = world();
    const first = await host([stall('…'), stall('Hel')]);
    first.session.send('first').catch(() => {});
    await clock.advance(100);
    first.session.enqueue('later').catch(() => {});
    await first.session.cancel();
    const second = await host([say('Hello.')], { onInterrupted: 'resume' });
    await clock.advance(100);
    choose(second.transport);
    const { session } = remote(line, clock);
    await clock.advance(100);
    const sent = session.send('PAY');
    await clock.advance(1_000);
    expect(first.session.currentText.value).toBe('Hel');
    first.kill();
    await clock.advance(20_000);
    expect(second.session.link.value.role).toBe('writer');
    expect((await sent).text).toBe('Hello.');
    expect((await stored()).filter(({ type }) => type === 'commandBegan')).toHaveLength(1);
    await session.dispose();
    await second.session.dispose();
  });
});
