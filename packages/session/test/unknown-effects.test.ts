// Effects of calls that were cut: listed as unknown until the tool answers, and by their real end afterwards.
import { describe, expect, it } from 'vitest';
import { callTools, gate, gatedTool, say, settle, spyTool, stall } from '@banister/testing';
import { failed, type Message, type SavedConversation, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names } from './fixture.js';

const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];
const slowCall = callTools({ tool: 'board.slow' });
const nothing = { done: [], failed: [], irreversible: [] };
const noteOf = (messages: readonly Message[] | undefined) => JSON.stringify(messages?.at(-1)?.parts[0]);

describe('a call that was still running when its turn ended', () => {
  it('C18: is `unknown` in the report, the record and the next request', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([slowCall, say('I see.')], { domains: domain(slow) });
    void f.session.send('Go');
    const run = await slow.next();
    const report = await f.session.cancel({ immediate: true });
    expect(report.undo).toMatchObject(nothing);
    expect(names(report.undo.unknown)).toEqual(['board.slow']);
    expect(f.session.turns.value[0]?.outcome?.report).toEqual(report.undo);
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/still running.*may or may not.*board\.slow/);
    expect(note).not.toMatch(/in effect/);
    run.settle();
    await settle();
  });

  it('C18: is described in the words of its tool, if it gave any', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([slowCall], { domains: domain(slow) });
    void f.session.send('Go');
    const run = await slow.next();
    run.context.undo({ description: 'Imported 20 cards', revert: () => {} });
    const report = await f.session.cancel({ immediate: true });
    expect(names(report.undo.unknown)).toEqual(['Imported 20 cards']);
    run.settle();
    await settle();
  });

  it.each([
    ['aborted with sideEffects keep', {}, 'cancelled'],
    ['stopped by a limit', { timeoutMs: 5_000, onTrip: 'stop' }, 'stopped'],
  ] as const)(
    'C6: is unknown in the report, the record and the note of a turn that was %s',
    async (_name, limits, status) => {
      const board = createBoard();
      const slow = gatedTool('slow');
      await using f = fixture([callTools(addCard('A'), { tool: 'board.slow' }), say('I see.')], {
        domains: [board.domain(slow)],
        limits,
      });
      const turn = f.session.send('Go');
      turn.catch(() => {});
      const run = await slow.next();
      if (status === 'cancelled') {
        const report = await f.session.cancel({ immediate: true, sideEffects: 'keep' });
        expect(report.undo).toMatchObject(nothing);
        expect(names(report.undo.unknown)).toEqual(['board.slow']);
        expect(names(report.completed)).toEqual(['Added A']);
      } else {
        await f.clock.advance(5_000);
        await turn;
      }
      const record = f.session.turns.value[0];
      expect(record?.status).toBe(status);
      expect(names(record?.effects ?? [])).toEqual(['Added A']);
      expect(names(record?.unknown ?? [])).toEqual(['board.slow']);
      await f.session.send('Next');
      const note = noteOf(f.provider.requests.at(-1)?.messages);
      expect(note).toMatch(/still running.*may or may not.*board\.slow/);
      // Undoing the turn does not hide it either.
      expect(names((await f.session.undo()).unknown)).toEqual(['board.slow']);
      run.settle();
      await settle();
    },
  );

  it('C9: is not listed in the next request if it failed after it was cut', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([slowCall, say('I see.')], { domains: domain(slow) });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    run.throw(new Error('late'));
    await settle();
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).not.toMatch(/in effect|may or may not/);
    expect(note).toMatch(/failed.*no effect.*board\.slow/);
  });

  it.each([
    ['reverted', () => {}, /These effects were reverted: \\"Slow work/],
    [
      'failed to be reverted',
      () => failed('no'),
      /could not be reverted and are still in effect: \\"Slow work/,
    ],
  ] as const)(
    'C9: that succeeded late and was %s is listed as such in the next request',
    async (_name, revert, expected) => {
      const slow = gatedTool('slow');
      await using f = fixture([slowCall, say('I see.')], { domains: domain(slow) });
      void f.session.send('Go');
      const run = await slow.next();
      await f.session.cancel({ immediate: true });
      run.context.undo({ description: 'Slow work', revert });
      run.settle();
      await settle();
      await f.session.send('Next');
      const note = noteOf(f.provider.requests.at(-1)?.messages);
      expect(note).toMatch(expected);
      expect(note).not.toMatch(/may or may not/);
    },
  );
});

describe('a call that timed out and succeeded while its turn still ran', () => {
  const start = async (slow: ReturnType<typeof gatedTool>, last = stall('Two')) => {
    const f = fixture([slowCall, last, say('I see.')], {
      domains: domain({ ...slow, timeoutMs: 1_000 }),
      looseScript: true,
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    const run = await slow.next();
    await f.clock.advance(1_000);
    return { f, turn, run };
  };

  it('C9: is reverted, and listed as done', async () => {
    const slow = gatedTool('slow');
    const { f, run } = await start(slow);
    await using _ = f;
    run.context.undo({ description: 'Slow work', revert: () => {} });
    run.settle();
    await settle();
    const { undo } = await f.session.cancel();
    expect(names(undo.done)).toEqual(['Slow work']);
    expect(undo).toMatchObject({ failed: [], irreversible: [], unknown: [] });
  });

  it('C9: is irreversible in the report if it has no revert', async () => {
    const slow = gatedTool('slow');
    const { f, run } = await start(slow);
    await using _ = f;
    run.settle();
    await settle();
    const { undo } = await f.session.cancel();
    expect(names(undo.irreversible)).toEqual(['board.slow']);
    expect(undo).toMatchObject({ done: [], failed: [], unknown: [] });
  });

  it('C9: is tried again by the rollback, if its revert failed', async () => {
    const slow = gatedTool('slow');
    const { f, run } = await start(slow);
    await using _ = f;
    let tries = 0;
    run.context.undo({ description: 'Slow work', revert: () => failed(`no ${++tries}`) });
    run.settle();
    await settle();
    const { undo } = await f.session.cancel();
    expect(undo.failed).toMatchObject([{ description: 'Slow work', reason: 'no 2' }]);
    expect(undo).toMatchObject({ done: [], irreversible: [], unknown: [] });
  });

  it('C9: is an effect of the turn if it could not be reverted and the turn keeps its effects', async () => {
    const slow = gatedTool('slow');
    const { f, run } = await start(slow);
    await using _ = f;
    run.settle();
    await settle();
    await f.session.cancel({ sideEffects: 'keep' });
    expect(f.session.turns.value[0]?.effects).toMatchObject([
      { description: 'board.slow', irreversible: true },
    ]);
  });

  it.each([
    ['succeeded, with a revert', { description: 'Slow work', revert: () => {} }, undefined],
    ['failed, with a note', { description: 'Slow work', revert: () => {} }, failed('No.')],
    ['failed, without a note', undefined, failed('No.')],
  ] as const)(
    'C9: is not unknown if its turn is cancelled and keeps its effects: it %s',
    async (_name, note, result) => {
      const slow = gatedTool('slow');
      const { f, run } = await start(slow);
      await using _ = f;
      if (note) run.context.undo(note);
      run.settle(result);
      await settle();
      const { undo } = await f.session.cancel({ sideEffects: 'keep' });
      expect(undo.unknown).toEqual([]);
    },
  );

  it('C9: is unknown while its revert still runs', async () => {
    const slow = gatedTool('slow');
    const { f, run } = await start(slow);
    await using _ = f;
    let end = () => {};
    run.context.undo({
      description: 'Slow work',
      revert: () => new Promise<void>((resolve) => (end = resolve)),
    });
    run.settle();
    await settle();
    const { undo } = await f.session.cancel();
    expect(names(undo.unknown)).toEqual(['Slow work']);
    end();
    await settle();
    expect(f.session.turns.value[0]?.rounds[0]?.parts[0]).toMatchObject({ late: { effect: 'reverted' } });
  });

  it('C9: a call that was cut and ends while an undo runs is in its report', async () => {
    const slow = gatedTool('slow');
    const quick = spyTool('quick', {
      execute: (_args, context) =>
        context.undo({ description: 'Quick work', revert: () => reverting.pass() }),
    });
    const reverting = gate();
    await using f = fixture([callTools({ tool: 'board.slow' }, { tool: 'board.quick' }), say('I see.')], {
      domains: domain({ ...slow, timeoutMs: 1_000 }, quick),
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    run.context.undo({ description: 'Slow work', revert: () => failed('no') });
    await f.clock.advance(1_000);
    await turn;
    const undo = f.session.undo();
    await reverting.reached;
    run.settle();
    await settle();
    reverting.open();
    const { done, irreversible, unknown } = await undo;
    expect([names(done), names(irreversible), unknown]).toEqual([['Quick work'], ['Slow work'], []]);
  });
});

describe('a conversation that is saved while a turn runs', () => {
  it('C18: a save in the middle of a turn lists its running calls as unknown', async () => {
    const board = createBoard();
    const slow = gatedTool('slow');
    await using f = fixture([callTools(addCard('A'), { tool: 'board.slow' })], {
      domains: [board.domain(slow)],
    });
    void f.session.send('Go');
    const run = await slow.next();
    const saved = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using g = fixture([say('I see.')], { conversation: saved });
    const report = g.session.lastOutcome.value?.report;
    expect(names(report?.irreversible ?? [])).toEqual(['Added A']);
    expect(names(report?.unknown ?? [])).toEqual(['board.slow']);
    expect(report?.failed).toEqual([]);
    await g.session.send('Next');
    const note = noteOf(g.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/still in effect: \\"Added A\\" \(board\.add\)/);
    expect(note).toMatch(/still running.*may or may not.*board\.slow/);
    await f.session.cancel({ immediate: true });
    run.settle();
  });
});
