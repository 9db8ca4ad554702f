// Sessions on a log whose channel begins to listen late, as one over a network does.
import { describe, expect, it } from 'vitest';
import { checkOrder, say, stall } from '@banister/testing';
import type { SessionLog } from '@banister/session';
import { lateChannel } from '../../../test/kit/late-channel.js';
import { id, logWorld, type LogWorld } from './log-world.js';
import { codeOf } from './opened.js';

/** Followers that cannot become the writer, so that an idle writer carries their commands out. */
const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
  channel: (name) => {
    const channel = inner.channel!(name);
    return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
  },
});

/** The log of a session whose end of the channel listens after 50 ms. */
const late = ({ shared, clock }: LogWorld): SessionLog => ({
  ...shared,
  channel: (name) => lateChannel(shared.channel!(name), (listen) => void clock.schedule(listen, 50)),
});

describe('a session whose channel starts to listen after 50 ms', () => {
  it('served H6 a session sends its commands only when its channel listens, so that no answer is lost', async () => {
    const world = logWorld(onlySends);
    const writer = await world.open([say('Done.')]);
    const follower = await world.open([], { log: late(world) });
    const sent = codeOf(follower.session.send('Hi'));
    await world.clock.advance(40);
    expect(writer.session.turns.value).toEqual([]);
    expect(follower.session.isRunning.value).toBe(true);
    await world.clock.advance(100);
    expect(await sent).toBe('resolved');
    expect(follower.session.state).toEqual(writer.session.state);
    await follower.session.dispose();
    await writer.session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H6 sends its commands in call order', async () => {
    const world = logWorld(onlySends);
    const writer = await world.open([stall('Hello')]);
    void codeOf(writer.session.send('1'));
    await world.clock.advance(10);
    const follower = await world.open([], { log: late(world) });
    const queued = ['2', '3', '4'].map((text) => codeOf(follower.session.enqueue(text)));
    await world.clock.advance(150);
    expect(writer.session.queue.value.map(({ input }) => input)).toEqual(['2', '3', '4']);
    await follower.session.dispose();
    expect(await Promise.all(queued)).toEqual(['disposed', 'disposed', 'disposed']);
    await writer.session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H6 a session does not take the log from a writer that never got its command', async () => {
    const world = logWorld(onlySends);
    const writer = await world.open([say('Done.')]);
    const slow: SessionLog = {
      ...world.shared,
      channel: (name) =>
        lateChannel(world.shared.channel!(name), (listen) => void world.clock.schedule(listen, 20_000)),
    };
    const follower = await world.open([], { log: slow });
    const sent = codeOf(follower.session.send('Hi'));
    await world.clock.advance(19_000);
    expect(writer.session.link.value.role).toBe('writer');
    expect(follower.session.link.value.role).toBe('follower');
    await world.clock.advance(2_000);
    expect(await sent).toBe('resolved');
    expect(writer.session.link.value.role).toBe('writer');
    await follower.session.dispose();
    await writer.session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H6 two sessions that listen late can hand the log to each other', async () => {
    const world = logWorld();
    const log = late(world);
    const one = await world.open([say('One.')], { log });
    const two = await world.open([say('Two.')], { log });
    await world.clock.advance(100);
    const roles = () => [one, two].map(({ session }) => session.link.value.role);
    const first = two.session.send('1');
    await world.clock.advance(300);
    expect((await first).text).toBe('Two.');
    expect(roles()).toEqual(['follower', 'writer']);
    const second = one.session.send('2');
    await world.clock.advance(300);
    expect((await second).text).toBe('One.');
    expect(roles()).toEqual(['writer', 'follower']);
    expect(checkOrder(await world.stored())).toEqual([]);
    expect((await world.log.load(id)).records.length).toBeGreaterThan(0);
    await one.session.dispose();
    await two.session.dispose();
    expect(world.clock.pending).toBe(0);
  });

  it('served H6 a session that becomes the writer before it listens carries its commands out once', async () => {
    const world = logWorld();
    const writer = await world.open();
    const follower = await world.open([say('Mine.')], { log: late(world) });
    const sent = follower.session.send('Hi');
    await writer.session.dispose();
    await world.clock.advance(200);
    expect((await sent).text).toBe('Mine.');
    expect((await world.stored()).filter(({ type }) => type === 'turnStarted')).toHaveLength(1);
    await follower.session.dispose();
    expect(world.clock.pending).toBe(0);
  });
});
