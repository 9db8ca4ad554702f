// Revisions: the user's own edits during a turn.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  fail,
  gate,
  gatedTool,
  recordingHistory,
  say,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import { conflict, UndoHistory, type Domain, type Revision } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';

/** A domain whose revision is a counter, which tools and the user increase. */
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

/** Its tool reverts only where the revision is the one that the session left. */
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

describe('the expected revision', () => {
  it("is the revision when the request was built, advanced only by the turn's own calls", async () => {
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

  it('an executor gets the revision that the model knows, and can answer `conflict`', async () => {
    const doc = counter();
    const more = gate();
    await using f = fixture(
      [callTools('Hm', more, { tool: 'doc.strict' }), callTools({ tool: 'doc.strict' }), say('Done.')],
      {
        domains: [doc.domain],
      },
    );
    const turn = f.session.send('Go');
    await more.reached;
    doc.user();
    more.open();
    await turn;
    // The call of the second request expects the current revision.
    expect(doc.seen).toEqual([0, 1]);
    expect(resultTexts(f.provider.requests[2]!)).toEqual([
      expect.stringMatching(/expected revision 0, found 1/),
      '',
    ]);
  });

  it('does not follow an edit by the user between two calls of a batch', async () => {
    const doc = counter();
    const slow = gatedTool('slow');
    await using f = fixture(
      [callTools({ tool: 'doc.edit' }, { tool: 'other.slow' }, { tool: 'doc.strict' }), say('Done.')],
      {
        domains: [doc.domain, { id: 'other', tools: [slow] }],
      },
    );
    const turn = f.session.send('Go');
    const run = await slow.next();
    doc.user();
    run.settle();
    await turn;
    expect(doc.seen).toEqual([0, 1]);
    expect(resultTexts(f.provider.requests[1]!)[2]).toMatch(/expected revision 1, found 2/);
  });

  it('after a call that ran on a state that the model had not read, the next call still expects the older revision', async () => {
    const doc = counter();
    const more = gate();
    await using f = fixture(
      [callTools('Hm', more, { tool: 'doc.edit' }, { tool: 'doc.strict' }), say('Done.')],
      {
        domains: [doc.domain],
      },
    );
    const turn = f.session.send('Go');
    await more.reached;
    doc.user();
    more.open();
    await turn;
    expect(resultTexts(f.provider.requests[1]!)[1]).toMatch(/expected revision 0, found 2/);
  });

  it('is undefined for a domain without a revision, or if its revision throws', async () => {
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

  it.each([NaN, Infinity, null, 7n, Promise.resolve(1)])(
    'is undefined if the domain returns %s, which is reported, and the turn can be undone',
    async (value) => {
      let steps = 0;
      const act = spyTool('act', {
        execute: (_args, { undo, revision }) => {
          expect(revision).toBeUndefined();
          steps++;
          undo({ description: 'Made a step', revert: () => void steps-- });
        },
      });
      const domain = { id: 'a', tools: [act], revision: () => value as unknown as Revision };
      await using f = fixture([callTools({ tool: 'a.act' }), say('Done.')], {
        domains: [domain],
        reportsErrors: true,
      });
      await f.session.send('Go');
      expect(f.reported.map(String)).toContain(
        'TypeError: revision() of the domain "a" returned no text and no finite number.',
      );
      expect((await f.session.undo()).failed).toEqual([]);
      expect(steps).toBe(0);
    },
  );
});

describe('the steps of one call', () => {
  /** A tool that changes two places, and takes each back only where the revision is as the session left it. */
  function places(byData: boolean) {
    let version = 0;
    const values = new Map([
      ['x', 0],
      ['y', 0],
    ]);
    const put = (place: string, value: number) => {
      values.set(place, value);
      version++;
    };
    const move = (place: string, value: number, expected: Revision) => {
      if (expected !== version) return conflict(expected ?? -1, version);
      put(place, value);
      return undefined;
    };
    const tool = spyTool('set', {
      undo: {
        revert: ({ place }: { readonly place: string }, { revision }) => move(place, 0, revision),
        reapply: ({ place }: { readonly place: string }, { revision }) => move(place, 1, revision),
      },
      execute: async (_args, context) => {
        for (const place of values.keys()) {
          put(place, 1);
          const undo = {
            revert: (expected: Revision) => move(place, 0, expected),
            reapply: (expected: Revision) => move(place, 1, expected),
          };
          if (byData) await context.undo({ description: place, data: { place } });
          else context.undo({ description: place, ...undo });
        }
      },
    });
    return { values, domain: { id: 'doc', tools: [tool], revision: () => version } satisfies Domain };
  }

  it.each([
    ['closures', false],
    ['data', true],
  ])('with %s get the revision after the previous steps', async (_code, byData) => {
    const { values, domain } = places(byData);
    await using f = fixture([callTools({ tool: 'doc.set' }), say('Done.')], { domains: [domain] });
    await f.session.send('Go');
    expect((await f.session.undo()).failed).toEqual([]);
    expect([...values.values()]).toEqual([0, 0]);
    expect((await f.session.redo()).failed).toEqual([]);
    expect([...values.values()]).toEqual([1, 1]);
  });
});

describe("a rollback and the user's edit during the turn", () => {
  it('answers `conflict` if it would overwrite the edit, keeps the edit, and reports the effect as still in effect', async () => {
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

  it("passes the revision after the turn's last change to rollback, revert and reapply", async () => {
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

  it('with several domains, passes their revisions as a JSON object', async () => {
    const [a, b] = [counter('a'), counter('b')];
    const history = recordingHistory();
    await using f = fixture(
      [callTools({ tool: 'a.edit' }, { tool: 'b.edit' }, { tool: 'b.edit' }), fail('auth')],
      {
        domains: [a.domain, b.domain],
        history,
      },
    );
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
