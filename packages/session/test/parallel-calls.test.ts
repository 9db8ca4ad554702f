// Calls that run side by side: the flag `parallel` and the limit `maxConcurrentTools`.
import { describe, expect, it } from 'vitest';
import { callTools, gatedTool, say, settle, type GatedTool, type ScriptedCall } from '@banister/testing';
import { conflict, defineTool, stop, UndoHistory, type Domain, type Tool } from '@banister/session';
import { fixture, names, rejection, resultTexts } from './fixture.js';

const call = (tool: string, n: number): ScriptedCall => ({ tool: `board.${tool}`, args: { n } });
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];
const running = (...tools: readonly GatedTool[]) =>
  tools.flatMap((tool) => tool.runs.filter((run) => !run.settled).map((run) => run.args.n));
const settleAll = (...tools: readonly GatedTool[]) => {
  for (const tool of tools) for (const run of tool.runs) run.settle();
};

/** A document whose tool checks the revision at its start, changes it at once, and ends when the test lets it. */
function strictDocument() {
  let version = 0;
  const ends: (() => void)[] = [];
  const edit = defineTool({
    name: 'edit',
    description: 'Changes its own part of the document.',
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
    parallel: true,
    async execute({ n }, { revision, undo }) {
      if (revision !== version) return conflict(revision ?? -1, version);
      version++;
      undo({ description: `edit ${n}`, revert: () => void version++ });
      await new Promise<void>((resolve) => ends.push(resolve));
      return 'edited';
    },
  });
  const board: Domain = { id: 'board', tools: [edit], revision: () => version };
  return { board, ends, user: () => void version++ };
}

describe('parallel', () => {
  it('Q12: calls of tools with `parallel: true` run in parallel, also with `readOnly` calls', async () => {
    const read = gatedTool('read', { capabilities: ['readOnly'] });
    const send = gatedTool('send', { capabilities: ['networking', 'mutating'], parallel: true });
    const write = gatedTool('write');
    await using f = fixture(
      [
        callTools(
          call('send', 1),
          call('read', 2),
          call('send', 3),
          call('write', 4),
          call('send', 5),
          call('send', 6),
        ),
        say('Done.'),
      ],
      { domains: domain(read, send, write) },
    );
    const turn = f.session.send('Go');
    const groups: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await settle();
      groups.push(running(read, send, write).sort());
      settleAll(read, send, write);
    }
    await turn;
    expect(groups).toEqual([[1, 2, 3], [4], [5, 6]]);
  });

  it('Q12: results are in call order, no matter which call ends first', async () => {
    const send = gatedTool('send', { parallel: true });
    await using f = fixture([callTools(call('send', 1), call('send', 2), call('send', 3)), say('Done.')], {
      domains: domain(send),
    });
    const turn = f.session.send('Go');
    await settle();
    for (const run of [...send.runs].reverse()) {
      run.settle(`run ${run.args.n as number}`);
      await settle();
    }
    await turn;
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['run 1', 'run 2', 'run 3']);
  });

  it('Q12: a call gets the revision that a parallel call left, and undo needs no force', async () => {
    const doc = strictDocument();
    await using f = fixture([callTools(call('edit', 1), call('edit', 2), call('edit', 3)), say('Done.')], {
      domains: [doc.board],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    expect(doc.ends).toHaveLength(3);
    for (const end of doc.ends.toReversed()) {
      end();
      await settle();
    }
    await turn;
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['edited', 'edited', 'edited']);
    expect((await f.session.undo()).done).toHaveLength(3);
  });

  it('Q12: an edit of the user before parallel calls is a conflict for each of them', async () => {
    const doc = strictDocument();
    const first = gatedTool('first');
    const board = { ...doc.board, tools: [first, ...doc.board.tools] };
    await using f = fixture([callTools(call('first', 0), call('edit', 1), call('edit', 2)), say('Done.')], {
      domains: [board],
    });
    const turn = f.session.send('Go');
    const run = await first.next();
    f.session.operations$.subscribe((op) => {
      if (op.type === 'toolCompleted') doc.user();
    });
    run.settle();
    await turn;
    const outcomes = f.observed.operations.flatMap((op) => (op.type === 'toolFailed' ? [op.outcome] : []));
    expect(outcomes).toEqual(['conflict', 'conflict']);
  });

  it('Q12: a cancel lets parallel calls finish, and no further call starts', async () => {
    const doc = strictDocument();
    await using f = fixture([callTools(call('edit', 1), call('edit', 2), call('edit', 3))], {
      domains: [doc.board],
      history: new UndoHistory(),
      limits: { maxConcurrentTools: 2 },
    });
    const turn = f.session.send('Go');
    await settle();
    const report = f.session.cancel();
    for (const end of doc.ends) end();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(names((await report).undo.done)).toEqual(['edit 2', 'edit 1']);
    expect(f.observed.types.filter((type) => type === 'toolStarted')).toHaveLength(2);
  });

  it('Q12: a tool that stops the turn lets parallel calls finish', async () => {
    const send = gatedTool('send', { parallel: true });
    await using f = fixture([callTools(call('send', 1), call('send', 2), call('send', 3))], {
      domains: domain(send),
      limits: { maxConcurrentTools: 2 },
    });
    const turn = f.session.send('Go');
    await settle();
    send.runs[0]!.settle(stop('Enough.'));
    await settle();
    expect(running(send)).toEqual([2]);
    send.runs[1]!.settle();
    expect((await turn).status).toBe('stopped');
    expect(send.runs).toHaveLength(2);
  });
});

describe('maxConcurrentTools', () => {
  it.each([
    [1, [0]],
    [3, [0, 1, 2]],
    [Infinity, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ] as const)('Q12: with %s, that many calls run in parallel', async (maxConcurrentTools, expected) => {
    const read = gatedTool('read', { capabilities: ['readOnly'] });
    await using f = fixture(
      [callTools(...Array.from({ length: 10 }, (_, n) => call('read', n))), say('Done.')],
      { domains: domain(read), limits: { maxConcurrentTools } },
    );
    const turn = f.session.send('Go');
    await settle();
    expect(running(read)).toEqual(expected);
    while (f.session.isRunning.value) {
      settleAll(read);
      await settle();
    }
    await turn;
  });
});
