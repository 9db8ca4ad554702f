// Redo that fails: an effect that was not done again is never recorded as done.
import { describe, expect, it } from 'vitest';
import { callTools, recordingHistory, say, spyTool } from '@banister/testing';
import { failed, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection } from './fixture.js';

/** A tool whose effect is `steps` names in a set; `locked` names cannot be put back. */
function shelf() {
  const there = new Set<string>();
  const locked = new Set<string>();
  const put = (name: string, steps: readonly string[]): Tool =>
    spyTool(name, {
      execute(_args, context) {
        for (const step of steps) {
          there.add(step);
          context.undo({
            description: step,
            revert: () => void there.delete(step),
            reapply: () => (locked.has(step) ? failed('locked') : void there.add(step)),
          });
        }
      },
    });
  return { there, locked, put };
}

describe('a redo that fails', () => {
  it('C7: completely can be tried again, and is not recorded as done', async () => {
    const { there, locked, put } = shelf();
    await using f = fixture([callTools({ tool: 'board.a' }), say('Done.')], {
      domains: [{ id: 'board', tools: [put('a', ['a'])] }],
    });
    await f.session.send('Go');
    await f.session.undo();
    locked.add('a');
    const report = await f.session.redo();
    expect(names(report.failed)).toEqual(['a']);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([false, true]);
    expect(f.session.undoEntries.value).toMatchObject([{ state: 'undone' }]);
    expect(f.session.turns.value[0]?.undo?.state).toBe('undone');
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
    locked.clear();
    expect(names((await f.session.redo()).done)).toEqual(['a']);
    expect([...there]).toEqual(['a']);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([true, false]);
  });

  it('C7: a redo that fails in part can be undone as far as it went', async () => {
    const { there, locked, put } = shelf();
    await using f = fixture([callTools({ tool: 'board.a' }, { tool: 'board.b' }), say('Done.')], {
      domains: [{ id: 'board', tools: [put('a', ['a']), put('b', ['b'])] }],
    });
    await f.session.send('Go');
    await f.session.undo();
    locked.add('b');
    await f.session.redo();
    expect([...there]).toEqual(['a']);
    expect(f.session.undoEntries.value).toMatchObject([{ state: 'partly-redone' }]);
    expect(f.session.turns.value[0]?.undo?.state).toBe('partly-redone');
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([true, true]);
    const report = await f.session.undo();
    expect(names(report.done)).toEqual(['a']);
    expect(report).toMatchObject({ failed: [], irreversible: [] });
    expect([...there]).toEqual([]);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([false, true]);
    locked.clear();
    await f.session.redo();
    expect([...there]).toEqual(['a', 'b']);
  });

  it('C7: another redo completes a redo that failed in part', async () => {
    const { there, locked, put } = shelf();
    await using f = fixture([callTools({ tool: 'board.a' }, { tool: 'board.b' }), say('Done.')], {
      domains: [{ id: 'board', tools: [put('a', ['a']), put('b', ['b'])] }],
    });
    await f.session.send('Go');
    await f.session.undo();
    locked.add('a');
    expect(names((await f.session.redo()).done)).toEqual(['b']);
    locked.clear();
    expect(names((await f.session.redo()).done)).toEqual(['a']);
    expect([...there]).toEqual(['b', 'a']);
    expect(f.session.undoEntries.value).toMatchObject([{ state: 'done' }]);
    expect([f.session.canUndo.value, f.session.canRedo.value]).toEqual([true, false]);
    expect(names((await f.session.undo()).done)).toEqual(['b', 'a']);
    expect([...there]).toEqual([]);
  });

  it('C7: in the middle of a call leaves only effects that undo reverts', async () => {
    const { there, locked, put } = shelf();
    await using f = fixture([callTools({ tool: 'board.a' }), say('Done.')], {
      domains: [{ id: 'board', tools: [put('a', ['a1', 'a2'])] }],
    });
    await f.session.send('Go');
    await f.session.undo();
    locked.add('a2');
    expect((await f.session.redo()).failed).toHaveLength(1);
    if (f.session.canUndo.value) await f.session.undo();
    expect([...there]).toEqual([]);
    locked.clear();
    await f.session.redo();
    expect([...there]).toEqual(['a1', 'a2']);
  });

  it('C7: because the history fails can be tried again', async () => {
    const board = createBoard();
    const history = recordingHistory({ reapply: 'throw' });
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()], history });
    await f.session.send('Go');
    await f.session.undo();
    expect(names((await f.session.redo()).failed)).toEqual(['Added A']);
    expect(f.session.canRedo.value).toBe(true);
    history.faults = {};
    await f.session.redo();
    expect(board.titles).toEqual(['A']);
  });

  it('C7: in part does not affect the previous turn, and a new turn makes it unredoable', async () => {
    const { there, locked, put } = shelf();
    const turn = (...tools: string[]) => [
      callTools(...tools.map((tool) => ({ tool: `board.${tool}` }))),
      say('Done.'),
    ];
    await using f = fixture([...turn('a'), ...turn('b', 'c'), ...turn('d')], {
      domains: [{ id: 'board', tools: ['a', 'b', 'c', 'd'].map((name) => put(name, [name])) }],
    });
    await f.session.send('One');
    await f.session.send('Two');
    await f.session.undo();
    locked.add('c');
    await f.session.redo();
    await f.session.send('Three');
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    expect([...there]).toEqual(['a', 'b', 'd']);
    for (const left of [['a', 'b'], ['a'], []]) {
      await f.session.undo();
      expect([...there]).toEqual(left);
    }
    expect(f.session.canUndo.value).toBe(false);
  });

  it.each([
    ['wholly', ['a', 'b'], false, [/undid these effects: \\"a\\" \(board\.a\); \\"b/]],
    [
      'in part',
      ['b'],
      false,
      [/re-did these effects, they are in effect: \\"a\\" \(board\.a\)\./, /not in effect: \\"b/],
    ],
    ['in part, and was then undone', ['b'], true, [/undid these effects: \\"a\\" \(board\.a\); \\"b/]],
  ] as const)('C7: %s is listed correctly in the next request', async (_name, locks, undone, expected) => {
    const { locked, put } = shelf();
    await using f = fixture(
      [callTools({ tool: 'board.a' }, { tool: 'board.b' }), say('Done.'), say('I see.')],
      { domains: [{ id: 'board', tools: [put('a', ['a']), put('b', ['b'])] }] },
    );
    await f.session.send('Go');
    await f.session.undo();
    for (const name of locks) locked.add(name);
    await f.session.redo();
    if (undone) await f.session.undo();
    await f.session.send('Next');
    const note = JSON.stringify(f.provider.requests.at(-1)?.messages.at(-1)?.parts[0]);
    for (const line of expected) expect(note).toMatch(line);
    expect(note).not.toMatch(/still in effect/);
  });
});
