// Branch commands of a session with a journal, in a log, and after an interruption.
import { describe, expect, it } from 'vitest';
import {
  type AnswerSource,
  callTools,
  checkOrder,
  createVirtualClock,
  gate,
  memoryLog,
  recordingJournal,
  say,
  scriptedProvider,
} from '@banister/testing';
import { AgentSessionError, defineTool, type Operation } from '@banister/session';
import { toStored } from '@banister/session/operations';
import { adding, path, steps, withCards } from './branched.js';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection } from './fixture.js';
import { left, open as openLeft } from './left-turn.js';
import { createSession, opened, recordsOf } from './opened.js';

const add = (...titles: readonly string[]): readonly AnswerSource[] => titles.flatMap(adding);

describe('a branch command with a journal', () => {
  it('rejects `storage` if its first step cannot be written: nothing is undone, and the head does not move', async () => {
    const journal = recordingJournal('resolve');
    const { f, board } = await withCards(['A', 'B'], [], { ports: { journal } });
    await using _ = f;
    journal.answer = ({ operations }) =>
      operations.some(({ type }) => type === 'undoStarted') ? 'refuse' : 'resolve';
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error.code).toBe('storage');
    expect(board.titles).toEqual(['A', 'B']);
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: true });
  });

  it('redoes the effects of earlier steps if a later step cannot be written', async () => {
    const journal = recordingJournal('resolve');
    const { f, board } = await withCards(['A', 'B'], [], { ports: { journal } });
    await using _ = f;
    journal.answer = ({ operations }) =>
      operations.some((operation) => operation.type === 'undoStarted' && operation.target === 'turn_1')
        ? 'refuse'
        : 'resolve';
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error.code).toBe('storage');
    expect(error.details).toMatchObject({ failed: [{ description: 'Added A' }], notRestored: [] });
    expect([...board.titles].sort()).toEqual(['A', 'B']);
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
  });

  it('reverts nothing before the journal has the start of the step', async () => {
    const journal = recordingJournal('resolve');
    const { f, board } = await withCards(['A', 'B'], [say('Hi.')], { ports: { journal } });
    await using _ = f;
    journal.answer = 'wait';
    const edited = f.session.edit('turn_2', 'Greet');
    await f.clock.advance(100);
    expect(f.session.state).toMatchObject({ isRunning: true, phase: 'rolling-back' });
    expect(board.titles).toEqual(['A', 'B']);
    journal.answer = 'resolve';
    journal.acceptAll();
    await edited;
    expect(board.titles).toEqual(['A']);
  });

  it('switchTo resolves when the journal has the move, also when it refuses it: the head has moved', async () => {
    const journal = recordingJournal('resolve');
    const { f } = await withCards(['A'], adding('B'), { ports: { journal } });
    await using _ = f;
    await f.session.regenerate();
    journal.answer = 'wait';
    let isDone = false;
    const switched = f.session.switchTo('turn_1').then(() => (isDone = true));
    await f.clock.advance(100);
    expect(path(f)).toEqual(['turn_1']);
    expect(isDone).toBe(false);
    journal.acceptAll();
    await switched;
    journal.answer = 'refuse';
    await f.session.switchTo('turn_2');
    expect(path(f)).toEqual(['turn_2']);
    expect(f.session.link.value.saved).toBe(false);
  });

  it('moves nothing more if another writer takes over', async () => {
    const journal = recordingJournal('resolve');
    const { f, board } = await withCards(['A', 'B'], [], { ports: { journal } });
    await using _ = f;
    journal.answer = ({ operations }) =>
      operations.some((operation) => operation.type === 'undoStarted' && operation.target === 'turn_1')
        ? 'fence'
        : 'resolve';
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
    expect(error.details.notRestored).toMatchObject([{ description: 'Added B' }]);
    expect(board.titles).toEqual(['A']);
  });

  it('rejects if another writer takes over at the move of the head', async () => {
    const journal = recordingJournal('resolve');
    const { f } = await withCards(['A'], adding('B'), { ports: { journal } });
    await using _ = f;
    await f.session.regenerate();
    journal.answer = 'fence';
    const error = await rejection(f.session.switchTo('turn_1'));
    expect(error).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
  });

  it('if another writer takes over during a revert, the command ends and names what was undone', async () => {
    const journal = recordingJournal('resolve');
    const reverting = gate();
    const paint = defineTool({
      name: 'paint',
      description: 'Paints the board.',
      parameters: { type: 'object' },
      execute: (_arguments, context) =>
        context.undo({ description: 'Painted', revert: () => reverting.pass() }),
    });
    await using f = fixture([callTools({ tool: 'board.paint', args: {} }), say('Painted.')], {
      domains: [{ id: 'board', tools: [paint] }],
      ports: { journal },
    });
    await f.session.send('Paint');
    const edited = rejection(f.session.edit('turn_1', 'Something else'));
    await reverting.reached;
    journal.answer = 'fence';
    f.session.configure({ role: 'Terse' });
    await f.clock.advance(50);
    reverting.open();
    expect(await edited).toMatchObject({
      code: 'storage',
      details: { reason: 'fenced', notRestored: [{ turnId: 'turn_1', description: 'Painted' }] },
    });
    expect(path(f)).toEqual(['turn_1']);
  });

  it('rejects if another writer takes over, in any microtask before its turn starts', async () => {
    let hasStarted = false;
    for (let wait = 0; !hasStarted; wait++) {
      const journal = recordingJournal('resolve');
      const { f } = await withCards(['A'], [], { ports: { journal }, looseScript: true });
      await using _ = f;
      journal.answer = 'wait';
      f.session.configure({ role: 'Terse' });
      await f.clock.advance(50);
      const edited = rejection(f.session.edit('turn_1', 'Something else', { effects: 'keep' }));
      for (let waited = 0; waited < wait; waited++) await null;
      hasStarted = f.session.liveTurn.value !== null;
      journal.writes
        .at(-1)
        ?.refuse(new AgentSessionError('storage', 'Gone.', { details: { reason: 'fenced' } }));
      expect(await edited).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
    }
  });
});

describe('a branch command that a reload interrupted', () => {
  /** A session with a board on which effects are data; its operations up to the first one of a type. */
  async function cutAt(type: Operation['type'], nth: number) {
    const board = dataBoard();
    const domains = [board.domain()];
    const first = createSession(add('A', 'B', 'C'), { domains });
    for (const title of ['A', 'B']) await first.session.send(title);
    const ids = first.session.turns.value.map(({ id }) => id);
    await first.session.edit(ids[0]!, 'C');
    let seen = 0;
    const end = first.operations.findIndex((operation) => operation.type === type && ++seen === nth);
    const log = first.operations.slice(0, end + 1);
    const restored = { snapshot: null, records: recordsOf([toStored(log)]) };
    // The app as it was at that moment.
    board.cards.splice(0, board.cards.length, ...(type === 'undone' ? ['A'] : ['A', 'B']));
    const second = createSession([say('Hi.')], { domains, restored });
    await opened(second.session);
    return { board, ids, log, ...second };
  }

  it('`resume()` finishes a step that a reload interrupted, and the head does not move', async () => {
    const { session, board, ids, log, operations } = await cutAt('undoStarted', 1);
    expect(session.interrupted.value).toMatchObject({ turnId: ids[1], at: 'undo' });
    expect(session.isRunning.value).toBe(false);
    await session.resume();
    expect(board.cards).toEqual(['A']);
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle', interrupted: null });
    expect(session.turns.value.map(({ id }) => id)).toEqual(ids);
    expect(session.undoEntries.value.at(-1)).toMatchObject({ state: 'undone', by: 'branch' });
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.switchTo(ids[1]!, { effects: 'follow' });
    expect(board.cards).toEqual(['A', 'B']);
    await session.dispose();
  });

  it('interrupted in a step: the next branch command finishes that step first', async () => {
    const { session, board, ids, log, operations } = await cutAt('undoStarted', 1);
    await session.edit(ids[0]!, 'Greet', { effects: 'keep' });
    expect(board.cards).toEqual(['A']);
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle', interrupted: null });
    expect(session.turns.value).toHaveLength(1);
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('interrupted between two steps: the session is idle, and `follow` redoes the effects', async () => {
    const { session, board, ids, log, operations } = await cutAt('undone', 1);
    expect(session.state).toMatchObject({
      isRunning: false,
      phase: 'idle',
      interrupted: null,
      canUndo: true,
    });
    expect(session.turns.value.map(({ id }) => id)).toEqual(ids);
    const report = await session.switchTo(ids[1]!, { effects: 'follow' });
    expect(names(report.done)).toEqual(['Added B']);
    expect(board.cards).toEqual(['A', 'B']);
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });
});

describe('follow in a later session', () => {
  it('rejects `conflict` for a turn with an effect whose code is gone, and redoes no part of it', async () => {
    const board = dataBoard();
    const paint = defineTool({
      name: 'paint',
      description: 'Paints the board.',
      parameters: { type: 'object' },
      execute: (_arguments, context) =>
        context.undo({ description: 'Painted', revert: () => {}, reapply: () => {} }),
    });
    const domains = [{ id: 'board', tools: [board.add, paint] }];
    const both = callTools(addCard('A'), { tool: 'board.paint', args: {} });
    const first = createSession([both, say('Done.'), ...add('B')], { domains });
    await first.session.send('A');
    const [turn] = first.session.turns.value;
    await first.session.edit(turn!.id, 'B');
    const restored = { snapshot: null, records: recordsOf([toStored(first.operations)]) };
    const second = createSession([], { domains, restored });
    await opened(second.session);
    const error = await rejection(second.session.switchTo(turn!.id, { effects: 'follow' }));
    expect(error).toMatchObject({
      code: 'conflict',
      details: { obstacles: [{ turnId: turn!.id, reason: 'not-redoable' }] },
    });
    expect(board.cards).toEqual(['B']);
    await second.session.dispose();
  });
});

describe('an effect whose code an earlier session had', () => {
  it('is lost: a branch command that would undo it rejects `conflict`, unless forced', async () => {
    const domains = [createBoard().domain()];
    const first = createSession(add('A'), { domains });
    await first.session.send('A');
    const { id } = first.session.turns.value[0]!;
    const restored = { snapshot: null, records: recordsOf([toStored(first.operations)]) };
    const second = createSession([say('Hi.')], { domains, restored });
    await opened(second.session);
    const { code, details } = await rejection(second.session.edit(id, 'Greet'));
    expect(code).toBe('conflict');
    expect(details).toMatchObject({ obstacles: [{ turnId: id, reason: 'lost', description: 'Added A' }] });
    await second.session.edit(id, 'Greet', { force: true });
    expect(second.session.turns.value[0]?.stays).toMatchObject([{ description: 'Added A' }]);
    await second.session.dispose();
  });
});

describe('an interrupted turn', () => {
  it('is abandoned before its sibling turn starts', async () => {
    const log = await left();
    const { session, operations } = await openLeft(log, [say('Whole.')]);
    const { text } = await session.regenerate();
    expect(text).toBe('Whole.');
    expect(log.board.cards).toEqual([]);
    expect(session.turns.value.at(-1)?.retryOf).toBe(log.operations[0]?.turnId);
    expect(checkOrder([...log.operations, ...operations])).toEqual([]);
  });

  it('does not change if the command is refused', async () => {
    const provider = scriptedProvider([], { images: false });
    const { session } = await openLeft(await left(), [], { provider });
    expect((await rejection(session.edit('turn_9', 'Hi'))).code).toBe('invalid-input');
    expect((await rejection(session.regenerate({ effects: 'all' as 'keep' }))).code).toBe(
      'invalid-configuration',
    );
    expect((await rejection(session.switchTo('turn_9'))).code).toBe('invalid-input');
    const image = { text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] };
    const { id } = session.liveTurn.value!;
    expect((await rejection(session.edit(id, image))).code).toBe('unsupported');
    expect(session.interrupted.value).not.toBeNull();
  });
});

describe('a follower', () => {
  it('passes branch commands to the writer, and shows the same branches', async () => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const board = createBoard();
    const options = { id: 'chat-1', log, domains: [board.domain()] };
    const writer = createSession(add('A', 'B', 'C'), options, clock);
    await opened(writer.session);
    const follower = createSession([], options, clock);
    await opened(follower.session);
    await writer.session.send('A');
    await clock.advance(100);
    const [first] = follower.session.turns.value;
    await follower.session.regenerate();
    expect(board.titles).toEqual(['B']);
    await follower.session.edit(first!.id, { text: 'C' });
    expect(board.titles).toEqual(['C']);
    const report = await follower.session.switchTo(first!.id, { effects: 'follow' });
    expect(names(report.done)).toEqual(['Added C', 'Added A']);
    expect(await rejection(follower.session.switchTo('turn_9'))).toMatchObject({ code: 'invalid-input' });
    await clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    expect(follower.session.branches.value[first!.id]).toMatchObject({ position: 1 });
    expect(steps(follower.operations).length).toBeGreaterThan(0);
    await follower.session.dispose();
    await writer.session.dispose();
  });
});
