// Review of a turn.
import { describe, expect, it } from 'vitest';
import { callTools, fail, finishWith, recordingJournal, say, settle } from '@banister/testing';
import {
  confirmTools,
  defineTool,
  type OperationType,
  UndoHistory,
  type SendOptions,
  type UndoProvider,
} from '@banister/session';
import { atOperation, fixture, names, rejection, terminals, type FixtureOptions } from './fixture.js';
import { call, createForm, idsOf, openEffects, print, sendForReview } from './reviewed.js';

const done = say('Done.');
const two = [callTools(call('set', 'a', '1'), call('set', 'b', '2')), done];

describe('a turn that is sent with a review', () => {
  it('effects act at once; then the phase is `reviewing`, and `pendingReview` lists them with before and after', async () => {
    const form = createForm({ a: '0' });
    await using test = fixture(two, { domains: [form.domain()] });
    const { session } = test;
    const { turn } = await sendForReview(session);
    expect(form.fields).toEqual({ a: '1', b: '2' });
    expect([session.phase.value, session.isRunning.value]).toEqual(['reviewing', true]);
    expect(session.currentText.value).toBe('Done.');
    expect(session.pendingReview.value).toMatchObject({
      turnId: session.liveTurn.value?.id,
      effects: [
        {
          toolName: 'form.set',
          description: 'a: 1',
          changes: [{ description: 'a: 1', before: '0', after: '1' }],
          dependents: [],
        },
        { description: 'b: 2', changes: [{ before: null, after: '2' }] },
      ],
    });
    await session.accept();
    expect(await turn).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(session.pendingReview.value).toBeNull();
    expect(session.turns.value[0]?.effects).toHaveLength(2);
    expect(session.turns.value[0]?.rejected).toBeUndefined();
    await session.undo();
    expect(form.fields).toEqual({ a: '0' });
  });

  it('completes at once if it has no effect that can be undone', async () => {
    const form = createForm();
    await using test = fixture([say('Hi.'), callTools(print), done], { domains: [form.domain()] });
    await test.session.send('Hi', { commit: 'review' });
    await test.session.send('Print', { commit: 'review' });
    expect(test.observed.operations.map(({ type }) => type)).not.toContain('reviewOpened');
    expect(test.session.undoEntries.value).toMatchObject([{ irreversible: true }]);
  });

  it('completes at once in a session without undo', async () => {
    const form = createForm();
    await using test = fixture(two, { domains: [form.domain()], history: null });
    expect((await test.session.send('Go', { commit: 'review' })).status).toBe('completed');
  });

  it('an irreversible call is confirmed as usual, and is not part of the review', async () => {
    const form = createForm();
    await using test = fixture([callTools(call('set', 'a', '1'), print), done], {
      domains: [form.domain()],
      guards: [confirmTools('form.print')],
    });
    const { session } = test;
    const { turn } = await sendForReview(session);
    expect(session.phase.value).toBe('confirming');
    await session.pendingConfirmation.value?.approve();
    await settle();
    expect(openEffects(session)).toEqual(['a: 1']);
    await session.reject();
    await turn;
    expect(session.turns.value[0]?.effects).toMatchObject([{ description: 'Printed', irreversible: true }]);
  });

  it('stops the clock of the turn, no matter how long the user takes', async () => {
    const form = createForm();
    await using test = fixture(two, { domains: [form.domain()], limits: { timeoutMs: 1_000 } });
    const { turn } = await sendForReview(test.session);
    await test.clock.advance(3_600_000);
    expect(test.session.phase.value).toBe('reviewing');
    await test.session.accept();
    expect((await turn).status).toBe('completed');
    expect(test.session.budget.value.timeMs.spent).toBe(0);
  });

  it('a turn that stops is reviewed, and ends as stopped', async () => {
    const form = createForm();
    await using test = fixture([callTools(call('set', 'a', '1')), finishWith('length', 'So far')], {
      domains: [form.domain()],
    });
    const { turn } = await sendForReview(test.session);
    expect(openEffects(test.session)).toEqual(['a: 1']);
    await test.session.reject();
    expect(await turn).toMatchObject({ status: 'stopped', stop: { kind: 'length' } });
    expect(form.fields).toEqual({});
  });

  it('is reviewed even if a limit stops it', async () => {
    const form = createForm();
    const answers = [callTools(call('set', 'a', '1')), callTools(call('set', 'b', '2'))];
    await using test = fixture(answers, {
      domains: [form.domain()],
      limits: { maxToolCalls: 1, onTrip: 'stop' },
    });
    const { turn } = await sendForReview(test.session);
    await test.session.accept();
    expect((await turn).stop?.kind).toBe('limit');
    expect(form.fields).toEqual({ a: '1' });
  });

  it('a turn that fails is rolled back without a review', async () => {
    const form = createForm();
    await using test = fixture([callTools(call('set', 'a', '1')), fail('auth')], {
      domains: [form.domain()],
    });
    await rejection(test.session.send('Go', { commit: 'review' }));
    expect(test.observed.operations.map(({ type }) => type)).not.toContain('reviewOpened');
    expect(form.fields).toEqual({});
  });

  it('retries and messages of the queue are reviewed', async () => {
    const form = createForm();
    await using test = fixture([fail('auth'), ...two, say('Next.'), ...two], { domains: [form.domain()] });
    const { session } = test;
    await rejection(session.send('Go', { commit: 'review' }));
    const retried = session.retry();
    await settle();
    expect(session.phase.value).toBe('reviewing');
    await session.reject();
    await retried;
    const [first, second] = [session.enqueue('First'), session.enqueue('Second', { commit: 'review' })];
    await first;
    await test.clock.advance(1);
    await settle();
    expect(session.phase.value).toBe('reviewing');
    await session.accept();
    expect(await second).toBe('completed');
  });

  it('rejects `invalid-configuration` for an unknown value of `commit`', async () => {
    await using test = fixture([]);
    const options = { commit: 'later' } as unknown as SendOptions;
    expect((await rejection(test.session.send('Go', options))).code).toBe('invalid-configuration');
  });

  it('shows values of up to 10,000 characters, and leaves out others', async () => {
    const long = 'x'.repeat(10_000);
    const edit = defineTool({
      name: 'edit',
      description: 'Edits.',
      parameters: { type: 'object' },
      execute: (_args, context) =>
        context.undo({ description: 'Edited', before: { text: 'short' }, after: long, revert: () => {} }),
    });
    await using test = fixture([callTools({ tool: 'text.edit', args: {} }), done], {
      domains: [{ id: 'text', tools: [edit] }],
    });
    await sendForReview(test.session);
    const [effect] = test.session.pendingReview.value!.effects;
    expect(effect?.changes).toEqual([{ description: 'Edited', before: { text: 'short' } }]);
    await test.session.accept();
  });
});

describe('accept and reject', () => {
  const three = [callTools(call('set', 'a', '1'), call('set', 'b', '2'), call('set', 'c', '3')), done];
  const reviewing = async (answers: Parameters<typeof fixture>[0], options: FixtureOptions = {}) => {
    const form = createForm();
    const test = fixture(answers, { domains: [form.domain()], ...options });
    const { turn } = await sendForReview(test.session);
    return { form, test, session: test.session, turn };
  };

  it('decide the named effects; other effects stay open', async () => {
    const { form, test, session, turn } = await reviewing(three);
    await using _ = test;
    expect(await session.accept(idsOf(session, 'a: 1'))).toMatchObject({ done: [], failed: [] });
    expect(openEffects(session)).toEqual(['b: 2', 'c: 3']);
    const report = await session.reject(idsOf(session, 'b: 2'));
    expect(names(report.done)).toEqual(['b: 2']);
    expect(openEffects(session)).toEqual(['c: 3']);
    expect(session.isRunning.value).toBe(true);
    await session.accept();
    expect((await turn).status).toBe('completed');
    expect(form.fields).toEqual({ a: '1', c: '3' });
    expect(names(session.turns.value[0]!.effects)).toEqual(['a: 1', 'c: 3']);
    expect(names(session.turns.value[0]!.rejected!)).toEqual(['b: 2']);
  });

  it('leave the session idle when the last effect is decided', async () => {
    const { test, session } = await reviewing(three);
    await using _ = test;
    await session.reject();
    expect([session.isRunning.value, session.lastOutcome.value?.status]).toEqual([false, 'completed']);
  });

  it('leave an undo and a redo of the turn with the effects that were accepted', async () => {
    const { form, test, session } = await reviewing(three);
    await using _ = test;
    await session.reject(idsOf(session, 'b: 2'));
    await session.accept();
    expect(names((await session.undo()).done)).toEqual(['c: 3', 'a: 1']);
    expect(form.fields).toEqual({});
    expect(names((await session.redo()).done)).toEqual(['a: 1', 'c: 3']);
    expect(form.fields).toEqual({ a: '1', c: '3' });
  });

  it('leave no undo entry if all effects were rejected', async () => {
    const { form, test, session } = await reviewing(three);
    await using _ = test;
    expect(names((await session.reject()).done)).toEqual(['c: 3', 'b: 2', 'a: 1']);
    expect(form.fields).toEqual({});
    expect([session.canUndo.value, session.undoEntries.value]).toEqual([false, []]);
    expect(session.turns.value[0]!.rounds[0]!.parts).toMatchObject([
      { reverted: true },
      { reverted: true },
      { reverted: true },
    ]);
  });

  it('rejecting an effect takes back later ones on its path, newest first', async () => {
    const calls = [
      call('set', 'a', '1'),
      call('set', 'b', '2'),
      call('set', 'a', '3'),
      call('set', 'a', '4'),
    ];
    const { form, test, session } = await reviewing([callTools(...calls), done]);
    await using _ = test;
    const [first] = session.pendingReview.value!.effects;
    expect(first!.dependents).toEqual(idsOf(session, 'a: 3', 'a: 4'));
    const report = await session.reject(idsOf(session, 'a: 1'));
    expect(names(report.done)).toEqual(['a: 4', 'a: 3', 'a: 1']);
    expect(openEffects(session)).toEqual(['b: 2']);
    expect(form.fields).toEqual({ b: '2' });
    await session.accept();
  });

  it('without paths, rejecting an effect undoes later effects of its domain', async () => {
    const calls = [call('setAll', 'a', '1'), call('set', 'b', '2'), call('setAll', 'c', '3')];
    const other = createForm();
    const test = fixture(
      [callTools(...calls, { tool: 'other.set', args: { field: 'a', value: '9' } }), done],
      {
        domains: [createForm().domain(), { ...other.domain(), id: 'other' }],
      },
    );
    await using _ = test;
    const { session } = test;
    await sendForReview(session);
    expect(names((await session.reject(idsOf(session, 'a: 1'))).done)).toEqual(['c: 3', 'b: 2', 'a: 1']);
    expect(openEffects(session)).toEqual(['a: 9']);
    await session.accept();
    expect(other.fields).toEqual({ a: '9' });
  });

  it('undo an accepted effect if it depends on a rejected effect', async () => {
    const { form, test, session } = await reviewing([
      callTools(call('set', 'a', '1'), call('set', 'a', '2')),
      done,
    ]);
    await using _ = test;
    await session.accept(idsOf(session, 'a: 2'));
    expect(names((await session.reject(idsOf(session, 'a: 1'))).done)).toEqual(['a: 2', 'a: 1']);
    expect(form.fields).toEqual({});
    expect(session.turns.value[0]!.effects).toEqual([]);
  });

  it('leave an effect open, with the reason, if an edit of the user is in the way', async () => {
    const { form, test, session, turn } = await reviewing(three);
    await using _ = test;
    form.fields['b'] = 'mine';
    const report = await session.reject();
    expect(names(report.done)).toEqual(['c: 3', 'a: 1']);
    expect(report.failed).toMatchObject([{ description: 'b: 2', reason: 'It was changed in the meantime.' }]);
    expect(session.pendingReview.value?.effects).toMatchObject([
      { description: 'b: 2', conflict: 'It was changed in the meantime.', because: { code: 'changed' } },
    ]);
    expect(session.phase.value).toBe('reviewing');
    await session.accept();
    await turn;
    expect(form.fields).toEqual({ b: 'mine' });
    expect(names(session.turns.value[0]!.effects)).toEqual(['b: 2']);
  });

  it('an effect stays if an effect that depends on it stays', async () => {
    const calls = [call('set', 'a', '1'), call('set', 'a', '2')];
    const { form, test, session } = await reviewing([callTools(...calls), done]);
    await using _ = test;
    form.fields['a'] = 'mine';
    const report = await session.reject(idsOf(session, 'a: 1'));
    expect(report.done).toEqual([]);
    expect(report.failed.map(({ reason }) => reason)).toEqual([
      'It was changed in the meantime.',
      'An effect that depends on it stays.',
    ]);
    form.fields['a'] = '2';
    expect(names((await session.reject()).done)).toEqual(['a: 2', 'a: 1']);
  });

  it('are carried out in call order, even while effects are being undone', async () => {
    const { form, test, session, turn } = await reviewing(three);
    await using _ = test;
    const rejecting = session.reject(idsOf(session, 'c: 3'));
    const accepting = session.accept();
    expect(names((await rejecting).done)).toEqual(['c: 3']);
    await accepting;
    await turn;
    expect(form.fields).toEqual({ a: '1', b: '2' });
    const types = test.observed.operations.map(({ type }) => type);
    expect(types.slice(types.indexOf('reviewOpened'), types.indexOf('commitStarted'))).toEqual([
      'reviewOpened',
      'rejectStarted',
      'effectReverted',
      'reviewResolved',
      'reviewResolved',
    ]);
  });

  it('a subscriber of `reviewOpened` may decide', async () => {
    const form = createForm();
    await using test = fixture(two, { domains: [form.domain()] });
    atOperation(test.session, 'reviewOpened', () => void test.session.accept());
    expect((await test.session.send('Go', { commit: 'review' })).status).toBe('completed');
  });

  it('do nothing for effects that are not open, and without a review', async () => {
    const { test, session } = await reviewing(two);
    await using _ = test;
    const ids = idsOf(session, 'a: 1');
    await session.accept(ids);
    expect((await session.reject([...ids, 'unknown'])).done).toEqual([]);
    await session.accept();
    expect((await session.reject()).done).toEqual([]);
    expect(session.turns.value[0]!.effects).toHaveLength(2);
  });

  it('reject invalid-configuration for ids of another form', async () => {
    const { test, session } = await reviewing(two);
    await using _ = test;
    const error = await rejection(session.accept('a' as unknown as readonly string[]));
    expect(error.code).toBe('invalid-configuration');
    await session.accept();
  });

  it('state the rejections in the next request', async () => {
    const { test, session } = await reviewing([...three, say('Fine.'), say('Fine.')]);
    await using _ = test;
    await session.reject(idsOf(session, 'b: 2'));
    await session.accept();
    await session.send('And now?');
    const text = JSON.stringify(test.provider.requests.at(-1)!.messages.at(-1));
    expect(text).toContain(
      'The user reviewed and rejected these effects; they were reverted: \\"b: 2\\" (form.set).',
    );
    expect(text).not.toContain('a: 1');
    const messages = session.conversation.value.messages.length;
    await session.send('More');
    expect(session.conversation.value.messages).toHaveLength(messages + 2);
  });

  it('reject already-running on every command that needs an idle session', async () => {
    const { test, session } = await reviewing(two);
    await using _ = test;
    const commands = [
      session.send('More'),
      session.undo(),
      session.redo(),
      session.switchTo('turn-1'),
      session.retry(),
      session.regenerate(),
      session.clear(),
    ];
    for (const command of commands) expect((await rejection(command)).code).toBe('already-running');
    await session.accept();
  });

  it('let the queue wait; a steering message becomes its head', async () => {
    const { test, session } = await reviewing([...two, say('Steered.'), say('Queued.')]);
    await using _ = test;
    const queued = session.enqueue('Queued');
    expect(await session.steer('Steered')).toBe('queued');
    expect(session.queue.value).toMatchObject([{ input: 'Steered', steering: false }, { input: 'Queued' }]);
    await test.clock.advance(1_000);
    expect(session.phase.value).toBe('reviewing');
    await session.accept();
    for (let turns = 0; turns < 3; turns++) await test.clock.advance(1);
    expect(await queued).toBe('completed');
    expect(session.turns.value).toHaveLength(3);
  });

  it("give the app's history only the accepted effects, when the turn commits", async () => {
    const recorded: string[] = [];
    const history: UndoProvider = {
      begin(label) {
        const transaction = new UndoHistory().begin(label);
        return {
          ...transaction,
          record(entry) {
            recorded.push(entry.description);
            return transaction.record(entry);
          },
        };
      },
    };
    const { form, test, session } = await reviewing(three, { history });
    await using _ = test;
    expect(recorded).toEqual([]);
    await session.reject(idsOf(session, 'b: 2'));
    await session.accept();
    expect(recorded).toEqual(['a: 1', 'c: 3']);
    await session.undo();
    expect(form.fields).toEqual({});
  });
});

describe('cancel of a turn under review', () => {
  const calls = [call('set', 'a', '1'), call('paint', 'b', '2'), call('set', 'c', '3')];
  const reviewing = async () => {
    const form = createForm();
    const test = fixture([callTools(...calls), done], { domains: [form.domain()], looseScript: true });
    const { turn } = await sendForReview(test.session);
    return { form, test, session: test.session, turn };
  };

  it.each([false, true])(
    'rejects open effects and commits accepted effects (immediate: %s)',
    async (immediate) => {
      const { form, test, session, turn } = await reviewing();
      await using _ = test;
      await session.accept(idsOf(session, 'b: 2'));
      const report = await session.cancel({ immediate });
      expect(report).toMatchObject({ landed: 'reviewing', cancelled: true });
      expect(names(report.undo.done)).toEqual(['c: 3', 'a: 1']);
      expect((await rejection(turn)).code).toBe('cancelled');
      expect(form.fields).toEqual({ b: '2' });
      expect(terminals(test)).toEqual(['cancelled']);
      expect(names(session.turns.value[0]!.effects)).toEqual(['b: 2']);
      expect(session.currentText.value).toBe('Done.');
      expect(session.conversation.value.messages.at(-1)?.role).toBe('user');
      await session.undo();
      expect(form.fields).toEqual({});
    },
  );

  it('states in the next request which effects were undone and which stay', async () => {
    const form = createForm();
    await using test = fixture([callTools(...calls), done, say('Fine.')], { domains: [form.domain()] });
    const { session } = test;
    await sendForReview(session);
    await session.accept(idsOf(session, 'b: 2'));
    await session.cancel();
    await session.send('And now?');
    const text = JSON.stringify(test.provider.requests.at(-1)!.messages.at(-1));
    expect(text).toContain('The user cancelled the previous turn.');
    expect(text).toContain('These effects were reverted: \\"c: 3\\" (form.set); \\"a: 1\\" (form.set).');
    expect(text).toContain('The user kept these effects: \\"b: 2\\" (form.paint).');
  });

  it("keeps open effects with `sideEffects: 'keep'`", async () => {
    const { form, test, session, turn } = await reviewing();
    await using _ = test;
    await session.reject(idsOf(session, 'a: 1'));
    await session.cancel({ sideEffects: 'keep' });
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(form.fields).toEqual({ b: '2', c: '3' });
    expect(session.lastOutcome.value?.report).toBeUndefined();
    expect(names(session.turns.value[0]!.effects)).toEqual(['b: 2', 'c: 3']);
  });

  it('reports an effect that stays because the user changed it', async () => {
    const { form, test, session } = await reviewing();
    await using _ = test;
    form.fields['a'] = 'mine';
    const { undo } = await session.cancel();
    expect(names(undo.done)).toEqual(['c: 3', 'b: 2']);
    expect(undo.failed).toMatchObject([{ description: 'a: 1', reason: 'It was changed in the meantime.' }]);
    expect(form.fields).toEqual({ a: 'mine' });
    expect(names(session.turns.value[0]!.effects)).toEqual(['a: 1']);
  });

  it('keeps an effect on which an accepted effect depends', async () => {
    const form = createForm();
    await using test = fixture([callTools(call('set', 'a', '1'), call('set', 'a', '2')), done], {
      domains: [form.domain()],
    });
    await sendForReview(test.session);
    await test.session.accept(idsOf(test.session, 'a: 2'));
    const { undo } = await test.session.cancel();
    expect(undo.failed).toMatchObject([
      {
        description: 'a: 1',
        reason: 'An effect that depends on it stays.',
        because: { code: 'dependent-stays' },
      },
    ]);
    expect(form.fields).toEqual({ a: '2' });
  });

  it('waits for effects that are being undone', async () => {
    const { form, test, session, turn } = await reviewing();
    await using _ = test;
    const rejecting = session.reject(idsOf(session, 'c: 3'));
    const accepting = session.accept(idsOf(session, 'a: 1'));
    await session.cancel();
    expect(names((await rejecting).done)).toEqual(['c: 3']);
    await accepting;
    await rejection(turn);
    expect(form.fields).toEqual({ a: '1' });
  });

  it('also happens at `dispose`', async () => {
    const { form, test, session, turn } = await reviewing();
    await session.accept(idsOf(session, 'a: 1'));
    await session.dispose();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(form.fields).toEqual({ a: '1' });
    expect((await rejection(session.accept())).code).toBe('disposed');
    await test[Symbol.asyncDispose]();
  });
});

describe('the log of a turn under review', () => {
  const reviewing = async (type: OperationType) => {
    const form = createForm();
    const journal = recordingJournal(({ operations }) =>
      operations.some((operation) => operation.type === type) ? 'refuse' : 'resolve',
    );
    const test = fixture(two, { domains: [form.domain()], ports: { journal }, looseScript: true });
    const { turn } = await sendForReview(test.session);
    return { form, test, session: test.session, turn };
  };

  it('is written before an effect is undone: if the write is refused, the turn fails with `storage` and is rolled back', async () => {
    const { form, test, session, turn } = await reviewing('rejectStarted');
    await using _ = test;
    expect((await rejection(session.reject(idsOf(session, 'b: 2')))).code).toBe('storage');
    expect((await rejection(turn)).code).toBe('storage');
    expect(form.fields).toEqual({});
    const types = test.observed.operations.map((operation) => operation.type);
    expect(types.indexOf('rollbackStarted')).toBeLessThan(types.indexOf('effectReverted'));
  });

  it('audit-A if it refuses a rejection that a subscriber of `reviewOpened` began, only the rollback undoes the effects', async () => {
    const form = createForm();
    const journal = recordingJournal(({ operations }) =>
      operations.some(({ type }) => type === 'rejectStarted') ? 'refuse' : 'resolve',
    );
    await using test = fixture(two, { domains: [form.domain()], ports: { journal }, looseScript: true });
    const { session } = test;
    session.operations$.subscribe(({ type }) => {
      if (type === 'reviewOpened') void session.reject().catch(() => {});
    });
    expect((await rejection(session.send('Go', { commit: 'review' }))).code).toBe('storage');
    expect(form.fields).toEqual({});
    const types = test.observed.operations.map(({ type }) => type);
    expect(types.filter((type) => type === 'rejectStarted')).toHaveLength(1);
    expect(types).not.toContain('reviewResolved');
  });

  it.each(['reviewOpened', 'reviewResolved'] as const)(
    'if it refuses %s, the turn fails with `storage` and is rolled back',
    async (type) => {
      const { form, test, session, turn } = await reviewing(type);
      await using _ = test;
      if (type === 'reviewResolved') expect((await rejection(session.accept())).code).toBe('storage');
      expect((await rejection(turn)).code).toBe('storage');
      expect(form.fields).toEqual({});
      expect(session.pendingReview.value).toBeNull();
    },
  );
});
