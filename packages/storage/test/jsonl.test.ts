import { createAgentSession, defineDomain, defineGuard, type SessionLog } from '@banister/session';
import { savedState } from '@banister/session/log';
import { memoryLog } from '@banister/storage';
import { exportLog, importLog } from '@banister/storage/jsonl';
import { callTools, say, scriptedProvider, settle, spyTool, stall } from '@banister/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damagedLine } from '../src/jsonl/read-lines.js';
import { propertyRun } from '../../../test/kit/property-run.js';

/** A log with one session of two turns, the first of them in a snapshot. */
async function makeLog(): Promise<SessionLog> {
  const log = memoryLog();
  const provider = scriptedProvider([say('Grüße \u2014 \ud83d "quoted"\n__proto__'), say('Again.')]);
  const first = createAgentSession({ provider, id: 'chat', log });
  await first.send('Hi');
  await first.dispose();
  const lease = await log.claim('chat', 'test', 5_000);
  await log.snapshot(lease, lease.revision, savedState(first.state));
  await log.release(lease);
  const second = createAgentSession({ provider, id: 'chat', log });
  await second.send('And?');
  await second.dispose();
  await log.describe('chat', { title: 'Greetings \ud83d', note: 'done' });
  return log;
}

async function textOf(log: SessionLog, id = 'chat'): Promise<string> {
  let text = '';
  for await (const line of exportLog(log, id)) text += line;
  return text;
}

async function stateOf(log: SessionLog, id: string) {
  const session = createAgentSession({ provider: scriptedProvider([]), id, log });
  await new Promise<void>((done) => void session.link.subscribe(({ open }) => open && done()));
  const { turns, conversation, undoEntries } = session.state;
  const { link } = session;
  await session.dispose();
  return { turns, conversation, undoEntries, link: link.value };
}

describe('an export of a log', () => {
  test('is imported with the same state, title and note, with any id', async () => {
    const log = await makeLog();
    const text = await textOf(log);
    const { snapshot, records } = await log.load('chat');
    expect(text.split('\n').length).toBe(1 + 1 + records.length + 1);
    expect(snapshot).not.toBeNull();
    const target = memoryLog();
    await importLog(target, 'copy', text);
    expect(await stateOf(target, 'copy')).toEqual(await stateOf(log, 'chat'));
    expect(await target.list()).toEqual([
      { id: 'copy', title: 'Greetings \ud83d', note: 'done', updatedAt: expect.any(Number) },
    ]);
  });

  test('audit-A2 is imported exactly once if the answer to its snapshot is lost, and not at all if the snapshot is refused', async () => {
    const text = await textOf(await makeLog());
    for (const isStored of [true, false]) {
      const target = memoryLog();
      const faulty: SessionLog = {
        ...target,
        async snapshot(...args) {
          if (isStored) await target.snapshot(...args);
          throw new Error('The connection was lost.');
        },
      };
      const imported = importLog(faulty, 'copy', text);
      if (isStored) await imported;
      else await expect(imported).rejects.toThrow('The connection was lost.');
      expect((await target.load('copy')).snapshot === null).toBe(!isStored);
      if (isStored) expect((await target.list())[0]?.title).toBe('Greetings \ud83d');
      else await importLog(target, 'copy', text);
      expect((await stateOf(target, 'copy')).turns).toHaveLength(2);
    }
  });

  test('audit-A2 is imported with its title if the answer to the title is lost', async () => {
    const text = await textOf(await makeLog());
    const target = memoryLog();
    let described = 0;
    const faulty: SessionLog = {
      ...target,
      async describe(...args) {
        await target.describe(...args);
        if (++described === 1) throw new Error('The connection was lost.');
      },
    };
    await importLog(faulty, 'copy', text);
    expect(await target.list()).toMatchObject([{ id: 'copy', title: 'Greetings \ud83d', note: 'done' }]);
  });

  test.each(['chat', 'copy'])(
    'is imported without grants and mode, also as %s: a call that was allowed asks again',
    async (id) => {
      const ask = { id: 'ask', title: 'Ask', guards: [defineGuard('ask', () => ({ confirm: 'Really?' }))] };
      const [source, target] = [memoryLog(), memoryLog()];
      const modes = [ask, { id: 'auto', title: 'Auto', guards: [] }];
      const open = (log: SessionLog, key: string) => {
        const provider = scriptedProvider([callTools({ tool: 'board.work' }), say('Done.')]);
        const domains = [{ id: 'board', tools: [spyTool('work')] }];
        return createAgentSession({ provider, id: key, log, domains, modes });
      };
      const first = open(source, 'chat');
      first.pendingConfirmation.subscribe((request) => void request?.approve({ remember: 'session' }));
      await first.send('Go');
      expect(first.grants.value).toHaveLength(1);
      await first.setMode('auto');
      await first.dispose();

      await importLog(target, id, await textOf(source));
      const second = open(target, id);
      let asked = 0;
      second.pendingConfirmation.subscribe((request) => {
        if (request) asked++;
        void request?.approve();
      });
      await second.send('Go');
      expect(second.grants.value).toEqual([]);
      expect(second.mode.value).toBe('ask');
      expect(asked).toBe(1);
      await second.dispose();
    },
  );

  test('audit-X1 is imported without its approvals: an approved call that had not started asks again', async () => {
    const source: SessionLog = { ...memoryLog(), snapshot: async () => {} };
    const ran: unknown[] = [];
    const pay = spyTool('pay', { irreversible: true, execute: (args) => void ran.push(args) });
    const guards = [defineGuard('ask', () => ({ confirm: 'Pay?' }))];
    const domains = [{ id: 'bank', tools: [pay] }];
    const provider = scriptedProvider([callTools({ tool: 'bank.pay' })], { otherwise: say('Done.') });
    const author = createAgentSession({ provider, domains, guards, id: 'chat', log: source });
    author.pendingConfirmation.subscribe((request) => void request?.approve());
    await author.send('Pay');
    await author.dispose();
    const { records } = await source.load('chat');
    const started = records.findIndex(({ operations }) =>
      operations.some(({ type }) => type === 'toolStarted'),
    );
    expect(started).toBeGreaterThan(0);
    const cut: SessionLog = {
      ...source,
      load: async (id) => ({ ...(await source.load(id)), records: records.slice(0, started) }),
    };
    for (const onInterrupted of ['wait', 'resume', 'abandon'] as const) {
      const log = memoryLog();
      await importLog(log, 'chat', await textOf(cut));
      ran.length = 0;
      const session = createAgentSession({ provider, domains, id: 'chat', log, onInterrupted });
      await new Promise<void>((done) => void session.link.subscribe(({ open }) => open && done()));
      if (onInterrupted === 'wait') void session.resume().catch(() => {});
      await settle(50);
      expect(ran).toEqual([]);
      const asked = session.pendingConfirmations.value.map(({ because }) => because?.code);
      expect(asked).toEqual(onInterrupted === 'abandon' ? [] : ['imported']);
      await session.dispose();
    }
  });

  test('can be imported in pieces that are cut anywhere', async () => {
    const text = await textOf(await makeLog());
    const target = memoryLog();
    await importLog(target, 'copy', text.match(/[^]{1,7}/g)!);
    expect((await stateOf(target, 'copy')).turns).toHaveLength(2);
  });

  test('is refused if the log has a session of this id, or if it is open; nothing changes', async () => {
    const log = await makeLog();
    const text = await textOf(log);
    const before = await log.load('chat');
    await expect(importLog(log, 'chat', text)).rejects.toMatchObject({ details: { reason: 'exists' } });
    expect(await log.load('chat')).toEqual(before);
    await importLog(log, 'copy', text);
    const copied = await log.load('copy');
    await expect(importLog(log, 'copy', text)).rejects.toMatchObject({ details: { reason: 'exists' } });
    expect(await log.load('copy')).toEqual(copied);
    await log.claim('open', 'another', 5_000);
    await expect(importLog(log, 'open', text)).rejects.toMatchObject({ details: { reason: 'held' } });
  });

  test('D8 a damaged export is refused with the number of the line, and nothing is stored', async () => {
    const text = await textOf(await makeLog());
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom('x', '7', '"', '\n', '{'), async (at, by) => {
        fc.pre(text[at] !== by && text[at] !== '\n');
        const target = memoryLog();
        const damaged = text.slice(0, at) + by + text.slice(at + 1);
        const line = text.slice(0, at).split('\n').length;
        const error = await importLog(target, 'copy', damaged).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'storage', details: { reason: 'damaged' } });
        // One more line feed makes one more line: the first line shows that.
        if (by !== '\n') expect(error).toMatchObject({ details: { line } });
        expect(await target.list()).toEqual([]);
      }),
      propertyRun('damaged exports', 500),
    );
  });

  test('D8 is refused if lines are missing, duplicated, or in another order', async () => {
    const lines = (await textOf(await makeLog())).match(/.*\n/g)!;
    const [head = '', snapshot = '', one = '', two = '', ...rest] = lines;
    const cases: readonly [readonly string[], number][] = [
      [[], 1],
      [[head], 2],
      [lines.slice(0, -1), lines.length],
      [[head, snapshot, one, one, ...rest], 4],
      [[head, snapshot, two, one, ...rest], 3],
      [lines.slice(1), 1],
    ];
    for (const [damaged, line] of cases) {
      const target = memoryLog();
      await expect(importLog(target, 'copy', damaged)).rejects.toMatchObject({
        code: 'storage',
        details: { reason: 'damaged', line },
      });
      expect(await target.list()).toEqual([]);
    }
  });

  test('D8 is refused with the line number if the snapshot is not a state, even with a correct checksum', async () => {
    const { rowOf } = await import('../src/log-row.js');
    const [head = '', , ...records] = (await textOf(await makeLog())).match(/.*\n/g)!;
    const snapshot = `{"snapshot":{"turns":7},"sum":${rowOf(0, { turns: 7 }, 'snapshot').sum}}\n`;
    await expect(importLog(memoryLog(), 'copy', [head, snapshot, ...records])).rejects.toMatchObject({
      details: { reason: 'damaged', line: 2 },
    });
  });

  test("D8 is refused with the line number if the snapshot's notes of a running turn are damaged", async () => {
    const call = callTools({ tool: 'board.add', args: {} });
    const ran = defineDomain({ id: 'board', tools: [spyTool('add')] });
    const provider = scriptedProvider([call, stall('Half an ans')]);
    const session = createAgentSession({ provider, domains: [ran] });
    const turn = session.send('Add it').catch(() => {});
    while (session.state.currentText === '') await settle();
    const snapshot = JSON.parse(JSON.stringify(savedState(session.state))) as {
      session: { fold: { turn: { undo: { undo: { calls: unknown } } } } };
    };
    await session.cancel({ immediate: true });
    await turn;
    await session.dispose();
    snapshot.session.fold.turn.undo.undo.calls = 'input';
    const log = memoryLog();
    const lease = await log.claim('chat', 'test', 5_000);
    await log.snapshot(lease, 0, snapshot as never);
    await log.release(lease);
    const target = memoryLog();
    await expect(importLog(target, 'copy', await textOf(log))).rejects.toMatchObject({
      code: 'storage',
      details: { reason: 'damaged', line: 2 },
    });
    expect(await target.list()).toEqual([]);
  });

  test('D8 is refused if a newer release has made the export, or one of its records', async () => {
    const target = memoryLog();
    const text = await textOf(await makeLog());
    const { rowOf } = await import('../src/log-row.js');
    const resummed = (line: string, change: (value: { version: number }) => void) => {
      const [[name, value]] = Object.entries(JSON.parse(line) as object) as [[string, { version: number }]];
      change(value);
      return JSON.stringify({ [name]: value, sum: rowOf(0, value, name).sum });
    };
    const lines = text.trimEnd().split('\n');
    for (const at of [0, lines.length - 1]) {
      const newer = lines
        .with(
          at,
          resummed(lines[at]!, (value) => (value.version = 99)),
        )
        .join('\n');
      await expect(importLog(target, 'copy', newer)).rejects.toMatchObject({ code: 'unsupported' });
    }
    expect(await target.list()).toEqual([]);
  });
});

test('audit-S10 the message about a damaged line ends with one full stop even if its cause is a sentence', () => {
  for (const problem of ['It has no end', 'It has no end.'])
    expect(damagedLine(3, problem).message).toBe(
      'Line 3 of the export is damaged: It has no end. Nothing was imported.',
    );
});
