// Several sessions on one log, of which one writes.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, gate, say, settle, stall } from '@banister/testing';
import { confirmTools, effect, type PublishScheduler, type SessionLog } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import type { LogChannel } from '@banister/session/log';
import { addCard, createBoard } from './board.js';
import { rejection } from './fixture.js';
import { id, logWorld } from './log-world.js';
import { codeOf, createSession, linked, opened } from './opened.js';

/** Followers that cannot become the writer, so that an idle writer carries their commands out. */
const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
  channel: (name) => {
    const channel = inner.channel!(name);
    return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
  },
});

describe('a session whose log another one writes', () => {
  it('a follower has the state of the log', async () => {
    const { clock, open } = logWorld();
    const writer = await open([say(['Hel', 'lo.'])]);
    const follower = await open();
    expect(follower.session.link.value).toEqual({ role: 'follower', open: true, saved: true });
    const texts: string[] = [];
    const stop = effect(() => void texts.push(follower.session.currentText.value));
    await writer.session.send('Hi');
    await clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    expect(texts.at(-1)).toBe('Hello.');
    const numbers = follower.operations.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(follower.operations.at(-1)).toMatchObject({ type: 'completed', text: 'Hello.' });
    stop();
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it("the writer carries out a follower's command, which settles by the receipt", async () => {
    const { clock, open } = logWorld(onlySends);
    const board = createBoard();
    const domains = [board.domain()];
    const writer = await open([callTools('', addCard('A')), say('Done.'), say('Other.')], { domains });
    const follower = await open([], { domains });
    expect((await follower.session.send('Add A')).text).toBe('Done.');
    expect(board.titles).toEqual(['A']);
    expect(writer.session.turns.value).toHaveLength(1);
    expect((await follower.session.undo()).done).toHaveLength(1);
    expect(board.titles).toEqual([]);
    expect((await follower.session.redo()).done).toHaveLength(1);
    expect(await rejection(follower.session.retry())).toMatchObject({ code: 'nothing-to-retry' });
    expect(await codeOf(follower.session.resume())).toBe('nothing-to-resume');
    await clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it("a follower's `send` is shown at once as a starting turn, without an operation", async () => {
    const { clock, open } = logWorld(onlySends);
    const writer = await open([stall('Hello')]);
    const follower = await open();
    await settle();
    const before = follower.operations.length;
    const sent = codeOf(follower.session.send('Hi'));
    expect(follower.session.state).toMatchObject({ isRunning: true, phase: 'preparing', liveTurn: null });
    expect(follower.operations).toHaveLength(before);
    await clock.advance(100);
    expect(follower.session.state).toMatchObject({ phase: 'streaming', currentText: 'Hello' });
    expect(await follower.session.cancel()).toMatchObject({ cancelled: true });
    expect(await sent).toBe('cancelled');
    await clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    const refused = follower.session.send('Hi', { limits: { maxRounds: 1, timeoutMs: Infinity } });
    expect(follower.session.isRunning.value).toBe(true);
    await refused.catch(() => {});
    await clock.advance(100);
    expect(follower.session.state).toMatchObject({ isRunning: false, phase: 'idle' });
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('its user can answer a question of the writer, and abort a turn by a signal', async () => {
    const { clock, open } = logWorld(onlySends);
    const board = createBoard();
    const options = { domains: [board.domain()], guards: [confirmTools('board.add')] };
    const writer = await open([callTools('', addCard('A')), say('Done.'), stall('Wait')], options);
    const follower = await open([], options);
    const sent = follower.session.send('Add A');
    await clock.advance(100);
    const question = follower.session.pendingConfirmation.value!;
    expect(await question.approve()).toBe('accepted');
    expect((await sent).text).toBe('Done.');
    expect(await question.deny()).toBe('already-settled');
    const aborter = new AbortController();
    const second = codeOf(follower.session.send('More', { signal: aborter.signal }));
    await clock.advance(100);
    aborter.abort();
    expect(await second).toBe('cancelled');
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('a command that arrives twice is carried out once, in call order', async () => {
    const twice = (channel: LogChannel): LogChannel => ({
      ...channel,
      post(message) {
        channel.post(message);
        channel.post(message);
      },
    });
    const { clock, open } = logWorld((log) => ({ channel: (name) => twice(onlySends(log).channel!(name)) }));
    const writer = await open([say('One.'), say('Two.')]);
    const follower = await open();
    const first = follower.session.send('1');
    const second = codeOf(follower.session.send('2'));
    expect((await first).text).toBe('One.');
    expect(await second).toBe('already-running');
    await clock.advance(100);
    expect(writer.session.turns.value).toHaveLength(1);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('the writer carries out a `send` made before the follower has read the log, and its signal aborts the turn there', async () => {
    const { clock, shared: log, open } = logWorld(onlySends);
    const writer = await open([stall('Hello')]);
    const follower = createSession([], { id, log }, clock);
    const aborter = new AbortController();
    const sent = codeOf(follower.session.send('Hi', { signal: aborter.signal }));
    expect(follower.session.isRunning.value).toBe(true);
    await opened(follower.session);
    expect(follower.session.isRunning.value).toBe(true);
    await clock.advance(100);
    expect(writer.session.currentText.value).toBe('Hello');
    aborter.abort();
    expect(await sent).toBe('cancelled');
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('`turn$` and `configure` work only in the writer', async () => {
    const { open } = logWorld();
    const writer = await open([]);
    const follower = await open();
    const failure = await new Promise((_resolve, reject) => {
      follower.session.turn$('Hi').subscribe({ error: reject });
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unsupported' });
    follower.session.configure({ role: 'Brief.' });
    await settle();
    expect(writer.operations.map(({ type }) => type)).not.toContain('configured');
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('`clear` works from a follower; a provider for one turn is refused, because it cannot be sent', async () => {
    const { clock, open } = logWorld(onlySends);
    const writer = await open([say('Hello.')]);
    const follower = await open();
    await follower.session.send('Hi');
    await follower.session.clear();
    await clock.advance(100);
    expect(follower.session.turns.value).toEqual([]);
    expect(follower.session.state).toEqual(writer.session.state);
    const { provider } = follower;
    expect(await codeOf(follower.session.send('Hi', { provider }))).toBe('unsupported');
    expect(follower.session.isRunning.value).toBe(false);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('without a channel a follower is read-only', async () => {
    const { clock, open } = logWorld(() => ({ channel: undefined }) as never);
    const writer = await open([say('Hello.')]);
    const reader = await open();
    expect(reader.session.link.value).toEqual({ role: 'read-only', open: true, saved: true });
    for (const command of [reader.session.send('Hi'), reader.session.undo(), reader.session.cancel()])
      expect(await rejection(command)).toMatchObject({ code: 'unsupported', retry: 'after-action' });
    await writer.session.send('Hi');
    await clock.advance(100);
    expect(reader.session.state).toEqual(writer.session.state);
    await reader.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a read-only session rejects `disposed` once it is disposed', async () => {
    const { clock, open } = logWorld(() => ({ channel: undefined }) as never);
    const writer = await open();
    const reader = await open();
    const disposal = reader.session.dispose();
    expect(await codeOf(reader.session.send('Hi'))).toBe('disposed');
    await disposal;
    for (const command of [reader.session.undo(), reader.session.cancel(), reader.session.enqueue('Hi')])
      expect(await codeOf(command)).toBe('disposed');
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('audit-A a disposal during a frame publishes pending changes, and leaves no timer', async () => {
    const { clock, open } = logWorld();
    const [more, again, rest] = [gate(), gate(), gate()];
    const writer = await open([say(['He', more, 'l', again, 'lo.', rest])]);
    let frames = 0;
    const scheduler: PublishScheduler = {
      schedule() {
        frames++;
        return () => void frames--;
      },
    };
    const follower = await open([], { ports: { scheduler } });
    const stop = effect(() => void follower.session.currentText.value);
    const sent = codeOf(writer.session.send('Hi'));
    await clock.advance(100);
    more.open();
    await clock.advance(100);
    again.open();
    await clock.advance(100);
    expect(follower.session.currentText.value).toBe('Hel');
    expect(frames).toBe(1);
    await follower.session.dispose();
    expect(frames).toBe(0);
    expect(follower.session.currentText.value).toBe('Hello.');
    await writer.session.dispose();
    expect(await sent).toBe('cancelled');
    expect(clock.pending).toBe(0);
    stop();
  });

  it('is read-only after a record of a newer release', async () => {
    const { clock, log, open } = logWorld();
    const writer = await open();
    const follower = await open();
    const { revision } = await log.load(id);
    const record = { version: 3, revision: revision + 1, epoch: 1, operations: [] };
    await log.append({ id, epoch: 1, revision }, record, { barrier: true });
    await settle();
    expect(follower.session.link.value.role).toBe('read-only');
    expect(await rejection(follower.session.send('Hi'))).toMatchObject({ code: 'unsupported' });
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a disposed follower detaches: commands without a receipt reject; the writer and the log do not change', async () => {
    const { clock, log, open } = logWorld(onlySends);
    const writer = await open([stall('Hello')]);
    const follower = await open();
    const sent = codeOf(follower.session.send('Hi'));
    await clock.advance(100);
    await follower.session.dispose();
    expect(await sent).toBe('disposed');
    expect(follower.operations.map(({ type }) => type)).not.toContain('disposed');
    expect(writer.session.isRunning.value).toBe(true);
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
    expect(await log.claim(id, 'other', 1_000)).toMatchObject({ id });
  });
});

describe('a hand-over', () => {
  it('a follower takes over at once when the writer is disposed', async () => {
    const { clock, log, open } = logWorld();
    const writer = await open([say('One.')]);
    const follower = await open([say('Two.')]);
    await writer.session.send('1');
    await writer.session.dispose();
    await linked(follower.session, { role: 'writer' });
    expect(follower.operations.at(-1)).toMatchObject({ type: 'ownerChanged', epoch: 2, reason: 'hand-over' });
    expect((await follower.session.send('2')).text).toBe('Two.');
    await follower.session.dispose();
    const { records } = await log.load(id);
    const stored = records.flatMap((record) => record.operations);
    expect(checkOrder(stored)).toEqual([]);
    expect(fold(initialState(), stored)).toEqual(follower.session.state);
    expect(clock.pending).toBe(0);
  });

  it('a follower that is asked to take over while it is claiming claims only once', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const { clock, log, open } = logWorld((inner) => ({
      freed: undefined as never,
      claim: async (...args) => {
        if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
        return inner.claim(...args);
      },
    }));
    const writer = await open();
    const follower = await open();
    isSlow = true;
    await clock.advance(2_000);
    expect(waiting).toHaveLength(1);
    await writer.session.dispose();
    await settle();
    expect(waiting).toHaveLength(1);
    waiting[0]!();
    await linked(follower.session, { role: 'writer' });
    await clock.advance(10_000);
    expect(follower.session.link.value).toEqual({ role: 'writer', open: true, saved: true });
    await follower.session.dispose();
    expect((await log.claim(id, 'other', 1_000)).epoch).toBe(3);
    expect(clock.pending).toBe(0);
  });

  it('a follower takes over when the lease runs out, and the fenced writer follows', async () => {
    let isAsleep = false;
    const { clock, open } = logWorld((inner) => ({
      renew: (lease) => (isAsleep ? Promise.reject(new Error('Asleep.')) : inner.renew(lease)),
    }));
    const writer = await open([stall('Hello'), say('Two.')]);
    const follower = await open();
    const sent = rejection(writer.session.send('1'));
    await clock.advance(100);
    isAsleep = true;
    await clock.advance(7_000);
    expect(follower.session.link.value.role).toBe('writer');
    expect(follower.session.state.interrupted).toMatchObject({ at: 'stream' });
    isAsleep = false;
    await clock.advance(2_000);
    expect(await sent).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
    expect(writer.session.link.value).toEqual({ role: 'follower', open: true, saved: true });
    expect((await writer.session.send('2')).text).toBe('Two.');
    await clock.advance(100);
    expect(writer.session.state).toEqual(follower.session.state);
    expect(follower.session.link.value.role).toBe('follower');
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command that no writer has begun is carried out by the session that takes over', async () => {
    let isDeaf = false;
    const { open } = logWorld((inner) => ({
      channel: (name) => {
        const channel = inner.channel!(name);
        return {
          ...channel,
          post: (message) => (isDeaf && 'command' in message ? undefined : channel.post(message)),
        };
      },
    }));
    const writer = await open([]);
    const follower = await open([say('Mine.')]);
    const other = await open();
    isDeaf = true;
    const own = follower.session.send('1');
    await settle();
    isDeaf = false;
    await writer.session.dispose();
    await Promise.race([
      linked(follower.session, { role: 'writer' }),
      linked(other.session, { role: 'writer' }),
    ]);
    expect((await own).text).toBe('Mine.');
    await other.session.dispose();
    await follower.session.dispose();
  });

  it('a command that reaches a writer during its disposal is carried out by the next writer', async () => {
    const { clock, open } = logWorld((log) => ({
      append: async (...args) => {
        await settle(3);
        return log.append(...args);
      },
    }));
    const writer = await open([stall('Hello')]);
    const follower = await open([say('From the next one.')]);
    const running = codeOf(writer.session.send('Hi'));
    await settle();
    const sent = follower.session.send('Hi again');
    const disposed = writer.session.dispose();
    await clock.advance(6_000);
    await disposed;
    expect(await running).toBe('cancelled');
    expect((await sent).text).toBe('From the next one.');
    expect(follower.session.link.value.role).toBe('writer');
    await follower.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it("a command that the last writer had begun rejects with its turn's error if the next writer abandons the turn", async () => {
    const { clock, open } = logWorld((inner) => ({
      ...onlySends(inner),
      renew: () => Promise.reject(new Error('Asleep.')),
    }));
    const writer = await open([stall('Hello')]);
    const follower = await open();
    const sent = codeOf(follower.session.send('1'));
    await clock.advance(7_000);
    expect(follower.session.link.value.role).toBe('writer');
    await follower.session.abandon();
    expect(follower.session.lastError.value?.code).toBe('interrupted');
    expect(await sent).toBe('interrupted');
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });
});
