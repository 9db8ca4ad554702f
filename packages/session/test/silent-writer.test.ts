// A follower whose command waits takes the log from a writer that does not answer.
import { describe, expect, it } from 'vitest';
import {
  type AnswerSource,
  callTools,
  checkOrder,
  createVirtualClock,
  gate,
  memoryLog,
  say,
  settle,
  stall,
} from '@banister/testing';
import type { JsonObject, SessionLog, SessionOptions } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import type { LogChannel } from '@banister/session/log';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { rejection } from './fixture.js';
import { codeOf, createSession, opened } from './opened.js';

const id = 'chat-1';

/** A page that can be frozen: then it reads no message, and its timers wait. Its lease does not run out, as with a lock of the browser. */
class Page {
  isFrozen = false;
  /** The messages that it has posted. */
  readonly posted: JsonObject[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly clock: ReturnType<typeof createVirtualClock>,
    private readonly inner: SessionLog,
  ) {}

  wake(): void {
    this.isFrozen = false;
    for (const go of this.waiting.splice(0)) go();
  }

  readonly ports = {
    clock: {
      now: () => this.clock.now(),
      schedule: (callback: () => void, ms: number) =>
        this.clock.schedule(() => (this.isFrozen ? this.waiting.push(callback) : callback()), ms),
    },
  };

  readonly log = (changes: Partial<SessionLog> = {}): SessionLog => ({
    ...this.inner,
    ...changes,
    // As with Web Locks: a lease lasts as long as its page.
    claim: (name, owner, _ttlMs, options) => this.inner.claim(name, owner, 600_000, options),
    channel: (name) => this.channel(this.inner.channel!(name)),
  });

  private channel(inner: LogChannel): LogChannel {
    const awake = () => new Promise<void>((go) => (this.isFrozen ? this.waiting.push(go) : go()));
    const { posted } = this;
    return {
      listening: inner.listening,
      post(message) {
        posted.push(message);
        inner.post(message);
      },
      async *messages(signal) {
        for await (const message of inner.messages(signal)) {
          await awake();
          yield message;
        }
      },
    };
  }
}

function world() {
  const clock = createVirtualClock(1_000);
  // Without snapshots the log keeps every record, and the test reads all operations there.
  const inner: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };
  const open = async (
    answers: readonly AnswerSource[] = [],
    options: Partial<SessionOptions> = {},
    changes: Partial<SessionLog> = {},
  ) => {
    const page = new Page(clock, inner);
    const one = createSession(answers, { id, log: page.log(changes), ...options, ports: page.ports }, clock);
    await opened(one.session);
    return { ...one, page };
  };
  const stored = async () => (await inner.load(id)).records.flatMap((record) => record.operations);
  return { clock, inner, open, stored };
}

const pings = (page: Page) => page.posted.filter((message) => 'ping' in message).length;

describe('a follower whose command waits', () => {
  it('F12 takes over the log from a writer that does not answer for 5 seconds, and carries the command out', async () => {
    const { clock, open, stored } = world();
    const writer = await open([say('One.')]);
    const follower = await open([say('Two.')]);
    writer.page.isFrozen = true;
    const sent = follower.session.send('Hi');
    await clock.advance(4_900);
    expect(follower.session.link.value.role).toBe('follower');
    await clock.advance(200);
    expect((await sent).text).toBe('Two.');
    expect(follower.session.link.value.role).toBe('writer');
    // Ten minutes later.
    await clock.advance(600_000);
    writer.page.wake();
    await clock.advance(2_000);
    expect(writer.session.link.value.role).toBe('follower');
    expect(writer.session.state).toEqual(follower.session.state);
    expect((await writer.session.send('Again')).text).toBe('One.');
    await clock.advance(2_000);
    const operations = await stored();
    expect(checkOrder(operations)).toEqual([]);
    expect(fold(initialState(), operations)).toEqual(writer.session.state);
    await writer.session.dispose();
    await follower.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('served H7 with another `leaseMs`, a writer that does not answer is replaced after that time', async () => {
    const { clock, open } = world();
    const short = { leaseMs: 1_500 };
    const writer = await open([], {}, short);
    const follower = await open([say('Two.')], {}, short);
    writer.page.isFrozen = true;
    const sent = follower.session.send('Hi');
    await clock.advance(1_400);
    expect(follower.session.link.value.role).toBe('follower');
    await clock.advance(200);
    expect(follower.session.link.value.role).toBe('writer');
    expect((await sent).text).toBe('Two.');
    await follower.session.dispose();
    writer.page.wake();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('F2 fences the turn of the sleeping writer: no record, no revert, and its `send` rejects as fenced', async () => {
    const { clock, inner, open, stored } = world();
    const board = dataBoard();
    const domains = [board.domain()];
    const options = { domains, limits: { timeoutMs: 60_000 } };
    const writer = await open([callTools('', addCard('A')), stall('Hel')], options);
    const follower = await open([], { domains });
    const sent = rejection(writer.session.send('1'));
    await clock.advance(1_000);
    expect(board.cards).toEqual(['A']);
    writer.page.isFrozen = true;
    const waits = follower.session.dequeue('none');
    await clock.advance(6_000);
    expect(follower.session.link.value.role).toBe('writer');
    expect(follower.session.state.interrupted).toMatchObject({ at: 'stream' });
    expect(await waits).toBe(false);
    const reverts = board.runs.length;
    const before = (await inner.load(id)).revision;
    // The limit of the turn is over when the page wakes up.
    await clock.advance(120_000);
    writer.page.wake();
    await clock.advance(5_000);
    expect(await sent).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
    expect(board.runs).toHaveLength(reverts);
    const { records } = await inner.load(id);
    expect(records.filter(({ revision, epoch }) => revision > before && epoch === 1)).toEqual([]);
    expect(checkOrder(await stored())).toEqual([]);
    expect(writer.session.state).toEqual(follower.session.state);
    await writer.session.dispose();
    await follower.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('waits for a writer that answers, no matter how long the turn takes', async () => {
    const { clock, open } = world();
    const wait = gate();
    const writer = await open([say(['Hel', wait, 'lo.']), say('Queued.')], {
      limits: { timeoutMs: Infinity },
    });
    const follower = await open();
    const sent = writer.session.send('1');
    await settle();
    const queued = follower.session.enqueue('2');
    await clock.advance(60_000);
    expect([pings(follower.page), follower.session.link.value.role]).toEqual([12, 'follower']);
    wait.open();
    expect((await sent).text).toBe('Hello.');
    await clock.advance(100);
    expect(await queued).toBe('completed');
    await clock.advance(60_000);
    expect(pings(follower.page)).toBe(12);
    await writer.session.dispose();
    await follower.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a follower that was asleep asks again', async () => {
    const { clock, open } = world();
    const writer = await open([stall('Hello')]);
    const follower = await open();
    void writer.session.send('1');
    await settle();
    const queued = codeOf(follower.session.enqueue('2'));
    await settle();
    follower.page.isFrozen = true;
    await clock.advance(60_000);
    follower.page.isFrozen = false;
    follower.page.wake();
    await settle();
    expect([pings(follower.page), follower.session.link.value.role]).toEqual([1, 'follower']);
    await clock.advance(20_000);
    expect(writer.session.link.value.role).toBe('writer');
    await follower.session.dispose();
    expect(await queued).toBe('disposed');
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('reads what arrived in a short sleep before it takes the log', async () => {
    const { clock, open } = world();
    const writer = await open([stall('Hello')], { limits: { timeoutMs: Infinity } });
    const follower = await open();
    void writer.session.send('1').catch(() => {});
    await settle();
    const queued = codeOf(follower.session.enqueue('2'));
    follower.page.isFrozen = true;
    await clock.advance(7_000);
    follower.page.wake();
    await clock.advance(1_000);
    expect([writer.session.link.value.role, follower.session.link.value.role]).toEqual([
      'writer',
      'follower',
    ]);
    expect(follower.session.queue.value).toMatchObject([{ input: '2' }]);
    await follower.session.dispose();
    expect(await queued).toBe('disposed');
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command that the last writer began is not carried out again after a sleep', async () => {
    const { clock, open, stored } = world();
    const writer = await open([stall('Hello')]);
    const follower = await open();
    void writer.session.send('1').catch(() => {});
    await settle();
    follower.page.isFrozen = true;
    const queued = codeOf(follower.session.enqueue('2'));
    await clock.advance(100);
    // The lease is free before the sleeper has read that its command has begun.
    await writer.session.dispose();
    await clock.advance(100);
    follower.page.wake();
    await clock.advance(1_000);
    expect(follower.session.link.value.role).toBe('writer');
    expect((await stored()).filter(({ type }) => type === 'queued')).toHaveLength(1);
    await follower.session.dequeue(follower.session.queue.value[0]!.id);
    expect(await queued).toBe('resolved');
    await follower.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a command that the sleeping writer had begun settles as the next writer ends its turn', async () => {
    const { clock, open } = world();
    const writer = await open([stall('Hello')]);
    const follower = await open();
    void writer.session.send('1').catch(() => {});
    await settle();
    const queued = codeOf(follower.session.enqueue('2'));
    await clock.advance(100);
    writer.page.isFrozen = true;
    await clock.advance(11_000);
    expect(follower.session.link.value.role).toBe('writer');
    expect(follower.session.queue.value).toMatchObject([{ input: '2' }]);
    await follower.session.dequeue(follower.session.queue.value[0]!.id);
    expect(await queued).toBe('resolved');
    await follower.session.dispose();
    writer.page.wake();
    await writer.session.dispose();
  });

  it('the sleeping writer carries out no command that it reads when it wakes up', async () => {
    const { clock, inner, open } = world();
    const late = () => new Promise<void>((done) => clock.schedule(done, 50));
    const slow: Partial<SessionLog> = {
      renew: (lease) => late().then(() => inner.renew(lease)),
      append: (...args) => late().then(() => inner.append(...args)),
    };
    const writer = await open([stall('Hello')], { limits: { timeoutMs: Infinity } }, slow);
    const two = await open();
    const three = await open();
    const sent = codeOf(writer.session.send('1'));
    await clock.advance(1_000);
    writer.page.isFrozen = true;
    three.page.isFrozen = true;
    const cancelled = three.session.cancel();
    const waits = two.session.dequeue('none');
    await clock.advance(6_000);
    expect([await waits, two.session.link.value.role]).toEqual([false, 'writer']);
    writer.page.posted.length = 0;
    writer.page.wake();
    await clock.advance(1_000);
    expect(writer.page.posted).toEqual([]);
    expect(await sent).toBe('storage');
    three.page.wake();
    // The new writer has abandoned the turn of the sleeper.
    expect(await cancelled).toMatchObject({ landed: 'idle' });
    expect(two.session.interrupted.value).toBe(null);
    for (const { session } of [three, two, writer]) await session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('if two followers wait, one takes over the log, and the other sends its command there', async () => {
    const { clock, open } = world();
    const writer = await open();
    const two = await open([say('One.'), say('Two.')]);
    const three = await open([say('One.'), say('Two.')]);
    writer.page.isFrozen = true;
    const codes = Promise.all([codeOf(two.session.send('2')), codeOf(three.session.enqueue('3'))]);
    await clock.advance(7_000);
    expect(await codes).toEqual(['resolved', 'resolved']);
    await clock.advance(100);
    expect(two.session.turns.value).toHaveLength(2);
    expect(three.session.state).toEqual(two.session.state);
    for (const { session } of [two, three, writer]) await session.dispose();
  });

  it('rejects every command after its disposal', async () => {
    const { open } = world();
    const writer = await open();
    const follower = await open();
    await follower.session.dispose();
    for (const command of [follower.session.undo(), follower.session.cancel(), follower.session.dequeue('x')])
      expect(await codeOf(command)).toBe('disposed');
    await writer.session.dispose();
  });
});
