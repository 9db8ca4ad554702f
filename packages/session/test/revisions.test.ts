// Section 7 of the contract, revisions: the user's own edits during a turn and between turns.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, gatedTool, recordingHistory, say, settle, spyTool, stall } from '@handrail/testing';
import { conflict, UndoHistory, type Domain, type Revision } from '@handrail/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];

/** A domain with a counter that tools and the user move. */
function counter(id = 'doc') {
  let version = 0;
  const seen: Revision[] = [];
  const edit = spyTool('edit', {
    execute(_args, context) {
      seen.push(context.revision);
      version++;
      context.undo({ description: 'edit', revert: () => void version++, reapply: () => void version++ });
    },
  });
  const strict = spyTool('strict', {
    execute(_args, { revision }) {
      seen.push(revision);
      return revision === version ? undefined : conflict(revision ?? -1, version);
    },
  });
  const domain: Domain = { id, tools: [edit, strict], revision: () => version };
  return {
    domain,
    seen,
    get version() {
      return version;
    },
    user: () => void version++,
  };
}

describe('the expected revision', () => {
  it('is the one read when the request was built, advanced by the own calls of the turn alone', async () => {
    const doc = counter();
    await using f = fixture(
      [
        callTools({ tool: 'doc.edit' }, { tool: 'doc.edit', args: { n: 2 } }),
        callTools({ tool: 'doc.edit', args: { n: 3 } }),
        say('Done.'),
      ],
      { domains: [doc.domain] },
    );
    await f.session.send('Go');
    expect(doc.seen).toEqual([0, 1, 2]);
  });

  it('does not follow an edit by the user while the model writes: the executor can answer conflict', async () => {
    const doc = counter();
    const more = gate();
    await using f = fixture([callTools('Hm', more, { tool: 'doc.strict' }), callTools({ tool: 'doc.strict' }), say('Done.')], {
      domains: [doc.domain],
    });
    const turn = f.session.send('Go');
    await more.reached;
    doc.user();
    more.open();
    await turn;
    // Asked again, the model knew the state.
    expect(doc.seen).toEqual([0, 1]);
    expect(resultTexts(f.provider.requests[2]!)).toEqual([expect.stringMatching(/expected revision 0, found 1/), '']);
  });

  it('does not follow an edit by the user between two calls of a batch', async () => {
    const doc = counter();
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'doc.edit' }, { tool: 'other.slow' }, { tool: 'doc.strict' }), say('Done.')], {
      domains: [doc.domain, { id: 'other', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    doc.user();
    run.settle();
    await turn;
    expect(doc.seen).toEqual([0, 1]);
    expect(resultTexts(f.provider.requests[1]!)[2]).toMatch(/expected revision 1, found 2/);
  });

  it('a call that ran on a state that the model did not know does not hide that from the next one', async () => {
    const doc = counter();
    const more = gate();
    await using f = fixture([callTools('Hm', more, { tool: 'doc.edit' }, { tool: 'doc.strict' }), say('Done.')], {
      domains: [doc.domain],
    });
    const turn = f.session.send('Go');
    await more.reached;
    doc.user();
    more.open();
    await turn;
    expect(resultTexts(f.provider.requests[1]!)[1]).toMatch(/expected revision 0, found 2/);
  });

  it('is undefined for a domain without revision, and for one whose revision throws', async () => {
    const seen: Revision[] = [];
    const look = spyTool('look', { execute: (_args, context) => void seen.push(context.revision) });
    const revision = () => {
      throw new Error('no');
    };
    await using f = fixture([callTools({ tool: 'a.look' }, { tool: 'b.look' }), say('Done.')], {
      domains: [
        { id: 'a', tools: [look] },
        { id: 'b', tools: [look], revision },
      ],
      reportsErrors: true,
    });
    await f.session.send('Go');
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('undo after edits by the user', () => {
  it('U5 is refused with conflict, changes nothing, and names the domain', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history: new UndoHistory() });
    await f.session.send('A');
    board.put('mine');
    const before = f.session.state;
    const error = await rejection(f.session.undo());
    expect(error.code).toBe('conflict');
    expect(error.retry).toBe('after-action');
    expect(error.details).toEqual({ domains: ['board'] });
    expect(board.titles).toEqual(['A', 'mine']);
    expect(f.session.state).toBe(before);
  });

  it('U5 goes on with force, and still never overwrites the edit itself', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    board.rename('A', 'A, mine');
    const report = await f.session.undo({ force: true });
    expect(names(report.done)).toEqual(['Added B']);
    expect(report.failed).toMatchObject([{ description: 'Added A', reason: expect.stringContaining('changed') }]);
    expect(board.titles).toEqual(['A, mine']);
  });

  it('redo is refused when the user changed the domain since the undo, unless forced', async () => {
    const board = createBoard();
    await using f = fixture(addTurn('A'), { domains: [board.domain()], history: new UndoHistory() });
    await f.session.send('A');
    await f.session.undo();
    board.put('mine');
    expect((await rejection(f.session.redo())).code).toBe('conflict');
    expect(board.titles).toEqual(['mine']);
    await f.session.redo({ force: true });
    expect(board.titles).toEqual(['mine', 'A']);
  });

  it('is not refused for a change in a domain that the turn did not touch', async () => {
    const board = createBoard();
    const doc = counter();
    await using f = fixture(addTurn('A'), {
      domains: [board.domain(), doc.domain],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    doc.user();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('is not refused where domains have no revisions', async () => {
    const { revision: _, ...plain } = createBoard().domain();
    await using f = fixture(addTurn('A'), { domains: [plain], history: new UndoHistory() });
    await f.session.send('A');
    expect((await f.session.undo()).done).toHaveLength(1);
  });
});

describe('records below', () => {
  it('U4 advance with an undo: turn 2, then turn 1, without a conflict', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('B');
    await f.session.undo();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('advance with a redo: turn 1, then turn 2, and undo again', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('B');
    for (const step of ['undo', 'undo', 'redo', 'redo', 'undo', 'undo'] as const) await f.session[step]();
    expect(board.titles).toEqual([]);
  });

  it('advance with the rollback of a later turn', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), callTools(addCard('B')), fail('auth')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await rejection(f.session.send('B'));
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('advance with the late revert of a cut tool', async () => {
    const doc = counter();
    const slow = gatedTool('slow');
    const domain = { ...doc.domain, tools: [...doc.domain.tools, slow] };
    await using f = fixture([callTools({ tool: 'doc.edit' }), say('Done.'), callTools({ tool: 'doc.slow' })], {
      domains: [domain],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    void f.session.send('Slow');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    run.context.undo({ description: 'slow', revert: () => doc.user() });
    run.settle();
    await settle();
    expect((await f.session.undo()).done).toHaveLength(1);
  });

  it('do not advance over an edit that the user made between the turns', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    board.put('mine');
    await f.session.send('B');
    await f.session.undo();
    expect(board.titles).toEqual(['A', 'mine']);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect(board.titles).toEqual(['A', 'mine']);
  });

  it('do not advance over an edit that the user made during the later turn', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([...addTurn('A'), callTools('Hm', more, addCard('B')), say('Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    const turn = f.session.send('B');
    await more.reached;
    board.put('mine');
    more.open();
    await turn;
    await f.session.undo();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect(board.titles).toEqual(['A', 'mine']);
  });

  it('do not advance over an edit between a turn and the rollback of the next one', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([...addTurn('A'), callTools(addCard('B')), callTools('Hm', more, addCard('C')), fail('auth')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    const turn = f.session.send('B');
    await more.reached;
    board.put('mine');
    more.open();
    await rejection(turn);
    expect(board.titles).toEqual(['A', 'mine']);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('an edit by the user during the last turn is a conflict only when it came after its last call', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([callTools(addCard('A')), say(['Hm', more, '.'])], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('A');
    await more.reached;
    board.put('mine');
    more.open();
    await turn;
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });
});

describe("a rollback and the user's edit during the turn", () => {
  it('answers conflict where it would overwrite the edit, leaves it, and reports the effect as still there', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), addCard('B')), stall('Hm')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    await settle();
    board.rename('A', 'A, mine');
    const report = await f.session.cancel();
    expect(board.titles).toEqual(['A, mine']);
    expect(names(report.undo.done)).toEqual(['Added B']);
    expect(names(report.undo.failed)).toEqual(['Added A']);
  });

  it('hands the revision as the turn last left it to rollback, revert and reapply', async () => {
    const doc = counter();
    const history = recordingHistory();
    await using f = fixture(
      [callTools({ tool: 'doc.edit' }), say('Done.'), callTools({ tool: 'doc.edit' }), fail('auth')],
      { domains: [doc.domain], history },
    );
    await f.session.send('Go'); // 1
    await f.session.undo(); // expects 1, leaves 2
    await f.session.redo(); // expects 2, leaves 3
    await f.session.undo(); // expects 3, leaves 4
    await rejection(f.session.send('Go')); // 5
    const expected = history.calls.flatMap(({ method, expected: revision }) =>
      ['revert', 'reapply', 'rollback'].includes(method) ? [`${method} ${revision}`] : [],
    );
    expect(expected).toEqual(['revert 1', 'reapply 2', 'revert 3', 'rollback 5']);
  });

  it('with several domains hands over their revisions as a JSON object', async () => {
    const [a, b] = [counter('a'), counter('b')];
    const history = recordingHistory();
    await using f = fixture([callTools({ tool: 'a.edit' }, { tool: 'b.edit' }, { tool: 'b.edit' }), fail('auth')], {
      domains: [a.domain, b.domain],
      history,
    });
    await rejection(f.session.send('Go'));
    expect(JSON.parse(String(history.calls.at(-1)?.expected))).toEqual({ a: 1, b: 2 });
  });

  it.each(['rollback', 'undo'] as const)(
    'a tool that compares revisions strictly can revert each of its effects (%s)',
    async (way) => {
      const [a, b] = [strictDomain('a'), strictDomain('b')];
      await using f = fixture(
        [
          callTools({ tool: 'a.set', args: { n: 1 } }, { tool: 'b.set' }, { tool: 'a.set', args: { n: 2 } }),
          way === 'rollback' ? fail('auth') : say('Done.'),
        ],
        { domains: [a, b], history: new UndoHistory() },
      );
      const turn = f.session.send('Go');
      if (way === 'rollback') await rejection(turn);
      else await turn;
      const report = way === 'rollback' ? f.session.lastOutcome.value?.report : await f.session.undo();
      expect(report?.failed).toEqual([]);
      expect(report?.done).toHaveLength(3);
    },
  );
});

/** Its tool reverts only what the session itself left behind. */
function strictDomain(id: string): Domain {
  let version = 0;
  const set = spyTool('set', {
    execute(_args, context) {
      version++;
      context.undo({
        description: `set in ${id}`,
        revert(expected) {
          if (expected !== version) return conflict(expected ?? -1, version);
          version++;
          return undefined;
        },
      });
    },
  });
  return { id, tools: [set], revision: () => version };
}
