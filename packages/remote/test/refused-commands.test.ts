// Some commands do not reach the remote session, but the commands beside them do.
import { describe, expect, it } from 'vitest';
import { AgentSessionError, type JsonObject } from '@banister/session';
import type { Transport } from '@banister/remote';
import { say, settle, stall } from '@banister/testing';
import { hostSession, remote } from './remote.js';

const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value ?? 'resolved',
    ({ code }: { readonly code?: string }) => code,
  );

const signedOut = () => new AgentSessionError('auth', 'You are signed out.');

/** A transport on which the test decides about each command, by its name. */
function line(inner: Transport) {
  const faults = new Map<string, (pass: () => Promise<JsonObject>) => Promise<JsonObject>>();
  const sent: unknown[] = [];
  const transport: Transport = {
    read: (after, signal) => inner.read(after, signal),
    command(message, signal) {
      const name = message['command'] as string;
      sent.push(name);
      const pass = () => inner.command(message, signal);
      return faults.get(name)?.(pass) ?? pass();
    },
  };
  return { transport, faults, sent };
}

describe('a command that is refused on its way', () => {
  it('does not block later commands, and each of them gets its own answer', async () => {
    const host = hostSession([say('Hello.')]);
    const { transport, faults } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    faults.set('resumeQueue', () =>
      new Promise<void>((resolve) => host.clock.schedule(resolve, 100)).then(() => {
        throw signedOut();
      }),
    );
    const refused = outcome(session.resumeQueue());
    const sent = session.send('Hi');
    await settle();
    expect(host.session.turns.value).toEqual([]);
    await host.clock.advance(200);
    expect(await refused).toBe('auth');
    expect((await sent).text).toBe('Hello.');
    expect(host.session.turns.value).toHaveLength(1);
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('does not block a series of later commands', async () => {
    const host = hostSession([stall('Hello.')]);
    const { transport, faults } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    faults.set('resumeQueue', async () => {
      await settle();
      throw signedOut();
    });
    const all = [session.resumeQueue(), session.send('Hi'), session.enqueue('Later'), session.cancel()];
    const outcomes = all.map(outcome);
    await host.clock.advance(200);
    expect(await outcomes[0]).toBe('auth');
    expect(await outcomes[1]).toBe('cancelled');
    expect(await outcomes[3]).toMatchObject({ cancelled: true });
    expect(session.queue.value).toHaveLength(1);
    await session.dispose();
    await host.session.dispose();
  });

  it('does not affect the answers of commands that the session carries out', async () => {
    const host = hostSession([stall('Hello')]);
    const { transport, faults } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    faults.set('send', async (pass) => {
      void pass();
      await settle();
      throw signedOut();
    });
    const refused = outcome(session.send('Hi'));
    const steered = outcome(session.steer('More'));
    await host.clock.advance(200);
    expect(await refused).toBe('auth');
    await host.session.cancel();
    expect(await steered).toBe('queued');
    await session.dispose();
    await host.session.dispose();
  });
});

describe('a message that waits for the connection', () => {
  it('is cancelled at once if it was not sent yet', async () => {
    const host = hostSession([say('Hello.')]);
    const { transport, faults, sent } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    for (const name of ['resumeQueue', 'send', 'cancel'])
      faults.set(name, () => Promise.reject(new Error('No line.')));
    const first = outcome(session.resumeQueue());
    await settle();
    expect(session.connection.value).toBe('offline');
    const aborter = new AbortController();
    const message = outcome(session.send('Hi', { signal: aborter.signal }));
    expect(session.isRunning.value).toBe(true);
    aborter.abort();
    expect(await message).toBe('cancelled');
    expect(session.isRunning.value).toBe(false);
    faults.clear();
    await host.clock.advance(500);
    expect(await first).toBe('resolved');
    expect(sent).not.toContain('send');
    expect(sent).not.toContain('cancel');
    expect((await session.send('Hi')).text).toBe('Hello.');
    await session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
  });

  it('is cancelled at the session if it may have arrived', async () => {
    const host = hostSession([stall('Hello')]);
    const { transport, faults } = line(host.transport);
    const { session } = remote(transport, host.clock);
    await settle();
    faults.set('send', async (pass) => {
      void pass();
      await settle();
      throw new Error('No line.');
    });
    const aborter = new AbortController();
    const message = outcome(session.send('Hi', { signal: aborter.signal }));
    await settle();
    await settle();
    aborter.abort();
    faults.clear();
    await host.clock.advance(500);
    expect(await message).toBe('cancelled');
    expect(host.session.turns.value).toMatchObject([{ status: 'cancelled' }]);
    await session.dispose();
    await host.session.dispose();
  });
});
