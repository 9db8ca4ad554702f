// A request for more that outlives its page, and that other tabs answer.
import { beforeAll, describe, expect, it } from 'vitest';
import { type AnswerSource, callTools, checkOrder, finishWith, say, settle, stall } from '@banister/testing';
import { createMirror, type Limits, type Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { left, open, type Left } from './left-turn.js';
import { logWorld } from './log-world.js';
import { codeOf, createSession, recordsOf, type OpenedSession } from './opened.js';

beforeAll(() => import('../src/session/log-chunk.js'));

const asks = (limits: Partial<Limits>) => ({ limits: { onTrip: 'ask', ...limits } }) as const;
const requestsOf = (operations: readonly Operation[]) =>
  operations.flatMap((operation) => (operation.type === 'extensionRequested' ? [operation.request] : []));

/** A turn that was left while it asked for more rounds. */
const leftAsking = (answers: readonly AnswerSource[] = [callTools(addCard('A'))]) =>
  left(answers, asks({ maxRounds: 1 }));

async function close(one: Left, { session, operations, clock }: OpenedSession): Promise<void> {
  const all = [...one.operations, ...operations];
  expect(checkOrder(all)).toEqual([]);
  expect(session.state).toEqual(fold(initialState(), all));
  await session.dispose();
  expect(clock.pending).toBe(0);
}

describe('a turn that was interrupted while it asked to extend a limit', () => {
  it('shows the request without a deadline, and nothing runs', async () => {
    const one = await leftAsking();
    const next = await open(one);
    const { session } = next;
    expect(session.interrupted.value?.at).toBe('round');
    expect(session.phase.value).toBe('idle');
    expect(session.pendingExtension.value).toMatchObject({ limit: 'maxRounds', spent: 1, expiresAt: null });
    await session.abandon();
    await close(one, next);
  });

  it('`resume()` opens it again under the same id, with a full deadline', async () => {
    const one = await leftAsking();
    const next = await open(one, [say('Done.')]);
    const { session, clock, operations } = next;
    const [asked] = requestsOf(one.operations);
    const turn = session.resume();
    await settle();
    const request = session.pendingExtension.value!;
    expect(request).toMatchObject({ id: asked!.id, expiresAt: clock.now() + 45_000 });
    expect(requestsOf(operations)).toHaveLength(1);
    expect(session.phase.value).toBe('confirming');
    expect(await request.extend(3)).toBe('accepted');
    expect(await turn).toMatchObject({ text: 'Done.', rounds: 2 });
    expect(session.budget.value.rounds).toEqual({ spent: 2, left: 2 });
    await close(one, next);
  });

  it.each([
    ['extend', 'completed'],
    ['end', 'stopped'],
  ] as const)('%s resumes it', async (name, status) => {
    const one = await leftAsking();
    const next = await open(one, [say('Done.')]);
    const { session } = next;
    expect(await session.pendingExtension.value?.[name]()).toBe('accepted');
    for (let ticks = 0; session.isRunning.value && ticks < 50; ticks++) await settle();
    expect(session.lastOutcome.value?.status).toBe(status);
    expect(one.board.cards).toEqual(['A']);
    await close(one, next);
  });

  it('an invalid answer also resumes the turn, names its errors, and leaves the request open', async () => {
    const one = await leftAsking();
    const next = await open(one, [say('Done.')]);
    const { session } = next;
    const request = session.pendingExtension.value!;
    expect(await request.extend(0.5)).toEqual({ errors: [expect.any(String)] });
    expect(session.pendingExtension.value?.id).toBe(request.id);
    await request.end();
    await settle();
    await close(one, next);
  });

  it('`abandon()` undoes the turn and closes the request', async () => {
    const one = await leftAsking();
    const next = await open(one);
    const { session, operations } = next;
    expect((await session.abandon()).done).toHaveLength(1);
    expect(session.pendingExtension.value).toBeNull();
    expect(requestsOf(operations)).toEqual([]);
    expect(one.board.cards).toEqual([]);
    await close(one, next);
  });

  it('time: the request is opened again before anything starts', async () => {
    const board = dataBoard();
    const { session, operations, clock } = createSession([callTools(addCard('A')), stall('Half')], {
      domains: [board.domain()],
      ...asks({ timeoutMs: 10_000 }),
    });
    void session.send('Go').catch(() => {});
    await settle();
    await clock.advance(10_000);
    const one = { operations: operations.slice(), board };
    await session.dispose({ turn: 'leave' });
    const next = await open({ ...one, records: recordsOf([one.operations]) }, [say('Done.')]);
    const turn = next.session.resume();
    await settle();
    expect(next.session.phase.value).toBe('confirming');
    expect(next.provider.requests).toEqual([]);
    await next.session.pendingExtension.value?.extend(5_000);
    expect(await turn).toMatchObject({ text: 'Done.' });
    expect(next.session.budget.value.timeMs).toEqual({ spent: 10_000, left: 5_000 });
    await close({ ...one, records: [] }, next);
  });

  it('an extension still applies after a reload, also for the waiting calls', async () => {
    const board = dataBoard();
    const calls = callTools(addCard('A'), addCard('B'), addCard('C'));
    const { session, operations } = createSession([calls], {
      domains: [board.domain()],
      ...asks({ maxToolCalls: 1 }),
    });
    void session.send('Go').catch(() => {});
    await settle();
    await session.pendingExtension.value?.extend(1);
    await settle();
    expect(session.pendingExtension.value).toMatchObject({ spent: 2, allowed: 2, suggested: 1 });
    const log = operations.slice();
    await session.dispose({ turn: 'leave' });
    const next = await open({ records: recordsOf([log]), board }, [say('Done.')]);
    expect(next.session.budget.value.toolCalls).toEqual({ spent: 2, left: 0 });
    const turn = next.session.resume();
    await settle();
    await next.session.pendingExtension.value?.extend();
    expect(await turn).toMatchObject({ text: 'Done.' });
    expect(board.cards).toEqual(['A', 'B', 'C']);
    expect(next.session.budget.value.toolCalls).toEqual({ spent: 3, left: 0 });
    await close({ operations: log, board, records: [] }, next);
  });
});

describe('a request in several tabs', () => {
  it('any tab may answer, and only one of two answers counts', async () => {
    const tabs = logWorld();
    const board = dataBoard();
    const one = await tabs.open([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      ...asks({ maxRounds: 1 }),
    });
    const two = await tabs.open();
    const turn = one.session.send('Go');
    await settle();
    await tabs.clock.advance(1_000);
    const [here, there] = [one, two].map(({ session }) => session.pendingExtension.value!);
    expect(there).toMatchObject({ id: here!.id, limit: 'maxRounds', suggested: 1 });
    expect(await there!.extend(-1)).toEqual({ errors: [expect.any(String)] });
    expect((await Promise.all([there!.extend(), here!.end()])).sort()).toEqual([
      'accepted',
      'already-settled',
    ]);
    await turn;
    await tabs.clock.advance(2_000);
    const operations = await tabs.stored();
    expect(operations.filter(({ type }) => type === 'extensionResolved')).toHaveLength(1);
    expect(checkOrder(operations)).toEqual([]);
    for (const { session } of [one, two]) {
      expect(session.pendingExtension.value).toBeNull();
      expect(session.state).toEqual(fold(initialState(), operations));
    }
    for (const { session } of [one, two]) await session.dispose();
  });

  it('a mirror passes answers on; without a connection it rejects `unsupported`', async () => {
    const board = dataBoard();
    const { session, operations } = createSession([callTools(addCard('A')), finishWith('stop', 'Done.')], {
      domains: [board.domain()],
      ...asks({ maxRounds: 1 }),
    });
    const turn = session.send('Go');
    await settle();
    const mirror = createMirror(initialState(), { respond: (id, decision) => session.respond(id, decision) });
    const alone = createMirror(initialState());
    for (const one of [mirror, alone]) one.fold(JSON.parse(JSON.stringify(operations)) as Operation[]);
    expect(await codeOf(alone.signals.pendingExtension.value!.extend())).toBe('unsupported');
    expect(await mirror.signals.pendingExtension.value?.extend(7)).toBe('accepted');
    await turn;
    expect(session.budget.value.rounds.left).toBe(6);
    await session.dispose();
  });
});
