// A review that a reload interrupted.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, checkOrder, say, scriptedProvider, settle } from '@banister/testing';
import type { LocalAgentSession, Operation, SavedConversation, TurnUndo } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { names, rejection } from './fixture.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';
import { call, createForm, idsOf, openEffects, sendForReview } from './reviewed.js';

beforeAll(() => import('../src/session/log-chunk.js'));

const done = say('Done.');

/** Runs a turn up to its review, acts in it, and leaves it. */
async function left(
  calls: readonly ReturnType<typeof call>[],
  act: (session: LocalAgentSession) => unknown = () => {},
  until: (operation: Operation) => boolean = () => false,
) {
  const form = createForm();
  const { session, operations } = createSession([callTools(...calls), done], { domains: [form.domain()] });
  const { turn } = await sendForReview(session);
  await act(session);
  const end = operations.findIndex(until) + 1;
  const log = operations.slice(0, end || operations.length);
  await session.dispose({ turn: 'leave' });
  return { form, log, records: recordsOf([log]), turn };
}

async function open(
  { form, records }: { form: ReturnType<typeof createForm>; records: readonly LogRecord[] },
  answers: Parameters<typeof createSession>[0] = [],
) {
  const made = createSession(answers, {
    domains: [form.domain()],
    restored: { snapshot: null, records },
  });
  await opened(made.session);
  return made;
}

const three = [call('set', 'a', '1'), call('set', 'b', '2'), call('set', 'c', '3')];

describe('a review that was interrupted', () => {
  it('after a reload `at` is `review`, and `pendingReview` stays', async () => {
    const { session } = await open(await left(three, (of) => of.accept(idsOf(of, 'b: 2'))));
    expect(session.interrupted.value).toMatchObject({ at: 'review', unknown: [] });
    expect([session.isRunning.value, session.phase.value]).toEqual([false, 'idle']);
    expect(openEffects(session)).toEqual(['a: 1', 'c: 3']);
    expect(session.pendingReview.value?.effects[0]?.changes).toMatchObject([{ after: '1' }]);
  });

  it('rejects the promise of its turn with `disposed` if the session left it', async () => {
    expect((await rejection((await left(three)).turn)).code).toBe('disposed');
  });

  it('is opened again by `resume`, which resolves like `send` when everything is decided', async () => {
    const log = await left(three);
    const { session, operations } = await open(log);
    const turn = session.resume();
    await settle();
    expect(session.phase.value).toBe('reviewing');
    await session.reject(idsOf(session, 'b: 2'));
    await session.accept();
    expect(await turn).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(log.form.fields).toEqual({ a: '1', c: '3' });
    expect(checkOrder([...log.log, ...operations])).toEqual([]);
    expect(names((await session.undo()).done)).toEqual(['c: 3', 'a: 1']);
  });

  it.each(['accept', 'reject'] as const)('is opened again by %s, which decides at once', async (name) => {
    const log = await left(three);
    const { session, operations } = await open(log);
    const report = await session[name](idsOf(session, 'a: 1'));
    expect(names(report.done)).toEqual(name === 'reject' ? ['a: 1'] : []);
    expect(session.phase.value).toBe('reviewing');
    await session[name]();
    expect(session.lastOutcome.value?.status).toBe('completed');
    expect(log.form.fields).toEqual(name === 'reject' ? {} : { a: '1', b: '2', c: '3' });
    expect(checkOrder([...log.log, ...operations])).toEqual([]);
  });

  it('can be decided even if the provider now accepts fewer tools', async () => {
    const log = await left(three);
    const { session } = createSession([], {
      domains: [log.form.domain()],
      restored: { snapshot: null, records: log.records },
      provider: scriptedProvider([], { maxTools: 1 }),
    });
    await opened(session);
    await session.accept();
    expect(session.lastOutcome.value?.status).toBe('completed');
    expect(log.form.fields).toEqual({ a: '1', b: '2', c: '3' });
  });

  it('lets an effect without data only be accepted', async () => {
    const log = await left([call('paint', 'a', '1'), call('set', 'b', '2')]);
    const { session } = await open(log);
    expect(session.pendingReview.value?.effects).toMatchObject([{ lost: true }, { description: 'b: 2' }]);
    expect(session.pendingReview.value?.effects[1]).not.toHaveProperty('lost');
    const report = await session.reject();
    expect([names(report.done), names(report.lost)]).toEqual([['b: 2'], ['a: 1']]);
    expect(openEffects(session)).toEqual(['a: 1']);
    await session.accept();
    expect(log.form.fields).toEqual({ a: '1' });
    expect(session.turns.value[0]!.effects).toMatchObject([{ description: 'a: 1' }]);
  });

  it('an effect stays if an effect without data depends on it', async () => {
    const log = await left([call('set', 'a', '1'), call('paint', 'a', '2')]);
    const { session } = await open(log);
    const report = await session.reject();
    expect([names(report.failed), names(report.lost)]).toEqual([['a: 1'], ['a: 2']]);
    expect(log.form.fields).toEqual({ a: '2' });
    await session.accept();
  });

  it('`abandon` rejects open effects and keeps accepted effects; the turn fails as `interrupted`', async () => {
    const log = await left(three, (of) => of.accept(idsOf(of, 'b: 2')));
    const { session, operations } = await open(log, [say('Fine.')]);
    expect(names((await session.abandon()).done)).toEqual(['c: 3', 'a: 1']);
    expect(session.turns.value[0]).toMatchObject({
      status: 'failed',
      outcome: { error: { code: 'interrupted' } },
      effects: [{ description: 'b: 2' }],
    });
    expect(log.form.fields).toEqual({ b: '2' });
    await session.send('And now?');
    expect(checkOrder([...log.log, ...operations])).toEqual([]);
    expect(names((await session.undo()).done)).toEqual(['b: 2']);
  });

  it('`cancel` of an interrupted review abandons it', async () => {
    const log = await left(three, (of) => of.accept(idsOf(of, 'b: 2')));
    const { session } = await open(log);
    const report = await session.cancel();
    expect(names(report.undo.done)).toEqual(['c: 3', 'a: 1']);
    expect(session.turns.value[0]!.status).toBe('failed');
  });

  it('is ended by a send before its turn', async () => {
    const log = await left(three);
    const { session } = await open(log, [say('Hi.')]);
    await session.send('Hi');
    expect(session.turns.value.map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(log.form.fields).toEqual({});
  });

  it('finishes a rejection that had begun', async () => {
    const log = await left(
      three,
      (of) => of.reject(idsOf(of, 'a: 1', 'c: 3')),
      ({ type }) => type === 'effectReverted',
    );
    // The page was left after it took one effect back.
    log.form.fields['a'] = '1';
    const { session, operations } = await open(log);
    expect(openEffects(session)).toEqual(['a: 1', 'b: 2', 'c: 3']);
    await session.accept();
    expect(log.form.fields).toEqual({ b: '2' });
    expect(names(session.turns.value[0]!.rejected!)).toEqual(['c: 3', 'a: 1']);
    expect(checkOrder([...log.log, ...operations])).toEqual([]);
  });

  it.each(['resume', 'abandon', 'accept'] as const)(
    'finishes a cancel that had begun, on %s',
    async (name) => {
      const log = await left(
        three,
        async (of) => {
          await of.accept(idsOf(of, 'b: 2'));
          await of.cancel();
        },
        ({ type }) => type === 'cancelRequested',
      );
      Object.assign(log.form.fields, { a: '1', c: '3' });
      const { session, operations } = await open(log);
      expect(session.interrupted.value?.at).toBe('review');
      await codeOf(session[name]() as Promise<unknown>);
      expect(session.turns.value[0]).toMatchObject({
        status: 'cancelled',
        effects: [{ description: 'b: 2' }],
      });
      expect(log.form.fields).toEqual({ b: '2' });
      expect(checkOrder([...log.log, ...operations])).toEqual([]);
    },
  );

  it.each([
    ['cancelled', (of: LocalAgentSession) => of.cancel()],
    ['completed', (of: LocalAgentSession) => of.accept()],
  ] as const)('continues if its commit had begun: %s', async (status, act) => {
    const log = await left(three, act, ({ type }) => type === 'commitStarted');
    const { session, operations } = await open(log);
    expect(session.interrupted.value?.at).toBe('commit');
    await codeOf(session.resume());
    expect(session.turns.value[0]!.status).toBe(status);
    expect(session.pendingReview.value).toBeNull();
    expect(checkOrder([...log.log, ...operations])).toEqual([]);
  });

  it('continues to its failure if the commit after an abandon had begun', async () => {
    const log = await left(three, (of) => of.accept(idsOf(of, 'b: 2')));
    const first = await open(log);
    await first.session.abandon();
    const end = first.operations.findIndex(({ type }) => type === 'commitStarted') + 1;
    const all = [...log.log, ...first.operations.slice(0, end)];
    const { session, operations } = await open({ form: log.form, records: recordsOf([all]) });
    await codeOf(session.resume());
    expect(session.turns.value[0]).toMatchObject({ status: 'failed', effects: [{ description: 'b: 2' }] });
    expect(session.turns.value[0]!.outcome?.report?.done).toHaveLength(2);
    expect(checkOrder([...all, ...operations])).toEqual([]);
  });

  it('keeps the rejections in a saved conversation', async () => {
    const { session } = await open(await left(three));
    await session.reject(idsOf(session, 'b: 2'));
    await session.accept();
    const conversation = JSON.parse(JSON.stringify(session.save())) as SavedConversation;
    const { session: next } = createSession([], { conversation });
    expect(next.turns.value).toEqual(session.turns.value);
    const steps = (conversation.turns[0] as { undo: TurnUndo }).undo.calls.flatMap((one) => one.steps);
    expect(steps).toHaveLength(2);
    for (const step of steps) expect(step).not.toHaveProperty('after');
  });
});
