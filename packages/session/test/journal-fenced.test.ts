// Another writer owns the session.
import { describe, expect, it } from 'vitest';
import { callTools, gate, gatedTool, recordingJournal, say, settle, spyTool } from '@banister/testing';
import { AgentSessionError, confirmTools, type Operation, type OperationType } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, rejection, terminals } from './fixture.js';

const fenced = (type: OperationType) =>
  recordingJournal(({ operations }) =>
    operations.some((operation) => operation.type === type) ? 'fence' : 'resolve',
  );

describe.each(['turnStarted', 'toolStarted', 'roundCompleted', 'commitStarted'] as const)(
  'a journal that is fenced at %s',
  (type) => {
    it('ends the turn: no revert, no terminal operation, and send rejects storage', async () => {
      const journal = fenced(type);
      const board = createBoard();
      await using f = fixture([callTools('', addCard('A')), say('Done.')], {
        domains: [board.domain()],
        looseScript: true,
        ports: { journal },
      });
      const error = await rejection(f.session.send('Go'));
      expect(error.code).toBe('storage');
      expect(error.details.reason).toBe('fenced');
      expect(terminals(f)).toEqual([]);
      expect(board.titles).toEqual(type === 'turnStarted' || type === 'toolStarted' ? [] : ['A']);
      expect(f.session.link.value).toEqual({ role: 'read-only', open: true, saved: false });
      expect(f.observed.types).not.toContain('rollbackStarted');
      for (const stream of f.provider.streams) expect(stream.closed).toBe(true);
      expect(f.clock.pending).toBe(0);
    });
  },
);

it('a fenced session fires the signals of running tools and drops their results', async () => {
  const journal = recordingJournal('resolve');
  const slow = gatedTool('slow');
  let reverted = false;
  await using f = fixture([callTools('', { tool: 'app.slow' })], {
    domains: [{ id: 'app', tools: [slow] }],
    ports: { journal },
  });
  const turn = rejection(f.session.send('Go'));
  const run = await slow.next();
  const { signal } = run.context;
  journal.answer = 'fence';
  run.context.progress({ half: true });
  await f.clock.advance(50);
  expect((await turn).details.reason).toBe('fenced');
  expect(signal.aborted).toBe(true);
  run.context.undo({ description: 'Acted', revert: () => void (reverted = true) });
  run.settle('Done.');
  await settle();
  expect(reverted).toBe(false);
  expect(f.observed.types.at(-1)).toBe('toolProgress');
});

it('at the record of an effect: the tool that waits for it does not act, and nothing is reverted', async () => {
  const journal = fenced('effectRecorded');
  const acted: string[] = [];
  const act = spyTool('act', {
    undo: { revert: () => void acted.push('reverted') },
    execute: async (_args, { undo }) => {
      await undo({ description: 'Acted', data: {} });
      acted.push('acted');
    },
  });
  await using f = fixture([callTools('', { tool: 'app.act' })], {
    domains: [{ id: 'app', tools: [act] }],
    ports: { journal },
  });
  expect((await rejection(f.session.send('Go'))).details.reason).toBe('fenced');
  await settle();
  expect(acted).toEqual([]);
  expect(terminals(f)).toEqual([]);
});

it('completes turn$, and rejects every later command', async () => {
  const journal = fenced('turnStarted');
  await using f = fixture([], { ports: { journal } });
  const seen: string[] = [];
  let completed = false;
  f.session.turn$('Go').subscribe({
    next: ({ type }) => seen.push(type),
    complete: () => (completed = true),
  });
  await settle();
  expect(completed).toBe(true);
  expect(seen).toEqual(['turnStarted', 'messagesAppended', 'roundStarted']);
  const { session } = f;
  for (const command of [
    session.send('Again'),
    session.undo(),
    session.redo(),
    session.retry(),
    session.cancel(),
  ]) {
    const error = await rejection(command);
    expect(error.code).toBe('storage');
    expect(error.details.reason).toBe('fenced');
  }
  expect(() => session.configure({ role: 'x' })).toThrow('Another tab has taken over this conversation.');
  expect(journal.writes).toHaveLength(1);
});

it('rejects a redo that waits, and makes nothing again', async () => {
  const journal = fenced('redoStarted');
  const board = createBoard();
  await using f = fixture([callTools('', addCard('A')), say('Done.')], {
    domains: [board.domain()],
    ports: { journal },
  });
  await f.session.send('Go');
  await f.session.undo();
  expect((await rejection(f.session.redo())).details.reason).toBe('fenced');
  expect(board.titles).toEqual([]);
});

it('at a question: the turn ends, and an answer to it runs no call', async () => {
  const journal = fenced('confirmationRequested');
  const board = createBoard();
  await using f = fixture([callTools('', addCard('A'))], {
    domains: [board.domain()],
    guards: [confirmTools('board.add')],
    ports: { journal },
  });
  let id = '';
  f.session.operations$.subscribe((one) => {
    if (one.type === 'confirmationRequested') id = one.request.id;
  });
  expect((await rejection(f.session.send('Go'))).details.reason).toBe('fenced');
  expect(id).not.toBe('');
  expect(await f.session.respond(id, { approve: true })).toBe('already-settled');
  expect(board.titles).toEqual([]);
  expect(terminals(f)).toEqual([]);
});

it.each(['queued', 'steered', 'dequeued'] as const)(
  'at %s beside a turn: the turn ends without a revert, and no request has the message',
  async (type) => {
    const journal = fenced(type);
    const wait = gate();
    await using f = fixture([say(['One', wait, '.'])], { ports: { journal }, looseScript: true });
    const turn = rejection(f.session.send('Go'));
    await wait.reached;
    const { session } = f;
    const beside = type === 'steered' ? session.steer('More') : session.enqueue('More', { id: 'q' });
    const ended = beside.catch(() => {});
    if (type === 'dequeued') await session.dequeue('q').catch(() => {});
    await f.clock.advance(100);
    wait.open();
    expect((await turn).details.reason).toBe('fenced');
    await ended;
    expect(terminals(f)).toEqual([]);
    expect(f.provider.requests).toHaveLength(1);
    expect(f.session.link.value).toMatchObject({ role: 'read-only', saved: false });
  },
);

it('rejects an undo that waits, and reverts nothing', async () => {
  const journal = fenced('undoStarted');
  const board = createBoard();
  await using f = fixture([callTools('', addCard('A')), say('Done.')], {
    domains: [board.domain()],
    ports: { journal },
  });
  await f.session.send('Go');
  expect((await rejection(f.session.undo())).details.reason).toBe('fenced');
  expect(board.titles).toEqual(['A']);
});

it('at the end of a turn: the outcome stands, and send rejects storage', async () => {
  const journal = fenced('completed');
  await using f = fixture([say('Done.')], { ports: { journal } });
  expect((await rejection(f.session.send('Go'))).details.reason).toBe('fenced');
  expect(terminals(f)).toEqual(['completed']);
});

it('a journal that is fenced at once, by an operation of the session, starts no turn', async () => {
  const journal = recordingJournal('fence');
  const tool = spyTool('act');
  await using f = fixture([], { domains: [{ id: 'app', tools: [tool] }], ports: { journal } });
  f.session.configure({ role: 'x' });
  await settle();
  atOperation(f.session, 'turnStarted', () => expect.unreachable());
  expect((await rejection(f.session.send('Go'))).details.reason).toBe('fenced');
});

it('if a journal throws at the end of a turn that another writer owns the session, send rejects with this error', async () => {
  const thrown = new AgentSessionError('storage', 'Fenced.', { details: { reason: 'fenced' } });
  const write = (operations: readonly Operation[]) => {
    if (operations.some(({ type }) => type === 'completed')) throw thrown;
  };
  await using f = fixture([say('Done.')], { ports: { journal: { write } } });
  expect(await rejection(f.session.send('Go'))).toBe(thrown);
  expect(terminals(f)).toEqual(['completed']);
});
