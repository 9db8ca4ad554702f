// The conversation around a turn of `generate`, and its place in other sessions.
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgentSession, type SessionLog } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { outputGuard } from '@banister/session/filters';
import {
  checkOrder,
  fail,
  failAfter,
  finishWith,
  gate,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import { fixture, rejection } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';
import { id, logWorld } from './log-world.js';
import { codeOf, createSession } from './opened.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(generateLoaded);

const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
const fits = say('{"title":"A"}');
const unfit = say('{"title":7}');
const unfitting = [unfit, unfit];

describe('a save while generate runs', () => {
  it.each([
    ['after a turn', [say('Hello.')]],
    ['in a new conversation', []],
  ])(
    'audit-A7 opens like the live session: path and conversation are as before, %s',
    async (_name, before) => {
      await using f = fixture([...before, stall('{')]);
      for (const _one of before) await f.session.send('Hi');
      const { turns, conversation, headTurnId } = f.session.state;
      const running = codeOf(f.session.generate('Go', schema));
      await settle(30);
      expect(f.session.partialOutput.value).toEqual({});
      const saved = JSON.parse(JSON.stringify(f.session.save())) as ReturnType<typeof f.session.save>;
      await f.session.cancel();
      expect(await running).toBe('cancelled');
      expect(f.session.state.turns).toEqual(turns);

      const provider = scriptedProvider([say('Bye.')]);
      const copy = createAgentSession({ provider, conversation: saved });
      expect(copy.state).toMatchObject({ turns, headTurnId });
      expect(copy.state.conversation).toEqual(conversation);
      expect(copy.save()).toEqual(saved);
      expect(await codeOf(copy.retry())).toBe('nothing-to-retry');
      await copy.send('And?');
      expect(provider.requests[0]!.messages).toHaveLength(conversation.messages.length + 1);
      expect(JSON.stringify(copy.save())).toContain('page-left');
      await copy.dispose();
    },
  );
});

describe('a generate that fails', () => {
  it('on failure its record stays off the path, and conversation and head are as before', async () => {
    await using f = fixture([say('Hello.'), ...unfitting, say('Bye.')]);
    await f.session.send('Hi');
    const { turns, conversation, headTurnId, branches } = f.session.state;
    expect(await codeOf(f.session.generate('Go', schema))).toBe('structured-output-invalid');
    expect(f.session.state).toMatchObject({ turns, headTurnId, branches });
    expect(f.session.state.conversation).toEqual(conversation);
    expect(f.session.state).toMatchObject({
      lastOutcome: { status: 'failed', rounds: 2 },
      lastError: { code: 'structured-output-invalid' },
    });
    await f.session.send('And?');
    expect(f.session.state.branches).toEqual({});
    expect(f.provider.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    const saved = f.session.save();
    const copy = createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    expect(copy.state).toMatchObject({ branches: {}, headTurnId: f.session.state.headTurnId });
    expect(JSON.stringify(saved)).toContain('structured-output-invalid');
    expect(copy.save()).toEqual(saved);
    await copy.dispose();
  });

  it('no branch command can move to it', async () => {
    await using f = fixture([say('One.'), say('Two.'), ...unfitting]);
    await f.session.send('1');
    const first = f.session.state.headTurnId!;
    await f.session.regenerate();
    await f.session.switchTo(first);
    let failed = '';
    f.session.operations$.subscribe((operation) => {
      if (operation.type === 'turnStarted') failed = operation.turnId;
    });
    await codeOf(f.session.generate('Go', schema));
    await f.session.switchTo(first);
    expect(f.session.state.headTurnId).toBe(first);
    expect(await codeOf(f.session.switchTo(failed))).toBe('unsupported');
  });

  it.each([
    ['a failure of the provider', [fail('auth')], 'auth'],
    ['a connection that ends', [failAfter(['{"title":"A'], 'network')], 'network'],
  ] as const)('rejects with the code of its cause: %s', async (_name, script, code) => {
    await using f = fixture(script);
    expect(await codeOf(f.session.generate('Go', schema))).toBe(code);
    expect(f.session.state).toMatchObject({ turns: [], conversation: { messages: [] }, partialOutput: null });
  });

  it("stops at the limits of a turn, also with `onTrip: 'stop'`", async () => {
    const usage = { inputTokens: 20, outputTokens: 20 };
    await using f = fixture([say('{"title":"A"}', { usage })], { limits: { maxTokens: 30, onTrip: 'stop' } });
    expect(await codeOf(f.session.generate('Go', schema))).toBe('token-budget');
    expect(f.session.state).toMatchObject({ turns: [], headTurnId: null });
  });

  it('reports the time limit as its cause', async () => {
    await using f = fixture([stall('{"title":"A')]);
    const given = codeOf(f.session.generate('Go', schema, { limits: { timeoutMs: 5_000 } }));
    await settle();
    await f.clock.advance(5_000);
    expect(await given).toBe('timeout');
    expect(f.session.state.turns).toEqual([]);
  });

  it('reports the middleware that withheld the answer as its cause', async () => {
    const guard = outputGuard({
      check: ({ text }) => (text.includes('A') ? 'No A.' : null),
      again: 'Again.',
    });
    await using f = fixture([fits, say('{"title":"B"}')], { middleware: [guard] });
    expect(await rejection(f.session.generate('Go', schema))).toMatchObject({
      code: 'structured-output-invalid',
      details: { reason: 'withheld' },
    });
    expect(f.session.state).toMatchObject({ turns: [], partialOutput: null });
    expect(await f.session.generate('Go', schema)).toEqual({ title: 'B' });
  });
});

describe('a cancel of generate', () => {
  it.each([{}, { immediate: true }, { sideEffects: 'keep' }] as const)(
    'rejects cancelled, with the conversation as before: %o',
    async (options) => {
      await using f = fixture([say('Hello.'), stall('{"title":"A')]);
      await f.session.send('Hi');
      const { conversation, headTurnId } = f.session.state;
      const given = codeOf(f.session.generate('Go', schema));
      await settle();
      expect(f.session.state.partialOutput).toEqual({ title: 'A' });
      expect(await f.session.cancel(options)).toMatchObject({ cancelled: true });
      expect(await given).toBe('cancelled');
      expect(f.session.state).toMatchObject({ headTurnId, partialOutput: null });
      expect(f.session.state.conversation).toEqual(conversation);
    },
  );

  it('by its signal rejects `cancelled`, before it starts and while it runs', async () => {
    await using f = fixture([stall('{')]);
    expect(await codeOf(f.session.generate('Go', schema, { signal: AbortSignal.abort() }))).toBe('cancelled');
    expect(f.observed.operations).toEqual([]);
    const aborter = new AbortController();
    const given = codeOf(f.session.generate('Go', schema, { signal: aborter.signal }));
    await settle();
    aborter.abort();
    expect(await given).toBe('cancelled');
  });
});

describe('a turn of generate', () => {
  it('`retry`, `regenerate` and `edit` of it reject `unsupported`', async () => {
    await using f = fixture([fits]);
    await f.session.generate('Go', schema);
    const { headTurnId } = f.session.state;
    const count = f.observed.operations.length;
    expect(await codeOf(f.session.retry())).toBe('unsupported');
    expect(await codeOf(f.session.regenerate())).toBe('unsupported');
    expect(await codeOf(f.session.edit(headTurnId!, 'Other'))).toBe('unsupported');
    expect(f.observed.operations).toHaveLength(count);
  });

  it('is a turn: other commands reject `already-running`, and a steering message comes after it', async () => {
    const wait = gate();
    await using f = fixture([say(['{"title"', wait, ':"A"}']), say('Then.')]);
    const given = f.session.generate('Go', schema);
    await wait.reached;
    expect(await codeOf(f.session.send('Hi'))).toBe('already-running');
    expect(await codeOf(f.session.generate('Hi', schema))).toBe('already-running');
    const steered = f.session.steer('Also');
    wait.open();
    expect(await given).toEqual({ title: 'A' });
    expect(await steered).toBe('queued');
    await f.clock.advance(10);
    await settle();
    expect(f.session.state.turns).toMatchObject([{ structured: { schema } }, { status: 'completed' }]);
  });

  it('survives saving and opening, with its schema', async () => {
    await using f = fixture([fits]);
    await f.session.generate('Go', schema);
    const provider = scriptedProvider([say('Fine.')]);
    const copy = createAgentSession({ provider, conversation: JSON.parse(JSON.stringify(f.session.save())) });
    expect(copy.state.turns).toEqual(f.session.state.turns);
    expect(await codeOf(copy.retry())).toBe('unsupported');
    await copy.send('Next');
    expect(provider.requests[0]?.messages).toHaveLength(3);
    await copy.dispose();
  });
});

describe('a generate that was interrupted', () => {
  it('waits as interrupted until `resume`, whose text is the JSON', async () => {
    const { clock, log, open } = logWorld();
    const first = await open([stall('{"title":"A')]);
    void codeOf(first.session.generate('Go', schema));
    await clock.advance(100);
    await settle();
    await first.session.dispose({ turn: 'leave' });
    const second = await open([fits]);
    expect(second.session.state.interrupted).toMatchObject({ at: 'stream' });
    expect(await codeOf(second.session.retry())).toBe('unsupported');
    expect(await second.session.resume()).toMatchObject({ status: 'completed', text: '{"title":"A"}' });
    expect(second.session.state.partialOutput).toEqual({ title: 'A' });
    const { records } = await log.load(id);
    expect(checkOrder(records.flatMap(({ operations }) => operations))).toEqual([]);
    await second.session.dispose();
  });

  it('is repaired once by `resume` if it was cut after an output that does not fit', async () => {
    const { clock, log, open } = logWorld();
    const first = await open([say('{"title":7}'), stall('{"ti')]);
    void codeOf(first.session.generate('Go', schema));
    await clock.advance(100);
    await settle();
    await first.session.dispose({ turn: 'leave' });
    const operations = (await log.load(id)).records.flatMap((record) => record.operations);
    const end = operations.findIndex(({ type }) => type === 'outputRejected') + 1;
    expect(end).toBeGreaterThan(0);
    const world = logWorld();
    const lease = await world.log.claim(id, 'before', 5_000);
    const { revision, epoch } = lease;
    const record = {
      version: 1,
      revision: revision + 1,
      epoch,
      operations: operations.slice(0, end),
    } as const;
    await world.log.append(lease, record, { barrier: true });
    await world.log.release(lease);
    const second = await world.open([fits]);
    expect(await second.session.resume()).toMatchObject({ status: 'completed', text: '{"title":"A"}' });
    expect(second.provider.requests).toHaveLength(1);
    await second.session.dispose();
  });

  it('the next command abandons an interrupted generate', async () => {
    const { clock, open } = logWorld();
    const first = await open([stall('{"title":"A')]);
    void codeOf(first.session.generate('Go', schema));
    await clock.advance(100);
    await settle();
    await first.session.dispose({ turn: 'leave' });
    const second = await open([say('Hello.')]);
    await second.session.send('Hi');
    expect(second.session.state.turns).toMatchObject([{ status: 'completed', parentId: null }]);
    expect(second.provider.requests[0]?.messages).toHaveLength(1);
    await second.session.dispose();
  });
});

describe('generate in a session whose log another one writes', () => {
  const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
    channel: (name) => {
      const channel = inner.channel!(name);
      return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
    },
  });

  it("is carried out by the writer; the caller's schema library transforms the result", async () => {
    const { clock, open } = logWorld(onlySends);
    const writer = await open([say('{"at":"2026-11-23"}'), fits, ...unfitting]);
    const follower = await open();
    const given = z.object({ at: z.string().transform((at) => new Date(at)) });
    expect(await follower.session.generate('When?', given)).toEqual({ at: new Date('2026-11-23') });
    expect(writer.session.state.turns).toHaveLength(1);
    expect(await codeOf(follower.session.generate('Go', z.object({ title: z.string().length(3) })))).toBe(
      'structured-output-invalid',
    );
    expect(await codeOf(follower.session.generate('Go', { type: 'array' }))).toBe('invalid-configuration');
    await clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('is cancelled by the signal of a caller in another tab', async () => {
    const { clock, open } = logWorld(onlySends);
    const writer = await open([stall('{"title":"A')]);
    const follower = await open();
    const aborter = new AbortController();
    const given = codeOf(follower.session.generate('Go', schema, { signal: aborter.signal }));
    await clock.advance(100);
    expect(follower.session.state.partialOutput).toEqual({ title: 'A' });
    aborter.abort();
    expect(await given).toBe('cancelled');
    expect(writer.session.state).toMatchObject({ turns: [], headTurnId: null });
    await follower.session.dispose();
    await writer.session.dispose();
  });
});

it('operations fold to the state, with constant cost for each delta', async () => {
  const { session, operations } = createSession([
    say([...`{"title":"${'x'.repeat(3_000)}"}`]),
    finishWith('length', '{"title"'),
  ]);
  await session.generate('Go', schema);
  await codeOf(session.generate('Go', schema));
  expect(fold(initialState(), operations)).toEqual(session.state);
  expect(checkOrder(operations)).toEqual([]);
  const pieces = operations.filter(({ type }) => type === 'outputArrived');
  expect(pieces.length).toBeGreaterThan(3_000);
  for (const piece of pieces) expect(JSON.stringify(piece).length).toBeLessThan(200);
  await session.dispose();
});
