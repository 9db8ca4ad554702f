// The order in which operations are written, and the steps that wait for it.
import { describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  finishWith,
  createSequentialIds,
  createVirtualClock,
  recordingJournal,
  say,
  scriptedProvider,
  settle,
  spyTool,
  type RecordingJournal,
} from '@banister/testing';
import {
  confirmTools,
  createAgentSession,
  immediate,
  type EffectData,
  type Operation,
  type OperationType,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { atOperation, fixture } from './fixture.js';

const typesOf = (operations: readonly Operation[]) => operations.map(({ type }) => type);
const has = (journal: RecordingJournal, type: OperationType) =>
  journal.operations.some((operation) => operation.type === type);

/** Resolves when the journal has a write that it has not answered; returns the types of its operations. */
async function openWrite(journal: RecordingJournal): Promise<readonly OperationType[]> {
  await settle();
  const open = journal.writes.find(({ state }) => state === 'open');
  if (open === undefined) throw new Error('No write is open.');
  return typesOf(open.operations);
}

async function acceptNext(journal: RecordingJournal): Promise<void> {
  await settle();
  journal.acceptAll();
  await settle();
}

describe('the order of writes', () => {
  it('writes every operation once, in order, with a journal that answers at once', async () => {
    const journal = recordingJournal();
    const board = createBoard();
    await using f = fixture([callTools('One. ', addCard('A')), say('Done.')], {
      domains: [board.domain()],
      ports: { journal },
    });
    await f.session.send('Go');
    expect(typesOf(journal.operations)).toEqual(f.observed.types);
    await f.session.undo();
    await f.session.dispose();
    expect(journal.operations.map(({ sequence }) => sequence)).toEqual(
      f.observed.operations.map(({ sequence }) => sequence),
    );
    expect(typesOf(journal.operations).at(-1)).toBe('disposed');
    journal.check();
  });

  it('makes one write at a time: operations that arrive meanwhile are the next one', async () => {
    const journal = recordingJournal('wait');
    await using f = fixture([say(['A', 'B'])], { ports: { journal } });
    const turn = f.session.send('Go');
    while (f.session.isRunning.value) await acceptNext(journal);
    journal.answer = 'done';
    journal.acceptAll();
    expect((await turn).text).toBe('AB');
    journal.check();
    expect(typesOf(journal.operations)).toEqual(f.observed.types);
  });

  it('text is never awaited; after a quiet time it is written at once, then after 50 ms', async () => {
    const journal = recordingJournal();
    const ports = {
      clock: createVirtualClock(),
      ids: createSequentialIds(),
      scheduler: immediate(),
      journal,
    };
    let resume = () => {};
    const paused = new Promise<void>((resolve) => (resume = resolve));
    const provider = {
      ...scriptedProvider([]),
      async *stream() {
        yield { type: 'text', delta: 'Half' } as const;
        yield { type: 'text', delta: ' and' } as const;
        await paused;
        yield { type: 'finish', reason: 'stop' } as const;
      },
    };
    const session = createAgentSession({ provider, ports });
    const turn = session.send('Go');
    const written = () => journal.operations.filter(({ type }) => type === 'text').length;
    await ports.clock.advance(49);
    expect(written()).toBe(1);
    expect(journal.writes.at(-1)?.barrier).toBe(false);
    await ports.clock.advance(1);
    expect(written()).toBe(2);
    expect(journal.writes.at(-1)?.barrier).toBe(false);
    resume();
    await turn;
    expect(ports.clock.pending).toBe(0);
    await session.dispose();
  });

  it('flushes 16 kB of text at once', async () => {
    const journal = recordingJournal();
    const half = 'x'.repeat(8_192);
    await using f = fixture([say(['First', half, half, 'rest'])], { ports: { journal } });
    await f.session.send('Go');
    const flushes = journal.writes.filter(({ barrier }) => !barrier);
    expect(flushes.map(({ operations }) => typesOf(operations))).toEqual([
      ['modelCallStarted', 'text'],
      ['text', 'text'],
    ]);
  });

  it('the operations after a commit are one write', async () => {
    const journal = recordingJournal();
    await using f = fixture([say('Done.')], { ports: { journal } });
    await f.session.send('Go');
    expect(typesOf(journal.writes.at(-1)!.operations)).toEqual([
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ]);
    expect(journal.writes.at(-1)!.barrier).toBe(true);
  });

  it('writes rollbackStarted at once, and rolls back without waiting for it', async () => {
    const journal = recordingJournal();
    const board = createBoard();
    await using f = fixture([callTools('', addCard('A'))], {
      domains: [board.domain()],
      ports: { journal },
    });
    atOperation(f.session, 'toolCompleted', () => {
      journal.answer = 'wait';
      void f.session.cancel();
    });
    const turn = f.session.send('Go').catch((error: { code: string }) => error.code);
    expect(await openWrite(journal)).toContain('rollbackStarted');
    expect(board.titles).toEqual([]);
    expect(f.session.isRunning.value).toBe(false);
    journal.answer = 'done';
    journal.acceptAll();
    expect(await turn).toBe('cancelled');
    journal.check();
  });

  it('sets no timer and makes no write without a journal', async () => {
    await using f = fixture([say('Done.')]);
    await f.session.send('Go');
    expect(f.clock.pending).toBe(0);
    expect(f.session.link.value).toEqual({ role: 'writer', open: true, saved: true });
  });
});

describe('a step waits for the operations before it', () => {
  it.each([
    { title: 'with an effect of closures', waits: 2, entry: { description: 'Acted', revert() {} } },
    {
      title: 'with an effect as data, whose record its tool awaits',
      waits: 3,
      entry: { description: 'Acted', data: {} },
    },
  ])(
    'a call that changes something waits for $waits writes, in each of 20 rounds: $title',
    async ({ waits, entry }) => {
      const journal = recordingJournal('resolve');
      const act = spyTool('act', {
        undo: { revert() {} },
        execute: (_args, { undo }) => undo(entry as EffectData),
      });
      const rounds = Array.from({ length: 20 }, (_, n) => callTools('', { tool: 'app.act', args: { n } }));
      await using f = fixture([...rounds, say('Done.')], {
        domains: [{ id: 'app', tools: [act] }],
        limits: { maxRounds: 21, maxToolCalls: 20 },
        ports: { journal },
      });
      await f.session.send('Go');
      const writes = journal.writes.filter(({ barrier }) => barrier);
      // Beside those of the calls: the last request, the commit, and the end of the turn.
      expect(writes).toHaveLength(20 * waits + 3);
    },
  );

  it('sends no request before the user message is written', async () => {
    const journal = recordingJournal('wait');
    await using f = fixture([say('Done.')], { ports: { journal } });
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('messagesAppended');
    expect(f.provider.requests).toHaveLength(0);
    journal.answer = 'resolve';
    journal.acceptAll();
    await turn;
    expect(f.provider.requests).toHaveLength(1);
  });

  it('an executor waits until `toolStarted` is written, and the next request until the results are', async () => {
    const journal = recordingJournal('resolve');
    const act = spyTool('act', { execute: () => ({ started: has(journal, 'toolStarted') }) });
    await using f = fixture([callTools('', { tool: 'app.act' }), say('Done.')], {
      domains: [{ id: 'app', tools: [act] }],
      ports: { journal },
    });
    journal.answer = ({ operations }) =>
      operations.some(({ type }) => type === 'toolStarted' || type === 'roundCompleted') ? 'wait' : 'resolve';
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('toolStarted');
    expect(act.runs).toHaveLength(0);
    expect(f.session.activeToolCalls.value[0]?.state).toBe('executing');
    await acceptNext(journal);
    expect(act.runs).toHaveLength(1);
    expect(f.provider.requests).toHaveLength(1);
    await acceptNext(journal);
    expect(f.provider.requests).toHaveLength(2);
    await acceptNext(journal);
    await turn;
    const results = f.provider.requests[1]!.messages.flatMap(({ parts }) => parts);
    expect(JSON.stringify(results)).toContain('{"started":true}');
  });

  it.each([
    { kind: 'readOnly', tool: { capabilities: ['readOnly'] } as const, waits: false },
    { kind: 'replay: safe', tool: { replay: 'safe' } as const, waits: true },
    { kind: 'replay: ask', tool: { replay: 'ask' } as const, waits: true },
    { kind: 'replay: never', tool: { replay: 'never' } as const, waits: true },
    {
      kind: 'readOnly with replay: never',
      tool: { capabilities: ['readOnly'], replay: 'never' } as const,
      waits: false,
    },
    { kind: 'no declaration', tool: {}, waits: true },
  ])('a call of a tool with $kind waits: $waits', async ({ tool, waits }) => {
    const journal = recordingJournal('resolve');
    const act = spyTool('act', tool);
    await using f = fixture([callTools('', { tool: 'app.act' }), say('Done.')], {
      domains: [{ id: 'app', tools: [act] }],
      ports: { journal },
    });
    atOperation(f.session, 'toolsRequested', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    await settle();
    expect(act.runs).toHaveLength(waits ? 0 : 1);
    journal.answer = 'resolve';
    journal.acceptAll();
    await turn;
    expect(act.runs).toHaveLength(1);
  });

  it('a tool that awaits the record of its effect acts only when it is written', async () => {
    const journal = recordingJournal('resolve');
    const board = dataBoard();
    await using f = fixture([callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('Done.')], {
      domains: [board.domain()],
      ports: { journal },
    });
    journal.answer = ({ operations }) =>
      operations.some(({ type }) => type === 'effectRecorded') ? 'wait' : 'resolve';
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('effectRecorded');
    expect(board.cards).toEqual([]);
    journal.answer = 'resolve';
    await acceptNext(journal);
    await turn;
    expect(board.cards).toEqual(['Plan']);
  });

  it('calls that run side by side start after their own records', async () => {
    const journal = recordingJournal('resolve');
    const recorded: boolean[] = [];
    const act = spyTool('act', {
      parallel: true,
      execute: (_, { callId }) => {
        recorded.push(journal.operations.some((one) => one.type === 'toolStarted' && one.callId === callId));
      },
    });
    const call = { tool: 'app.act' };
    await using f = fixture([callTools('', call, { ...call, args: { b: 1 } }), say('Done.')], {
      domains: [{ id: 'app', tools: [act] }],
      ports: { journal },
    });
    await f.session.send('Go');
    expect(recorded).toEqual([true, true]);
    journal.check();
  });

  it('a call inside an answer waits as one at its end', async () => {
    const journal = recordingJournal('resolve');
    const act = spyTool('act', { execute: () => has(journal, 'toolStarted') });
    await using f = fixture([finishWith('stop', callInside({ tool: 'app.act' }), 'Done.')], {
      domains: [{ id: 'app', tools: [act] }],
      ports: { journal },
    });
    atOperation(f.session, 'toolsRequested', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    await settle();
    expect(act.runs).toHaveLength(0);
    journal.answer = 'resolve';
    journal.acceptAll();
    await turn;
    expect(JSON.stringify(f.session.conversation.value)).toContain('"value":true');
  });

  it('commits nothing before commitStarted is written', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([say('Done.')], { ports: { journal } });
    atOperation(f.session, 'commitStarted', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('commitStarted');
    expect(f.observed.types.at(-1)).toBe('commitStarted');
    expect(await f.session.phase.value).toBe('committing');
    journal.answer = 'resolve';
    journal.acceptAll();
    await turn;
  });

  it('reverts nothing before undoStarted is written, and re-does nothing before redoStarted is', async () => {
    const journal = recordingJournal('resolve');
    const board = createBoard();
    await using f = fixture([callTools('', addCard('A')), say('Done.')], {
      domains: [board.domain()],
      ports: { journal },
    });
    await f.session.send('Go');
    journal.answer = 'wait';
    const undo = f.session.undo();
    expect(await openWrite(journal)).toEqual(['undoStarted']);
    expect(board.titles).toEqual(['A']);
    journal.answer = 'resolve';
    journal.acceptAll();
    await undo;
    expect(board.titles).toEqual([]);
    await settle();
    journal.answer = 'wait';
    const redo = f.session.redo();
    expect(await openWrite(journal)).toEqual(['redoStarted']);
    expect(board.titles).toEqual([]);
    journal.answer = 'resolve';
    journal.acceptAll();
    await redo;
    expect(board.titles).toEqual(['A']);
  });

  it('the end of a turn holds the promise of send and the next request, not the state', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([say('One.'), say('Two.')], { ports: { journal } });
    atOperation(f.session, 'committed', () => (journal.answer = 'wait'));
    let settled = false;
    const first = f.session.send('Go').then(() => (settled = true));
    expect(await openWrite(journal)).toContain('completed');
    expect(f.session.isRunning.value).toBe(false);
    expect(settled).toBe(false);
    const second = f.session.send('Next');
    await settle();
    expect(f.session.isRunning.value).toBe(true);
    expect(f.provider.requests).toHaveLength(1);
    journal.answer = 'resolve';
    journal.acceptAll();
    await Promise.all([first, second]);
    expect(f.provider.requests).toHaveLength(2);
  });
});

describe('a confirmation and its record', () => {
  const act = () => spyTool('act');
  const guards = [confirmTools('app.act')];

  it.each([
    { first: 'answer', title: 'an answer that is given meanwhile counts' },
    { first: 'record', title: 'an answer that follows the record lets it run' },
  ])('the call runs only when it is approved and its question is written: $title', async ({ first }) => {
    const journal = recordingJournal('resolve');
    const tool = act();
    await using f = fixture([callTools('', { tool: 'app.act' }), say('Done.')], {
      domains: [{ id: 'app', tools: [{ ...tool, replay: 'safe' }] }],
      guards,
      ports: { journal },
    });
    atOperation(f.session, 'guardDecided', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('confirmationRequested');
    const answer = () => f.session.pendingConfirmation.value!.approve();
    const record = () => {
      journal.answer = 'resolve';
      journal.acceptAll();
    };
    if (first === 'answer') expect(await answer()).toBe('accepted');
    else record();
    await settle();
    expect(tool.runs).toHaveLength(0);
    if (first === 'answer') record();
    else await answer();
    await turn;
    expect(tool.runs).toHaveLength(1);
  });

  it('the answer of a handler waits for the record likewise', async () => {
    const journal = recordingJournal('resolve');
    const tool = act();
    await using f = fixture([callTools('', { tool: 'app.act' }), say('Done.')], {
      domains: [{ id: 'app', tools: [{ ...tool, replay: 'safe' }] }],
      guards,
      confirm: () => ({ approve: true }),
      ports: { journal },
    });
    atOperation(f.session, 'guardDecided', () => (journal.answer = 'wait'));
    const turn = f.session.send('Go');
    expect(await openWrite(journal)).toContain('confirmationRequested');
    expect(f.observed.types).toContain('confirmationResolved');
    expect(tool.runs).toHaveLength(0);
    journal.answer = 'resolve';
    journal.acceptAll();
    await turn;
    expect(tool.runs).toHaveLength(1);
  });
});

describe('the options', () => {
  it('a tool with an unknown replay is refused', () => {
    const tool = { ...spyTool('act'), replay: 'always' as 'safe' };
    expect(() =>
      createAgentSession({ provider: scriptedProvider([]), domains: [{ id: 'app', tools: [tool] }] }),
    ).toThrow('The tool "app.act": replay: it is "always", none of "never", "ask", "safe".');
  });

  it('a journal without a function write is refused', () => {
    const journal = {} as RecordingJournal;
    expect(() => createAgentSession({ provider: scriptedProvider([]), ports: { journal } })).toThrow(
      'The options of a session: ports.journal.write: it is no function.',
    );
  });
});
