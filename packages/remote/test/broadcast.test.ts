// A page shows the chat of another page, over the log.
import { describe, expect, it } from 'vitest';
import { createAgentSession, immediate, type SessionLog } from '@banister/session';
import { savedState } from '@banister/session/log';
import type { LogChannel } from '@banister/session/log';
import { broadcast } from '@banister/remote';
import {
  createVirtualClock,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { lateChannel } from '../../../test/kit/late-channel.js';
import { noValidator, remote } from './remote.js';

const id = 'chat-1';

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    ({ code }: { readonly code?: string }) => code,
  );

/** A log, the sessions that write to it, and the listening ends of its channel. */
function world(change: (log: SessionLog) => Partial<SessionLog> = () => ({})) {
  const clock = createVirtualClock(1_000_000);
  const inner = memoryLog({ clock });
  const log: SessionLog = { ...inner, ...change(inner) };
  const write = async (answers: readonly AnswerSource[] = []) => {
    const provider = scriptedProvider(answers);
    const ports = { clock, scheduler: immediate(), validator: noValidator, reportError: () => {} };
    const session = createAgentSession({ provider, id, log, ports });
    await clock.advance(100);
    return session;
  };
  return { clock, log, write };
}

describe('a remote session over a log', () => {
  it('has the state of the log, and the session that writes the log carries out its commands', async () => {
    const { clock, log, write } = world();
    const writer = await write([say('One.'), say('Two.')]);
    await writer.send('1');
    await clock.advance(100);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    expect(session.turns.value).toHaveLength(1);
    expect((await session.send('2')).text).toBe('Two.');
    await clock.advance(100);
    expect(session.state).toEqual(writer.state);
    expect(writer.link.value.role).toBe('writer');
    for (const one of [session, writer]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('shows that the conversation was removed, keeps its state, and its commands reject', async () => {
    const { clock, log, write } = world();
    const writer = await write([say('One.'), stall('Two')]);
    await writer.send('1');
    writer.send('2').catch(() => {});
    const { session } = remote(broadcast(log, id), clock);
    await clock.advance(100);
    expect([session.turns.value.length, session.isRunning.value]).toEqual([1, true]);
    await log.remove(id);
    await settle();
    expect(session.link.value).toEqual({ role: 'read-only', open: true, saved: false });
    expect(session.connectionError.value).toMatchObject({ details: { reason: 'removed' } });
    expect([session.turns.value.length, session.isRunning.value]).toEqual([1, false]);
    expect(await codeOf(session.send('3'))).toBe('storage');
    for (const one of [session, writer]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('continues if a snapshot has replaced the records', async () => {
    let isCut = true;
    const { clock, log, write } = world((inner) => ({
      async *tail(name, after, signal) {
        if (isCut && after > 0) throw new Error('The log does not answer.');
        yield* inner.tail(name, after, signal);
      },
    }));
    const writer = await write([say('One.'), say('Two.')]);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    expect([session.connection.value, session.link.value.open]).toEqual(['offline', true]);
    await writer.send('1');
    await clock.advance(100);
    const { revision } = await log.load(id);
    await log.snapshot({ id, epoch: 1, revision }, revision, savedState(writer.state));
    isCut = false;
    await clock.advance(10_000);
    expect(session.connection.value).toBe('online');
    expect(session.state).toEqual(writer.state);
    for (const one of [session, writer]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command waits for a session that writes', async () => {
    const { clock, log, write } = world();
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    const sent = session.send('Hi');
    await clock.advance(60_000);
    expect(session.isRunning.value).toBe(true);
    const writer = await write([say('Hello.')]);
    expect((await sent).text).toBe('Hello.');
    for (const one of [session, writer]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command over `broadcast` whose writer ends settles with its turn, and the next writer does not begin it', async () => {
    const { clock, log, write } = world((inner) => ({
      renew: () => Promise.reject(new Error('Asleep.')),
      append: inner.append,
    }));
    const first = await write([stall('Hello')]);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    const sent = codeOf(session.send('Hi'));
    await clock.advance(100);
    expect(first.isRunning.value).toBe(true);
    const second = await write([say('Hello.')]);
    await clock.advance(7_000);
    expect(second.link.value.role).toBe('writer');
    expect([second.turns.value.length, second.interrupted.value?.at]).toEqual([0, 'stream']);
    await second.resume();
    expect([await sent, second.turns.value.length]).toEqual(['resolved', 1]);
    for (const one of [session, second, first]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command after a command that the last writer had begun is carried out by the next writer', async () => {
    const { clock, log, write } = world();
    const first = await write([stall('Hello')]);
    const second = await write([say('Two.')]);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    const sent = codeOf(session.send('1'));
    await clock.advance(100);
    expect(first.isRunning.value).toBe(true);
    void first.dispose({ turn: 'leave' });
    const queued = codeOf(session.enqueue('2'));
    await clock.advance(10_000);
    expect(second.link.value.role).toBe('writer');
    expect(second.queue.value).toMatchObject([{ input: '2' }]);
    await second.abandon();
    // The error of the turn that was abandoned.
    expect(await sent).toBe('interrupted');
    await second.resumeQueue();
    await clock.advance(100);
    expect(await queued).toBe('resolved');
    for (const one of [session, second, first]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('served F20 a command whose message, and then whose receipt, is lost settles, and acts once', async () => {
    const lost = new Set(['command', 'receipt']);
    const losing = (channel: LogChannel): LogChannel => ({
      get listening() {
        return channel.listening;
      },
      messages: (signal) => channel.messages(signal),
      post(message) {
        const kind = [...lost].find((key) => key in message);
        if (kind === undefined) channel.post(message);
        else lost.delete(kind);
      },
    });
    const { clock, log, write } = world((inner) => ({ channel: (name) => losing(inner.channel!(name)) }));
    const writer = await write([say('Hello.')]);
    const { session } = remote(broadcast(log, id, { ports: { clock } }), clock);
    await settle();
    const sent = codeOf(session.send('Hi'));
    await clock.advance(10_000);
    expect([await sent, writer.turns.value.length, lost.size]).toEqual(['resolved', 1, 0]);
    for (const one of [session, writer]) await one.dispose();
    expect(clock.pending).toBe(0);
  });

  it('commands reject unsupported if the log has no channel', async () => {
    const { clock, log, write } = world(() => ({ channel: undefined }) as never);
    const writer = await write([say('Hello.')]);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    expect(await codeOf(session.send('Hi'))).toBe('unsupported');
    await writer.send('Hi');
    await clock.advance(100);
    expect(session.state).toEqual(writer.state);
    for (const one of [session, writer]) await one.dispose();
  });

  it('served H6 a command over `broadcast` is posted when its reader listens', async () => {
    const { clock, log, write } = world((inner) => ({
      channel: (name) => lateChannel(inner.channel!(name), (listen) => void clock.schedule(listen, 50)),
    }));
    const writer = await write([say('Hello.')]);
    await clock.advance(100);
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    const sent = codeOf(session.send('Hi'));
    await clock.advance(40);
    expect(writer.turns.value).toEqual([]);
    await clock.advance(100);
    expect(await sent).toBe('resolved');
    for (const one of [session, writer]) await one.dispose();
    await clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it('stops listening when it is disposed, even while a command waits', async () => {
    const open = new Set<AbortSignal>();
    const listening = (channel: LogChannel): LogChannel => ({
      ...channel,
      async *messages(signal) {
        open.add(signal);
        yield* channel.messages(signal);
        open.delete(signal);
      },
    });
    const { clock, log } = world((inner) => ({ channel: (name) => listening(inner.channel!(name)) }));
    const { session } = remote(broadcast(log, id), clock);
    await settle();
    const sent = codeOf(session.send('Hi'));
    await settle();
    expect(open.size).toBe(1);
    await session.dispose();
    expect(await sent).toBe('disposed');
    await settle();
    expect([open.size, clock.pending]).toEqual([0, 0]);
  });
});
