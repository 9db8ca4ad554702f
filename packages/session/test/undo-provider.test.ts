// The app's own undo history, and what happens when it fails.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, recordingHistory, say, settle, spyTool } from '@banister/testing';
import { UndoHistory, type Tool, type UndoProvider } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, outline, rejection } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('custom histories', () => {
  it('a history gets `commit` or `rollback` of every turn, unless its transaction is droppable', async () => {
    for (const droppable of [undefined, true]) {
      const ended: string[] = [];
      const none = { done: [], failed: [], irreversible: [] };
      const history: UndoProvider = {
        begin: () => ({
          ...(droppable ? { droppable } : {}),
          record: () => {},
          commit: () =>
            Promise.resolve(ended.push('commit')).then(() => ({ revert: () => Promise.resolve(none) })),
          rollback: () => Promise.resolve(ended.push('rollback')).then(() => none),
        }),
      };
      await using f = fixture([say('Hello.'), fail('auth')], { history });
      await f.session.send('Go');
      await rejection(f.session.send('Go'));
      expect(ended).toEqual(droppable ? [] : ['commit', 'rollback']);
    }
  });

  it('begin that throws fails the turn with undo-failed, before the first request', async () => {
    const history = recordingHistory({ begin: 'throw' });
    await using f = fixture([], { history });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    expect(f.provider.requests).toHaveLength(0);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    history.faults = {};
    f.provider.push(say('Fine.'));
    expect((await f.session.retry()).text).toBe('Fine.');
  });

  it('commit that throws rolls back and fails the turn with undo-failed; no assistant message', async () => {
    const board = createBoard();
    const history = recordingHistory({ commit: 'throw' });
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('undo-failed');
    expect(history.calls.map((call) => call.method)).toEqual(['begin', 'record', 'commit', 'rollback']);
    expect(board.titles).toEqual([]);
    expect(outline(f.session.conversation.value.messages).at(-1)).toBe('user: result success');
    expect(f.observed.types).not.toContain('committed');
  });

  it('commit that hangs is given up, and rolled back', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), {
      domains: [board.domain()],
      history: recordingHistory({ commit: 'hang' }),
    });
    const turn = f.session.send('Go');
    await f.clock.advance(5_000);
    expect((await rejection(turn)).code).toBe('undo-failed');
    expect(board.titles).toEqual([]);
  });

  it('record that throws fails the turn, and the effects are still rolled back or reported', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      history: recordingHistory({ record: 'throw' }),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    const report = f.session.lastOutcome.value?.report;
    const mentioned = [...(report?.done ?? []), ...(report?.failed ?? []), ...(report?.irreversible ?? [])];
    expect(names(mentioned)).toEqual(['Added A']);
    expect(names(report?.done ?? [])).toEqual(board.titles.length === 0 ? ['Added A'] : []);
  });

  it.each(['throw', 'hang'] as const)(
    'record that fails (%s) and is rolled back leaves the turn before undoable, unless the user edits the board',
    async (fault) => {
      const board = createBoard();
      const history = recordingHistory();
      const model = [...addTurn('A'), callTools(addCard('B'))];
      await using f = fixture(model, { domains: [board.domain()], history });
      await f.session.send('Go');
      history.faults = { record: fault };
      const turn = f.session.send('Go on');
      await f.clock.advance(60_000);
      expect((await rejection(turn)).code).toBe('undo-failed');
      expect(board.titles).toEqual(['A']);
      expect(names((await f.session.undo()).done)).toEqual(['Added A']);
      await f.session.redo();
      board.put('Mine');
      expect((await rejection(f.session.undo())).code).toBe('conflict');
      expect(board.titles).toEqual(['A', 'Mine']);
    },
  );

  it.each(['throw', 'hang'] as const)(
    'rollback that fails (%s) reports every effect as still there',
    async (fault) => {
      const board = createBoard();
      await using f = fixture([callTools(addCard('A'), addCard('B')), fail('auth')], {
        domains: [board.domain()],
        history: recordingHistory({ rollback: fault }),
      });
      const turn = f.session.send('Go');
      await f.clock.advance(60_000);
      await rejection(turn);
      expect(board.titles).toEqual(['A', 'B']);
      expect(f.session.lastOutcome.value?.report?.done).toEqual([]);
      expect(names(f.session.lastOutcome.value?.report?.failed ?? []).toSorted()).toEqual([
        'Added A',
        'Added B',
      ]);
    },
  );

  it.each(['throw', 'hang'] as const)(
    'revert that fails (%s) leaves the turn undoable and is reported as failed',
    async (fault) => {
      const board = createBoard();
      const history = recordingHistory({ revert: fault });
      await using f = fixture(addTurn('A'), { domains: [board.domain()], history });
      await f.session.send('Go');
      const undo = f.session.undo();
      await f.clock.advance(60_000);
      expect(names((await undo).failed)).toEqual(['Added A']);
      expect(f.session.canUndo.value).toBe(true);
      history.faults = {};
      expect(names((await f.session.undo()).done)).toEqual(['Added A']);
      expect(board.titles).toEqual([]);
    },
  );

  it.each([0, 2])(
    'an undo that hangs is given up after the time of each of its %i steps and one more',
    async (steps) => {
      const noting = spyTool('note', {
        execute(_args, { undo }) {
          for (let step = 0; step < steps; step++) undo({ description: 'Note', revert: () => {} });
        },
      });
      await using f = fixture([callTools({ tool: 'board.note' }, addCard('A')), say('Done.')], {
        domains: [createBoard().domain(noting)],
        history: recordingHistory({ revert: 'hang' }),
      });
      await f.session.send('Go');
      const undo = f.session.undo();
      // That of the card is a step too.
      await f.clock.advance((steps + 2) * 5_000 - 1);
      expect(f.session.phase.value).toBe('rolling-back');
      await f.clock.advance(1);
      expect((await undo).failed).toMatchObject([
        { reason: expect.stringContaining(`${(steps + 2) * 5_000} ms`) },
        {},
      ]);
    },
  );

  it('an effect that a history forgets is reported as irreversible', async () => {
    await using f = fixture([callTools({ tool: 'board.one' }, { tool: 'board.two' }), fail('auth')], {
      domains: domain(spyTool('one'), spyTool('two')),
      history: {
        begin: () => ({
          record: () => {},
          commit: () => Promise.reject(new Error('unused')),
          rollback: () =>
            Promise.resolve({
              done: [{ toolCallId: 'call_1', toolName: 'board.one', description: 'board.one' }],
              failed: [],
              irreversible: [],
            }),
        }),
      },
    });
    await rejection(f.session.send('Go'));
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['board.one']);
    expect(names(f.session.lastOutcome.value?.report?.irreversible ?? [])).toEqual(['board.two']);
  });

  it('one that opens after the turn ended is rolled back at once', async () => {
    let arrive: () => void = () => {};
    const rollback = vi.fn(() => Promise.resolve({ done: [], failed: [], irreversible: [] }));
    await using f = fixture([], {
      history: {
        begin: () =>
          new Promise((resolve) => {
            arrive = () =>
              resolve({ record: () => {}, commit: () => Promise.reject(new Error('unused')), rollback });
          }),
      },
    });
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    arrive();
    await settle();
    expect(rollback).toHaveBeenCalledTimes(1);
  });

  it('one that returns no report does not break the session', async () => {
    await using f = fixture([callTools({ tool: 'board.one' }), fail('auth')], {
      domains: domain(spyTool('one')),
      history: {
        begin: () => ({
          record: () => {},
          commit: () => Promise.reject(new Error('unused')),
          rollback: () => Promise.resolve(undefined as never),
        }),
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('auth');
    expect(names(f.session.lastOutcome.value?.report?.failed ?? [])).toEqual(['board.one']);
  });

  const acting = () =>
    spyTool('one', { execute: (_args, { undo }) => undo({ description: 'One', revert() {} }) });

  it.each([
    ['an item that is null', { done: [null], failed: [], irreversible: [] }],
    ['an item that is a text', { done: ['call_1'], failed: [], irreversible: [] }],
    ['an id that is no text', { done: [{ toolCallId: 1n }], failed: [], irreversible: [] }],
    ['no report', undefined],
  ])('one whose report has %s has taken back nothing, and the session goes on', async (_what, report) => {
    const answer = () => Promise.resolve(report as never);
    await using f = fixture(
      [
        callTools({ tool: 'board.one' }),
        say('Done.'),
        callTools({ tool: 'board.one' }),
        fail('auth'),
        say('On.'),
      ],
      {
        domains: domain(acting()),
        history: {
          begin: () => ({
            record: () => {},
            commit: () => Promise.resolve({ revert: answer }),
            rollback: answer,
          }),
        },
      },
    );
    await f.session.send('Go');
    expect(names((await f.session.undo()).failed)).toEqual(['One']);
    expect(f.session.phase.value).toBe('idle');
    expect((await rejection(f.session.send('Again'))).code).toBe('auth');
    expect(names(f.session.lastOutcome.value?.report?.failed ?? [])).toEqual(['One']);
    expect((await f.session.send('On')).text).toBe('On.');
  });

  it('one that reports its own entries keeps them as they are: the report is a copy, as JSON', async () => {
    const entries: object[] = [];
    const report = () => Promise.resolve({ done: entries, failed: [], irreversible: [] } as never);
    await using f = fixture([callTools({ tool: 'board.one' }), say('Done.')], {
      domains: domain(acting()),
      history: {
        begin: () => ({
          record: (entry) => void entries.push({ ...entry, shown: false }),
          commit: () => Promise.resolve({ revert: report }),
          rollback: report,
        }),
      },
    });
    await f.session.send('Go');
    const { done } = await f.session.undo();
    expect(done).toEqual([{ toolCallId: expect.any(String), toolName: 'board.one', description: 'One' }]);
    expect(Object.isFrozen(entries[0])).toBe(false);
  });

  it.each([
    ['no object', 5],
    ['an object without its methods', {}],
  ])('begin that gives %s fails the turn with undo-failed', async (_what, transaction) => {
    await using f = fixture([], { history: { begin: () => transaction as never } });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    expect(f.observed.types.slice(-3)).toEqual(['rollbackStarted', 'rolledBack', 'failed']);
  });

  it.each([
    ['nothing', undefined],
    ['no function revert', {}],
  ])('commit that gives %s fails the turn with undo-failed', async (_what, committed) => {
    const none = { done: [], failed: [], irreversible: [] };
    await using f = fixture([callTools({ tool: 'board.one' }), say('Done.')], {
      domains: domain(acting()),
      history: {
        begin: () => ({
          record: () => {},
          commit: () => Promise.resolve(committed as never),
          rollback: () => Promise.resolve(none),
        }),
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
  });

  it('record that hangs is given up after 5 s, and what was done is taken back', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      history: recordingHistory({ record: 'hang' }),
    });
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    expect((await turn).code).toBe('undo-failed');
    expect(board.titles).toEqual([]);
  });

  it.each([
    ['kept', 'keep'],
    ['taken back', 'rollback'],
  ] as const)(
    'an effect that is %s while its record hangs is no edit of the user: the turn before can be undone',
    async (_fate, sideEffects) => {
      const board = createBoard();
      const history = recordingHistory();
      await using f = fixture([...addTurn('A'), callTools(addCard('B'))], {
        domains: [board.domain()],
        history,
      });
      await f.session.send('First');
      history.faults = { record: 'hang' };
      const second = rejection(f.session.send('Second'));
      await settle();
      expect(board.titles).toEqual(['A', 'B']);
      await f.session.cancel({ immediate: true, sideEffects });
      await second;
      history.faults = {};
      const kept = sideEffects === 'keep' ? ['B'] : [];
      expect(board.titles).toEqual(['A', ...kept]);
      expect(names((await f.session.undo()).done)).toEqual(['Added A']);
      expect(board.titles).toEqual(kept);
    },
  );

  it('an effect that the history refused is taken back first', async () => {
    let title = 'Mine';
    const order: string[] = [];
    const set = spyTool('set', {
      execute: ({ to }, context) => {
        const before = title;
        title = String(to);
        context.undo({
          description: String(to),
          revert: () => {
            order.push(String(to));
            title = before;
          },
        });
      },
    });
    const inner = new UndoHistory();
    let records = 0;
    const history: UndoProvider = {
      begin: (label) => {
        const transaction = inner.begin(label);
        return {
          record: async (entry) => {
            if (++records === 2) throw new Error('The app refuses.');
            await transaction.record(entry);
          },
          commit: () => transaction.commit(),
          rollback: (expected) => transaction.rollback(expected),
        };
      },
    };
    const calls = ['A', 'B'].map((to) => ({ tool: 'board.set', args: { to } }));
    await using f = fixture([callTools(...calls)], { domains: domain(set), history });
    expect((await rejection(f.session.send('Go'))).code).toBe('undo-failed');
    expect(order).toEqual(['B', 'A']);
    expect(title).toBe('Mine');
    expect(names(f.session.lastOutcome.value!.report!.done).toSorted()).toEqual(['A', 'B']);
  });
});
