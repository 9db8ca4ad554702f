// Edits of the user while an undo, a rollback or a late revert runs: the next undo answers with a conflict.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import { failed, type Domain } from '@banister/session';
import { fixture, names, rejection } from './fixture.js';

/**
 * A document with a counter as its revision. The steps of `edit` change it before or after they wait for `go`, those of
 * `quick` at once.
 */
function document(changes: 'before' | 'after' | 'never') {
  let version = 0;
  let waiting: (() => void)[] = [];
  const step = async () => {
    if (changes === 'before') version++;
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (changes === 'after') version++;
    return changes === 'never' ? failed('locked') : undefined;
  };
  const tools = [
    spyTool('edit', {
      execute(_args, context) {
        version++;
        context.undo({ description: 'edit', revert: step, reapply: step });
      },
    }),
    spyTool('quick', {
      execute(_args, context) {
        version++;
        context.undo({ description: 'quick', revert: () => void version++, reapply: () => void version++ });
      },
    }),
  ];
  const domain: Domain = { id: 'doc', tools, revision: () => version };
  return {
    domain,
    user: () => void version++,
    async go() {
      await settle();
      const now = waiting;
      waiting = [];
      for (const resolve of now) resolve();
      await settle();
    },
  };
}

const turnOf = (...tools: string[]) => [
  callTools(...tools.map((tool) => ({ tool: `doc.${tool}` }))),
  say('Done.'),
];

describe.each(['before', 'after'] as const)(
  'an undo that waits and changes its domain %s the wait',
  (when) => {
    it('C10: makes an edit of the user meanwhile a conflict for the next undo', async () => {
      const doc = document(when);
      await using f = fixture([...turnOf('quick'), ...turnOf('edit')], { domains: [doc.domain] });
      await f.session.send('One');
      await f.session.send('Two');
      const undo = f.session.undo();
      await settle();
      doc.user();
      await doc.go();
      expect(names((await undo).done)).toEqual(['edit']);
      expect((await rejection(f.session.undo())).code).toBe('conflict');
      expect((await rejection(f.session.redo())).code).toBe('conflict');
      expect(names((await f.session.undo({ force: true })).done)).toEqual(['quick']);
    });

    it('C10: a change made by the undo itself is not a conflict', async () => {
      const doc = document(when);
      await using f = fixture([...turnOf('quick'), ...turnOf('edit', 'quick')], { domains: [doc.domain] });
      await f.session.send('One');
      await f.session.send('Two');
      for (const step of ['undo', 'redo', 'undo'] as const) {
        const running = f.session[step]();
        await doc.go();
        expect((await running).failed).toEqual([]);
      }
      expect(names((await f.session.undo()).done)).toEqual(['quick']);
    });
  },
);

describe('a user who edits', () => {
  it('C10: while a revert fails, causes a conflict at the next undo', async () => {
    const doc = document('never');
    await using f = fixture(turnOf('edit'), { domains: [doc.domain] });
    await f.session.send('One');
    const undo = f.session.undo();
    await settle();
    doc.user();
    await doc.go();
    expect((await undo).failed).toHaveLength(1);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('C10: while a revert waits, causes a conflict even if the new revision is a numeric string', async () => {
    let revision: string | number = 0;
    let end = () => {};
    const edit = spyTool('edit', {
      execute(_args, context) {
        revision = 1;
        context.undo({ description: 'edit', revert: () => new Promise<void>((resolve) => (end = resolve)) });
      },
    });
    const again = spyTool('again', {
      execute: (_args, context) => context.undo({ description: 'again', revert: () => {} }),
    });
    const domain: Domain = { id: 'doc', tools: [edit, again], revision: () => revision };
    await using f = fixture([...turnOf('again'), ...turnOf('edit')], { domains: [domain] });
    await f.session.send('One');
    await f.session.send('Two');
    const undo = f.session.undo();
    await settle();
    revision = '2';
    end();
    expect((await undo).done).toHaveLength(1);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('C10: while a failed turn is rolled back, causes a conflict at the undo of the turn before it', async () => {
    const doc = document('after');
    await using f = fixture([...turnOf('quick'), callTools({ tool: 'doc.edit' }), fail('auth')], {
      domains: [doc.domain],
    });
    await f.session.send('One');
    const turn = f.session.send('Two');
    turn.catch(() => {});
    await settle();
    doc.user();
    await doc.go();
    await rejection(turn);
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('C10: while a late revert runs, causes a conflict at the next undo', async () => {
    const doc = document('after');
    const slow = gatedTool('slow');
    const domain = { ...doc.domain, tools: [...doc.domain.tools, slow] };
    await using f = fixture([...turnOf('quick'), callTools({ tool: 'doc.slow' })], { domains: [domain] });
    await f.session.send('One');
    void f.session.send('Two');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    let end = () => {};
    run.context.undo({
      description: 'slow',
      revert: async () => {
        await new Promise<void>((resolve) => (end = resolve));
      },
    });
    run.settle();
    await settle();
    doc.user();
    end();
    await settle();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('C10: in a domain that the undo does not touch, causes a conflict when turns of that domain are undone', async () => {
    const doc = document('after');
    const other = document('before');
    const notes: Domain = { ...other.domain, id: 'notes' };
    await using f = fixture([callTools({ tool: 'notes.quick' }), say('Done.'), ...turnOf('edit')], {
      domains: [doc.domain, notes],
    });
    await f.session.send('One');
    await f.session.send('Two');
    const undo = f.session.undo();
    await settle();
    other.user();
    await doc.go();
    await undo;
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('C10: while a tool runs, causes no conflict if steps of the tool revert it at once', async () => {
    let version = 0;
    const slow = gatedTool('slow');
    const domain: Domain = { id: 'doc', tools: [slow], revision: () => version };
    await using f = fixture([callTools({ tool: 'doc.slow' }), say('Done.')], { domains: [domain] });
    const turn = f.session.send('Go');
    const run = await slow.next();
    // The tool increased the counter twice, the user once.
    for (const description of ['first', 'second']) {
      version++;
      const step = () => void version++;
      run.context.undo({ description, revert: step, reapply: step });
    }
    version++;
    run.settle();
    await turn;
    for (const step of ['undo', 'redo', 'undo'] as const)
      expect((await f.session[step]()).done).toHaveLength(1);
  });

  it('C10: while a late revert runs in its own turn, causes a conflict at the undo of that turn', async () => {
    const doc = document('after');
    const slow = gatedTool('slow', { timeoutMs: 1_000 });
    const more = gate();
    const domain = { ...doc.domain, tools: [...doc.domain.tools, slow] };
    await using f = fixture(
      [callTools({ tool: 'doc.quick' }, { tool: 'doc.slow' }), say(['Hm', more, '.'])],
      { domains: [domain] },
    );
    const turn = f.session.send('Go');
    const run = await slow.next();
    await f.clock.advance(1_000);
    await more.reached;
    let end = () => {};
    const revert = () => new Promise<void>((resolve) => (end = resolve));
    run.context.undo({ description: 'slow', revert });
    run.settle();
    await settle();
    doc.user();
    end();
    await settle();
    more.open();
    await turn;
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });
});
