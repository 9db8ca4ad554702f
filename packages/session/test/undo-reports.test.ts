// Whose change it was, which order effects have, and which of them a report lists.
import { describe, expect, it } from 'vitest';
import { callTools, gatedTool, recordingHistory, say, settle, spyTool, stall } from '@banister/testing';
import { UndoHistory, type UndoEntry, type UndoProvider } from '@banister/session';
import { CallChanges } from '../src/undo/call-changes.js';
import { OwnChanges } from '../src/undo/own-changes.js';
import { fixture, names, rejection } from './fixture.js';
import { call, createForm, idsOf, sendForReview } from './reviewed.js';

describe('a change while the code of an effect waits', () => {
  const changes = (from: number | string, to: number | string) => new CallChanges(() => 0, { from, to });

  it("counts as the effect's own if a counter advanced as far as in the call", () => {
    expect(changes(1, 3).explain({ from: 5, to: 7 })).toBe(true);
    expect(changes(1, 3).explain({ from: 5, to: 8 })).toBe(false);
  });

  it("counts as the effect's own if the domain is in the state before or after the call", () => {
    expect(changes('a', 'b').explain({ from: 'c', to: 'a' })).toBe(true);
    expect(changes('a', 'b').explain({ from: 'c', to: 'b' })).toBe(true);
    expect(changes('a', 'b').explain({ from: 'a', to: 'c' })).toBe(false);
  });

  it("counts as the user's if the revision is a string, even a numeric string", () => {
    expect(changes(1, 3).explain({ from: 5, to: '7' })).toBe(false);
    expect(changes(1, 3).explain({ from: '5', to: 7 })).toBe(false);
    expect(changes('1', 3).explain({ from: 5, to: 7 })).toBe(false);
    expect(changes(1, '3').explain({ from: 5, to: 7 })).toBe(false);
  });
});

describe('a change of the user while the code of an effect waits', () => {
  it("does not count as the effect's own if that code throws", async () => {
    let version = 1;
    const own = new OwnChanges(() => ({ board: version }), { board: 1 });
    const step = async () => {
      await Promise.resolve();
      // As far as the call had advanced it.
      version++;
      throw new Error('It has failed.');
    };
    const call = new CallChanges(() => version, { from: 0, to: 1 });
    await expect(own.step(step, 'board', call)).rejects.toThrow('It has failed.');
    expect([own.known, own.expected]).toEqual([{ board: 1 }, { board: 1 }]);
  });
});

describe('a change that a history makes at once', () => {
  it("counts as the history's own", async () => {
    let version = 1;
    const own = new OwnChanges(() => ({ board: version }), { board: 1 });
    await own.start(() => {
      version++;
      return Promise.resolve();
    });
    expect(own.known).toEqual({ board: 2 });
  });
});

describe('the only effect of a turn that the user reviews', () => {
  const one = [callTools(call('set', 'a', '1')), say('Done.')];

  it('is given to the history when the user accepts it', async () => {
    const history = recordingHistory();
    await using f = fixture(one, { domains: [createForm().domain()], history });
    const { turn } = await sendForReview(f.session);
    expect(history.added).toEqual([]);
    await f.session.accept();
    await turn;
    expect(names(history.committed)).toEqual(['a: 1']);
  });
});

describe('the built-in history', () => {
  it('treats an entry without a position as the first', async () => {
    const entry = (id: string, position?: number): UndoEntry => ({
      toolCallId: id,
      toolName: 'act',
      description: id,
      revert: () => {},
      ...(position === undefined ? {} : { position }),
    });
    const orders = [
      [entry('two', 2), entry('none'), entry('one', 1)],
      [entry('none'), entry('two', 2), entry('one', 1)],
    ];
    for (const entries of orders) {
      const transaction = new UndoHistory().begin('Go');
      for (const one of entries) void transaction.record(one);
      expect(names((await transaction.rollback(undefined)).done)).toEqual(['two', 'one', 'none']);
    }
  });
});

describe('a domain in which a call of the turn failed without an effect', () => {
  it('blocks an undo if the user changed it afterwards, although the other effects keep edits', async () => {
    let [one, other] = [0, 0];
    const act = spyTool('act', {
      undo: { revert: () => void one--, reapply: () => void one++, keepsEdits: true },
      execute: (_args, context) => {
        void context.undo({ description: 'Acted', data: 1 });
        one++;
      },
    });
    const fails = spyTool('fail', {
      execute: () => {
        throw new Error('It has failed.');
      },
    });
    await using f = fixture([callTools({ tool: 'one.act' }, { tool: 'other.fail' }), say('Done.')], {
      domains: [
        { id: 'one', tools: [act], revision: () => one },
        { id: 'other', tools: [fails], revision: () => other },
      ],
    });
    await f.session.send('Go');
    other++;
    expect(await rejection(f.session.undo())).toMatchObject({
      code: 'conflict',
      details: { domains: ['other'] },
    });
    other--;
    one += 5;
    await f.session.undo();
    expect(one).toBe(5);
  });
});

describe('an effect that was reverted before its turn ended', () => {
  it('of a cut call is in the report although the history never got it', async () => {
    const slow = gatedTool('slow', { timeoutMs: 1_000 });
    const history: UndoProvider = {
      begin: (label) => ({ ...new UndoHistory().begin(label), droppable: false }),
    };
    await using f = fixture([callTools({ tool: 'board.slow' }), stall('Half')], {
      domains: [{ id: 'board', tools: [slow] }],
      history,
    });
    const turn = rejection(f.session.send('Go'));
    const run = await slow.next();
    await f.clock.advance(1_000);
    run.context.undo({ description: 'Put Slow', revert: () => {} });
    run.settle();
    await settle();
    const { undo } = await f.session.cancel();
    await turn;
    expect(names(undo.done)).toEqual(['Put Slow']);
    expect([undo.failed, undo.irreversible, undo.unknown]).toEqual([[], [], []]);
  });

  it('because the user rejected it is in no report of an undo, nor of a redo whose history throws', async () => {
    const form = createForm();
    const history = recordingHistory({ reapply: 'throw' });
    await using f = fixture([callTools(call('set', 'a', '1'), call('set', 'b', '2')), say('Done.')], {
      domains: [form.domain()],
      history,
    });
    const { turn } = await sendForReview(f.session);
    await f.session.reject(idsOf(f.session, 'a: 1'));
    await f.session.accept();
    await turn;
    expect(await f.session.undo()).toMatchObject({
      done: [{ description: 'b: 2' }],
      failed: [],
      irreversible: [],
    });
    expect(names((await f.session.redo()).failed)).toEqual(['b: 2']);
    expect(form.fields).toEqual({});
  });
});
