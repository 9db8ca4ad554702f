// The option `whenUnsaved: 'stop'`: orders of events around a log that takes no writes.
import { describe, expect, it } from 'vitest';
import { callTools, recordingJournal, say, spyTool, stall } from '@banister/testing';
import { addPlan, withBoard } from './cuttable.js';
import { atOperation, fixture, rejection } from './fixture.js';
import { codeOf } from './opened.js';

const addOther = { tool: 'board.add', args: { title: 'Other' } };

describe('an effect that waits for the record of the effect before it', () => {
  it('served H1 undo: is taken back when a write succeeds after 25 seconds, and is reported as done', async () => {
    const { f, cutAt, heal, board } = withBoard([callTools('', addPlan, addOther), say('Done.')]);
    await using _ = f;
    await f.session.send('Go');
    expect(board.cards).toEqual(['Plan', 'Other']);
    cutAt('undoStarted');
    const undone = f.session.undo();
    await f.clock.advance(25_000);
    await heal();
    const report = await undone;
    expect([report.done.length, report.failed.length, board.cards]).toEqual([2, 0, []]);
  });

  it('served H1 rollback: is taken back when a write succeeds after 25 seconds, and is reported as done', async () => {
    const { f, cutAt, heal, board } = withBoard([callTools('', addPlan, addOther), stall('…')]);
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(100);
    expect(board.cards).toEqual(['Plan', 'Other']);
    cutAt('rollbackStarted');
    const cancelled = f.session.cancel();
    await f.clock.advance(25_000);
    expect(board.cards).toEqual(['Plan']);
    await heal();
    const { undo } = await cancelled;
    expect((await turn).code).toBe('cancelled');
    expect([undo.done.length, undo.failed.length, board.cards]).toEqual([2, 0, []]);
  });
});

it('served H1 a command that an app gives when `saved` is true again is not refused', async () => {
  const { f, cut, heal } = withBoard([callTools('', addPlan), say('Done.'), say('More.')]);
  await using _ = f;
  atOperation(f.session, 'roundCompleted', cut);
  const turn = rejection(f.session.send('Go'));
  await f.clock.advance(40_000);
  expect((await turn).code).toBe('storage');
  let abandoned: Promise<string | undefined> | null = null;
  f.session.link.subscribe(({ saved }) => {
    if (saved) abandoned ??= codeOf(f.session.abandon());
  });
  await heal();
  expect(await abandoned).toBe('resolved');
});

it('served H1 dispose during a turn ends when its first write is refused, and no promise of its own is left to reject', async () => {
  const journal = recordingJournal('resolve');
  await using f = fixture([callTools('', { tool: 'app.act' }), stall('…')], {
    whenUnsaved: 'stop',
    looseScript: true,
    domains: [{ id: 'app', tools: [spyTool('act')] }],
    ports: { journal },
  });
  const turn = rejection(f.session.send('Go'));
  await f.clock.advance(1_000);
  journal.answer = 'refuse';
  let isOver = false;
  const end = f.session.dispose().then(() => (isOver = true));
  await f.clock.advance(6_000);
  expect(isOver).toBe(true);
  await end;
  expect((await turn).code).toBe('storage');
});
