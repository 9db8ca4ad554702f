// A later page opens a session from its log. It must not repeat finished work, and must still be able to undo
// it.
import {
  conflict,
  contentRevision,
  createAgentSession,
  defineDomain,
  defineTool,
  type Domain,
  type SessionLog,
  type SessionOptions,
} from '@banister/session';
import type { Clock } from '@banister/provider';
import { type LogRecord, savedState } from '@banister/session/log';
import {
  callTools,
  createVirtualClock,
  fail,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
  type VirtualClock,
} from '@banister/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { eachLog, newLog } from './each-log.js';
import { removeFiles } from './temporary-folder.js';
import { opened } from './faulty-turns.js';

afterAll(removeFiles);

const patience = { timeout: 30_000 };
const add = (title: string) => ({ tool: 'board.add', args: { title } });

/** An app whose cards outlive its sessions. */
function makeApp() {
  const cards: string[] = [];
  let executions = 0;
  const tool = (name: string, isBroken: () => boolean) =>
    defineTool({
      name,
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      undo: {
        revert({ title }: { title: string }) {
          if (isBroken()) throw new Error('The board is locked.');
          if (cards.includes(`${title}, edited`)) return conflict(title, `${title}, edited`);
          cards.splice(cards.indexOf(title), 1);
          return undefined;
        },
      },
      async execute({ title }, context) {
        executions++;
        await context.undo({ description: `Added ${title}`, data: { title } });
        cards.push(title);
      },
    });
  return {
    cards,
    count: () => executions,
    domain: (name = 'add', isBroken = () => false): Domain =>
      defineDomain({
        id: 'board',
        tools: [tool(name, isBroken)],
        revision: contentRevision(() => cards),
      }),
  };
}

function sessionOf(log: SessionLog, answers: readonly AnswerSource[], options: Partial<SessionOptions> = {}) {
  const provider = scriptedProvider(answers);
  return { provider, session: createAgentSession({ provider, id: 'chat', log, ...options }) };
}

describe.each(eachLog)('a session that is opened again from %s', (_name, connect) => {
  /** Runs one turn that adds a card, and closes the session. */
  async function addedEarlier(app = makeApp()) {
    const number = newLog();
    const { session } = sessionOf(connect(number), [callTools(add('A')), say('Done.')], {
      domains: [app.domain()],
    });
    await session.send('Add A');
    await session.dispose();
    return { app, number };
  }

  test('D11 a tool whose result is stored does not run again, although the requests with the result failed', async () => {
    const app = makeApp();
    const number = newLog();
    const first = sessionOf(connect(number), [callTools(add('A')), stall()], { domains: [app.domain()] });
    const sent = first.session.send('Add A').catch(() => {});
    await vi.waitUntil(() => first.provider.requests.length === 2, patience);
    await first.session.dispose({ turn: 'leave' });
    await sent;

    const answers = [fail('network'), say('There it is.')];
    const { session, provider } = sessionOf(connect(number), answers, { domains: [app.domain()] });
    await opened(session);
    expect(await session.resume()).toMatchObject({ text: 'There it is.' });
    expect([app.count(), app.cards, provider.requests.length]).toEqual([1, ['A'], 2]);
    await session.dispose();
  });

  test.each(['records', 'a snapshot'])(
    'D12 sends signed thinking unchanged, with its text and signature, from %s',
    async (form) => {
      const app = makeApp();
      const number = newLog();
      const log = connect(number);
      const thinking = [
        { type: 'thinking', delta: 'First ' },
        { type: 'thinking', delta: 'this.', signature: 'sig-1==' },
        { type: 'thinking', delta: '', signature: 'redacted==' },
        { type: 'opaque', data: { item: { id: 'rs_1', encrypted: 'abc' } } },
      ] as const;
      const answers = [
        callTools(...thinking, 'I look. ', add('A')),
        say('Done.', { thinking: ['Un', 'signed.'] }),
      ];
      const first = sessionOf(log, [...answers, say('Again.')], { domains: [app.domain()] });
      await first.session.send('Add A');
      if (form === 'a snapshot') {
        const { revision } = await log.load('chat');
        await log.snapshot({ id: 'chat', epoch: 1, revision }, revision, savedState(first.session.state));
      }
      await first.session.dispose();
      const second = sessionOf(connect(number), [say('Again.')], { domains: [app.domain()] });
      await second.session.send('And now?');
      const { messages } = second.provider.requests[0]!;
      expect(messages.slice(0, -1)).toEqual(first.session.conversation.value.messages);
      expect(messages[1]!.parts.slice(0, 3)).toMatchObject([
        { type: 'thinking', text: 'First this.', signature: 'sig-1==' },
        { type: 'thinking', text: '', signature: 'redacted==' },
        { type: 'opaque', provider: 'scripted', data: { item: { id: 'rs_1', encrypted: 'abc' } } },
      ]);
      await second.session.dispose();
    },
  );

  test('D13 has its turns in the order of their operations, although the clock went back and all ids were made in one millisecond', async () => {
    const number = newLog();
    let now = 1_800_000_000_000;
    const clock: Clock = { now: () => now, schedule: createVirtualClock().schedule };
    const ports = { clock };
    const texts = ['One', 'Two', 'Three'];
    const answers = texts.flatMap((text) => [say(`${text}.`)]);
    const log = connect(number, clock);
    const first = sessionOf(log, answers, { ports });
    for (const text of texts) {
      await first.session.send(text);
      now -= 600_000;
    }
    await first.session.dispose();
    const { records } = await log.load('chat');
    const operations = records.flatMap((record) => record.operations);
    expect(operations.map(({ sequence }) => sequence)).toEqual(
      operations.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect(operations.at(-1)!.at).toBeLessThan(operations[0]!.at);
    const second = sessionOf(connect(number, clock), [say('Four.')], { ports });
    await second.session.send('Four');
    const users = second.session.conversation.value.messages.filter(({ role }) => role === 'user');
    expect(users.map(({ parts }) => (parts[0] as { text: string }).text)).toEqual([...texts, 'Four']);
    await second.session.dispose();
  });

  test.each([-600_000, 600_000])(
    'D13 with two owners whose clocks differ by %i ms, the records of the epochs follow each other, and none is written twice',
    async (skew) => {
      const number = newLog();
      const time = createVirtualClock(1_800_000_000_000);
      const skewed: Clock = { now: () => time.now() + skew, schedule: time.schedule };
      const [own, other] = [connect(number, time), connect(number, skewed)];
      const lease = await own.claim('chat', 'own', 5_000);
      await write(own, lease);
      const claimed = await other.claim('chat', 'other', 5_000).catch((error) => error.details.reason);
      if (claimed === 'held') {
        // The clock of the second session is behind, so it waits until the lease is released.
        expect(skew).toBeLessThan(0);
        await own.release(lease);
        await write(other, await other.claim('chat', 'other', 5_000));
      } else {
        await write(other, claimed);
        await expect(write(own, { ...lease, revision: 1 })).rejects.toMatchObject({
          details: { reason: 'fenced' },
        });
      }
      const { records } = await own.load('chat');
      expect(records.map(({ revision, epoch }) => [revision, epoch])).toEqual([
        [1, 1],
        [2, 2],
      ]);
    },
  );

  test('F10 after a reload undoes effects of a tool with the same id, and nothing if the tool was renamed or removed', async () => {
    const { app, number } = await addedEarlier();
    for (const domains of [[app.domain('put')], []]) {
      const { session } = sessionOf(connect(number), [], { domains });
      await opened(session);
      expect(session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
      expect(session.canUndo.value).toBe(false);
      await expect(session.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
      expect(app.cards).toEqual(['A']);
      await session.dispose();
    }
    const { session } = sessionOf(connect(number), [], { domains: [app.domain()] });
    await opened(session);
    expect((await session.undo()).done).toHaveLength(1);
    expect(app.cards).toEqual([]);
    await session.dispose();
  });

  test('F10 rejects `conflict` after a reload if the app has changed meanwhile, even between the pages', async () => {
    const { app, number } = await addedEarlier();
    app.cards.push('of the user');
    const { session } = sessionOf(connect(number), [], { domains: [app.domain()] });
    await opened(session);
    await expect(session.undo()).rejects.toMatchObject({ code: 'conflict' });
    expect(app.cards).toEqual(['A', 'of the user']);
    await session.undo({ force: true });
    expect(app.cards).toEqual(['of the user']);
    await session.dispose();
  });

  test('F10 reports an effect whose revert throws after a reload as failed, and reverts it at the next attempt', async () => {
    const { app, number } = await addedEarlier();
    let isLocked = true;
    const { session } = sessionOf(connect(number), [], { domains: [app.domain('add', () => isLocked)] });
    await opened(session);
    expect(await session.undo()).toMatchObject({ done: [], failed: [{ reason: 'The board is locked.' }] });
    expect(app.cards).toEqual(['A']);
    isLocked = false;
    expect((await session.undo()).done).toHaveLength(1);
    expect(app.cards).toEqual([]);
    await session.dispose();
  });
});

async function write(log: SessionLog, lease: Awaited<ReturnType<SessionLog['claim']>>): Promise<void> {
  const record: LogRecord = { version: 1, revision: lease.revision + 1, epoch: lease.epoch, operations: [] };
  await log.append(lease, record, { barrier: true });
}

test.each([
  ['a record of a newer form', { version: 99 }],
  [
    'an operation that does not exist yet',
    { operations: [{ type: 'fromLater', sequence: 0, at: 1, later: true }] },
  ],
])(
  'F11 a follower of an earlier release that reads %s shows the chat up to that point',
  async (_what, news) => {
    const clock = createVirtualClock(1_000);
    const { log, follower, sequence, lease } = await followed(clock);
    const isNewer = 'version' in news;
    const operations = ((news as { operations?: object[] }).operations ?? []).map((one) => ({
      ...one,
      sequence: sequence + 1,
    }));
    const { revision } = await log.load('chat');
    const record = {
      version: 1,
      ...news,
      revision: revision + 1,
      epoch: lease,
      operations,
    } as unknown as LogRecord;
    await log.append({ id: 'chat', epoch: lease, revision }, record, { barrier: true });
    await clock.advance(1_000);
    await settle();
    expect(follower.turns.value).toHaveLength(1);
    expect(follower.link.value.role).toBe(isNewer ? 'read-only' : 'follower');
    if (isNewer)
      await expect(follower.send('Hi')).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('newer release'),
      });
    else expect(follower.state.sequence).toBe(sequence + 1);
    await follower.dispose();
  },
);

/** A follower, and a writer that has run one turn. */
async function followed(clock: VirtualClock) {
  const { memoryLog } = await import('@banister/storage');
  const log = memoryLog({ clock });
  const open = (answers: readonly AnswerSource[]) =>
    sessionOf(log, answers, { ports: { clock, reportError: () => {} } }).session;
  const writer = await opened(open([say('Hello.')]));
  const follower = await opened(open([]));
  await writer.send('Hi');
  await clock.advance(100);
  expect(follower.state).toEqual(writer.state);
  return { log, follower, sequence: writer.state.sequence, lease: 1 };
}
