// One transaction a turn; what is recorded, committed, rolled back.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, finishWith, recordingHistory, say, spyTool } from '@banister/testing';
import { conflict, denied, denyTools, failed, stop, UndoHistory, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';

const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('a transaction', () => {
  it('opens once a turn, labelled with the message of the user, and commits once', async () => {
    const history = recordingHistory();
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), callTools(addCard('C')), say('Done.')], {
      domains: [board.domain()],
      history,
    });
    await f.session.send('Add three cards');
    expect(history.calls.map((call) => call.method)).toEqual([
      'begin',
      'record',
      'record',
      'record',
      'commit',
    ]);
    expect(history.calls[0]?.label).toBe('Add three cards');
    expect(f.session.undoEntries.value.map((turn) => turn.label)).toEqual(['Add three cards']);
  });

  it('rolls back once, newest first, on any failure', async () => {
    const history = recordingHistory();
    const order: string[] = [];
    const work = spyTool('work', {
      execute(args, context) {
        const name = String(args.name);
        context.undo({ description: name, revert: () => void order.push(name) });
      },
    });
    await using f = fixture(
      [
        callTools({ tool: 'board.work', args: { name: 'A' } }, { tool: 'board.work', args: { name: 'B' } }),
        callTools({ tool: 'board.work', args: { name: 'C' } }),
        fail('auth'),
      ],
      { domains: domain(work), history },
    );
    await rejection(f.session.send('Go'));
    expect(order).toEqual(['C', 'B', 'A']);
    expect(history.calls.filter((call) => call.method === 'rollback')).toHaveLength(1);
    expect(history.calls.filter((call) => call.method === 'commit')).toHaveLength(0);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['C', 'B', 'A']);
  });

  it('reverts the newest step of one call first', async () => {
    const order: string[] = [];
    const work = spyTool('work', {
      execute(_args, context) {
        context.undo({ description: 'first', revert: () => void order.push('first') });
        context.undo({ description: 'second', revert: () => void order.push('second') });
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), fail('auth')], {
      domains: domain(work),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    expect(order).toEqual(['second', 'first']);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['first; second']);
  });

  it.each([
    ['a provider error', [callTools(addCard('A')), fail('model')], {}, 'model'],
    ['a limit', [callTools(addCard('A')), say('x')], { maxRounds: 1 }, 'max-rounds'],
  ] as const)('rolls back on %s', async (_name, answers, limits, code) => {
    const board = createBoard();
    await using f = fixture(answers, {
      domains: [board.domain()],
      history: new UndoHistory(),
      limits,
      looseScript: true,
    });
    expect((await rejection(f.session.send('Go'))).code).toBe(code);
    expect(board.titles).toEqual([]);
    expect(f.session.canUndo.value).toBe(false);
  });

  it('U1 reverts exactly the effects that exist when a later tool throws and the turn then fails', async () => {
    const board = createBoard();
    const broken = spyTool('broken', {
      execute() {
        throw new Error('no');
      },
    });
    await using f = fixture([callTools(addCard('A'), { tool: 'board.broken' }, addCard('C')), fail('auth')], {
      domains: [board.domain(broken)],
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    expect(f.session.lastOutcome.value?.report).toEqual({
      done: [
        expect.objectContaining({ toolName: 'board.add', description: 'Added C' }),
        expect.objectContaining({ toolName: 'board.add', description: 'Added A' }),
      ],
      failed: [],
      irreversible: [],
      lost: [],
      unknown: [],
    });
    expect(board.titles).toEqual([]);
  });
});

describe('the entries of a transaction', () => {
  it('one entry for each success of a call that is not readOnly, with call id, tool name and description', async () => {
    const history = recordingHistory();
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), { tool: 'board.list' }, addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history,
    });
    await f.session.send('Go');
    expect(history.added).toHaveLength(2);
    expect(history.added[0]).toMatchObject({
      toolCallId: 'call_1',
      toolName: 'board.add',
      description: 'Added A',
    });
    expect(history.added[0]?.revert).toBeTypeOf('function');
    expect(history.added[0]?.reapply).toBeTypeOf('function');
  });

  it('has the closures that the tool gave, and no others', async () => {
    const history = recordingHistory();
    const noting = (name: string, ...undos: readonly object[]) =>
      spyTool(name, {
        execute(_args, context) {
          for (const undo of undos) context.undo({ description: name, ...undo } as never);
        },
      });
    const revert = () => {};
    await using f = fixture(
      [
        callTools(
          { tool: 'board.silent' },
          { tool: 'board.published' },
          { tool: 'board.reverted' },
          { tool: 'board.partly' },
        ),
        say('Done.'),
      ],
      {
        domains: domain(
          spyTool('silent'),
          spyTool('published', { irreversible: true }),
          noting('reverted', { revert }),
          noting('partly', { revert, reapply: revert }, { revert }),
        ),
        history,
      },
    );
    await f.session.send('Go');
    const fields = history.added.map(({ position: _place, ...entry }) =>
      Object.keys(entry).slice(2).join(' '),
    );
    expect(fields).toEqual([
      'description',
      'description irreversible',
      'description revert',
      'description revert',
    ]);
  });

  it('nothing for calls that failed, were denied, conflicted or never ran', async () => {
    const history = recordingHistory();
    await using f = fixture(
      [
        callTools(
          { tool: 'board.fails' },
          { tool: 'board.conflicts' },
          { tool: 'board.denied' },
          { tool: 'board.nowhere' },
        ),
        say('Done.'),
      ],
      {
        domains: domain(
          spyTool('fails', { execute: () => failed('no') }),
          spyTool('conflicts', { execute: () => conflict(1, 2) }),
          spyTool('denied'),
        ),
        guards: [denyTools('board.denied')],
        history,
      },
    );
    await f.session.send('Go');
    expect(history.added).toEqual([]);
    expect(f.session.undoEntries.value).toEqual([]);
    expect(f.session.canUndo.value).toBe(false);
  });

  it('one entry for a failed call that noted an effect', async () => {
    const revert = vi.fn();
    const half = spyTool('half', {
      execute(_args, context) {
        context.undo({ description: 'Half done', revert });
        return failed('the other half did not work');
      },
    });
    await using f = fixture([callTools({ tool: 'board.half' }), fail('auth')], {
      domains: domain(half),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    expect(revert).toHaveBeenCalledTimes(1);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['Half done']);
  });

  it('a stopped turn commits and can be undone', async () => {
    const revert = vi.fn();
    const last = spyTool('last', {
      execute(_args, context) {
        context.undo({ description: 'Last', revert });
        return stop('enough');
      },
    });
    await using f = fixture([callTools({ tool: 'board.last' })], {
      domains: domain(last),
      history: new UndoHistory(),
    });
    expect((await f.session.send('Go')).status).toBe('stopped');
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(revert).toHaveBeenCalledTimes(1);
  });

  it('an answer cut by the token limit commits the effects of earlier rounds', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), finishWith('length', 'And th')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    expect((await f.session.send('Go')).stop?.kind).toBe('length');
    expect(board.titles).toEqual(['A']);
    expect(f.session.canUndo.value).toBe(true);
  });
});

describe('an effect that cannot be reverted', () => {
  const silent = spyTool('silent');
  const mail = spyTool('mail', {
    execute(_args, context) {
      context.undo({ description: 'Changed the card', revert: () => {} });
      context.irreversible('Sent a mail');
    },
  });
  const publish = spyTool('publish', { irreversible: true });

  it('a mutating success without a revert is reported as irreversible, never as done', async () => {
    await using f = fixture([callTools({ tool: 'board.silent' }), fail('auth')], {
      domains: domain(silent),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    const report = f.session.lastOutcome.value?.report;
    expect(report?.done).toEqual([]);
    expect(report?.failed).toEqual([]);
    expect(names(report?.irreversible ?? [])).toEqual(['board.silent']);
  });

  it('U7 a declared or noted irreversible effect stays in the report even though its other half was reverted', async () => {
    await using f = fixture([callTools({ tool: 'board.mail' }, { tool: 'board.publish' }), fail('auth')], {
      domains: domain(mail, publish),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    const report = f.session.lastOutcome.value?.report;
    expect(report?.done).toEqual([]);
    expect(names(report?.irreversible ?? [])).toEqual(['board.publish', 'Changed the card; Sent a mail']);
  });

  it('with `history: null` nothing is reverted, and every effect is reported as irreversible', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), fail('auth')], {
      domains: [board.domain()],
      history: null,
    });
    await rejection(f.session.send('Go'));
    expect(board.titles).toEqual(['A']);
    expect(f.session.lastOutcome.value?.report).toMatchObject({ done: [], failed: [] });
    expect(names(f.session.lastOutcome.value?.report?.irreversible ?? [])).toEqual(['Added A']);
  });

  it('without a history a committed turn is listed as irreversible and is not undoable', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      history: null,
    });
    await f.session.send('Go');
    expect(f.session.canUndo.value).toBe(false);
    expect(f.session.undoEntries.value).toMatchObject([
      { undoable: false, redoable: false, irreversible: true },
    ]);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
  });

  it('a committed turn of irreversible effects only is not undoable, one with others is and reports them', async () => {
    const board = createBoard();
    await using f = fixture(
      [
        callTools({ tool: 'board.publish' }),
        say('Done.'),
        callTools({ tool: 'board.publish' }, addCard('A')),
        say('Done.'),
      ],
      { domains: [board.domain(publish)], history: new UndoHistory() },
    );
    await f.session.send('Go');
    expect(f.session.canUndo.value).toBe(false);
    await f.session.send('Go');
    expect(f.session.undoEntries.value.at(-1)).toMatchObject({ undoable: true, irreversible: true });
    const report = await f.session.undo();
    expect(names(report.done)).toEqual(['Added A']);
    expect(names(report.irreversible)).toEqual(['board.publish']);
  });

  it('a turn without entries is not undoable', async () => {
    await using f = fixture([callTools({ tool: 'board.list' }), say('Hello.')], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    expect(f.session.canUndo.value).toBe(false);
    expect(f.session.undoEntries.value).toEqual([]);
    expect((await rejection(f.session.undo())).code).toBe('nothing-to-undo');
  });
});

describe('a revert that goes wrong', () => {
  const work = (name: string, revert: () => unknown): Tool =>
    spyTool(name, {
      execute: (_args, context) => context.undo({ description: name, revert: revert as () => void }),
    });
  const answers = () => [
    callTools({ tool: 'board.one' }, { tool: 'board.two' }, { tool: 'board.three' }),
    fail('auth'),
  ];

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'broken',
    ],
    ['rejects', () => Promise.reject(new Error('broken')), 'broken'],
    ['answers conflict', () => conflict('a', 'b'), 'changed in the meantime'],
    ['answers failed', () => failed('not possible'), 'not possible'],
    [
      'answers failed, with words for the user',
      () => failed('no', { forUser: 'Not possible.' }),
      'Not possible.',
    ],
    [
      'answers denied, with words for the user',
      () => denied('no', { forUser: 'Not allowed.' }),
      'Not allowed.',
    ],
  ] as const)(
    'U2 %s: the others are still reverted, the report lists the one that is still in effect',
    async (_name, revert, reason) => {
      const others = vi.fn();
      await using f = fixture(answers(), {
        domains: domain(work('one', others), work('two', revert), work('three', others)),
        history: new UndoHistory(),
      });
      await rejection(f.session.send('Go'));
      const report = f.session.lastOutcome.value?.report;
      expect(others).toHaveBeenCalledTimes(2);
      expect(names(report?.done ?? [])).toEqual(['three', 'one']);
      expect(report?.failed).toMatchObject([{ description: 'two', reason: expect.stringContaining(reason) }]);
    },
  );

  it('U2 a hanging revert is given up after 5 s, and the others still run', async () => {
    const others = vi.fn();
    await using f = fixture(answers(), {
      domains: domain(
        work('one', others),
        work('two', () => new Promise(() => {})),
        work('three', others),
      ),
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await f.clock.advance(4_999);
    expect(f.session.phase.value).toBe('rolling-back');
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    await rejection(turn);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['three', 'one']);
    expect(f.session.lastOutcome.value?.report?.failed).toMatchObject([
      { description: 'two', reason: expect.stringContaining('5000 ms') },
    ]);
  });

  it('U2 two hanging reverts each get their 5 s', async () => {
    const hang = () => new Promise(() => {});
    const others = vi.fn();
    await using f = fixture(answers(), {
      domains: domain(work('one', others), work('two', hang), work('three', hang)),
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await f.clock.advance(10_000);
    await rejection(turn);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['one']);
    expect(names(f.session.lastOutcome.value?.report?.failed ?? [])).toEqual(['three', 'two']);
  });

  it('the next request lists the effects that are still there', async () => {
    await using f = fixture([...answers(), say('I see.')], {
      domains: domain(
        work('one', () => {}),
        work('two', () => failed('no')),
        spyTool('three'),
      ),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    const before = f.session.conversation.value.messages;
    await f.session.send('Next');
    const note = JSON.stringify(f.provider.requests.at(-1)?.messages.at(-1));
    expect(note).toMatch(/failed/);
    expect(note).toMatch(/reverted: \\"one\\" \(board\.one\)/);
    expect(note).toMatch(/could not be reverted and are still in effect: \\"two/);
    expect(note).toMatch(/cannot be reverted and are still in effect: \\"board\.three/);
    // The note is in the copy alone.
    expect(JSON.stringify(f.session.conversation.value.messages)).not.toContain('still in effect');
    before.forEach((message, i) => expect(f.session.conversation.value.messages[i]).toBe(message));
  });
});

describe('a call that conflicts', () => {
  it('is answered with both revisions, and the turn goes on', async () => {
    await using f = fixture([callTools({ tool: 'board.edit' }), say('I look again.')], {
      domains: domain(spyTool('edit', { execute: () => conflict(3, 4) })),
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    const [text] = resultTexts(f.provider.requests[1]!);
    expect(text).toMatch(/expected revision 3, found 4/);
  });
});
