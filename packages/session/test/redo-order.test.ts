// Undo and redo over several turns, calls and domains, and with a history of the app.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  gate,
  recordingHistory,
  say,
  settle,
  spyTool,
  type ScriptedCall,
} from '@banister/testing';
import {
  failed,
  UndoHistory,
  type UndoEntry,
  type UndoProvider,
  type UndoTransaction,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection } from './fixture.js';

const dropCard = (title: string) => ({ tool: 'board.drop', args: { title } });
const turn = (...calls: readonly ScriptedCall[]) => [callTools(...calls), say('Done.')];

describe('redo', () => {
  it('is not possible after the undo of a turn that cannot be redone, not even for later turns', async () => {
    const board = createBoard();
    board.put('A');
    await using f = fixture([...turn(dropCard('A')), ...turn(addCard('B'))], { domains: [board.domain()] });
    await f.session.send('Drop A');
    await f.session.send('Add B');
    await f.session.undo();
    expect(f.session.canRedo.value).toBe(true);
    await f.session.undo();
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo({ force: true }))).code).toBe('nothing-to-undo');
    expect(board.titles).toEqual(['A']);
  });

  it('is refused for a turn if one of its calls cannot be redone', async () => {
    const board = createBoard();
    board.put('A');
    await using f = fixture(turn(dropCard('A'), addCard('B')), { domains: [board.domain()] });
    await f.session.send('Go');
    await f.session.undo();
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    expect(board.titles).toEqual(['A']);
  });

  it('is refused for a call if one of its steps cannot be redone', async () => {
    const there = new Set<string>();
    const put = spyTool('put', {
      execute(_args, { undo }) {
        for (const step of ['a', 'b']) there.add(step);
        undo({ description: 'a', revert: () => void there.delete('a'), reapply: () => void there.add('a') });
        undo({ description: 'b', revert: () => void there.delete('b') });
      },
    });
    await using f = fixture(turn({ tool: 'board.put' }), { domains: [{ id: 'board', tools: [put] }] });
    await f.session.send('Go');
    await f.session.undo();
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    expect([...there]).toEqual([]);
  });

  it('first partial and then complete, leaves a single undo of the turn', async () => {
    const there = new Set<string>();
    let isLocked = false;
    const put = spyTool('put', {
      execute(args, { undo }) {
        const name = String(args.name);
        there.add(name);
        undo({
          description: name,
          revert: () => void there.delete(name),
          reapply: () => (isLocked && name === 'b' ? failed('locked') : void there.add(name)),
        });
      },
    });
    const calls = ['a', 'b'].map((name) => ({ tool: 'board.put', args: { name } }));
    await using f = fixture(turn(...calls), { domains: [{ id: 'board', tools: [put] }] });
    await f.session.send('Go');
    await f.session.undo();
    isLocked = true;
    await f.session.redo();
    isLocked = false;
    await f.session.redo();
    expect([...there]).toEqual(['a', 'b']);
    await f.session.undo();
    expect([...there]).toEqual([]);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
  });
});

describe('the revisions of several domains', () => {
  it('are passed to the history as one JSON object, sorted by id', async () => {
    const [shelf, board] = [createBoard('shelf'), createBoard('board')];
    shelf.put('S');
    const history = recordingHistory();
    await using f = fixture(turn(addCard('A'), { ...addCard('B'), tool: 'shelf.add' }), {
      domains: [shelf.domain(), board.domain()],
      history,
    });
    await f.session.send('Go');
    await f.session.undo();
    const { expected } = history.calls.find(({ method }) => method === 'revert')!;
    expect(expected).toBe('{"board":1,"shelf":2}');
  });

  it('that throw during an undo cause no conflict afterwards', async () => {
    const list: string[] = [];
    let isReadable = true;
    const revision = () => {
      if (!isReadable) throw new Error('locked');
      return `${list.length} items`;
    };
    const push = spyTool('push', {
      execute(_args, { undo }) {
        list.push('item');
        undo({ description: 'Pushed', revert: () => void list.pop() });
      },
    });
    const mark = spyTool('mark', {
      execute(_args, { undo }) {
        list[0] = 'marked';
        undo({
          description: 'Marked',
          revert() {
            list[0] = 'item';
            isReadable = false;
          },
        });
      },
    });
    await using f = fixture([...turn({ tool: 'list.push' }), ...turn({ tool: 'list.mark' })], {
      domains: [{ id: 'list', tools: [push, mark], revision }],
      reportsErrors: true,
    });
    await f.session.send('One');
    await f.session.send('Two');
    await f.session.undo();
    expect(list).toEqual(['item']);
    expect(f.reported.map(String)).toContain('Error: locked');
    isReadable = true;
    await f.session.undo();
    expect(list).toEqual([]);
  });
});

describe('a history of the app', () => {
  it('may itself revert an effect', async () => {
    const board = createBoard();
    const entries: UndoEntry[] = [];
    const inner = new UndoHistory();
    const history: UndoProvider = {
      begin(label) {
        const transaction = inner.begin(label);
        return {
          ...transaction,
          record: (entry) => {
            entries.push(entry);
            return transaction.record(entry);
          },
        };
      },
    };
    await using f = fixture(turn(addCard('A')), { domains: [board.domain()], history });
    await f.session.send('Go');
    await entries[0]?.revert?.(undefined);
    expect(board.titles).toEqual([]);
  });

  it("whose transaction opens after a cancel with `sideEffects: 'keep'` gets `rollback`", async () => {
    const opening = gate();
    const rolledBack: unknown[] = [];
    const transaction: UndoTransaction = {
      record() {},
      commit: () => Promise.reject(new Error('nothing to commit')),
      rollback: (expected) => {
        rolledBack.push(expected);
        return Promise.resolve({ done: [], failed: [], irreversible: [] });
      },
    };
    const begin = async () => {
      await opening.pass();
      return transaction;
    };
    await using f = fixture([], { history: { begin } });
    const sent = rejection(f.session.send('Go'));
    await opening.reached;
    const report = await f.session.cancel({ sideEffects: 'keep' });
    expect((await sent).code).toBe('cancelled');
    expect(names(report.completed)).toEqual([]);
    opening.open();
    await settle();
    expect(rolledBack).toEqual([undefined]);
  });
});
