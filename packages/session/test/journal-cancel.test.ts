// The row "waiting on the journal": cancel, abort and limits end the wait, and the step does not happen.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  gatedTool,
  recordingJournal,
  say,
  settle,
  spyTool,
  type RecordingJournal,
} from '@banister/testing';
import { confirmTools, type OperationOf, type Tool } from '@banister/session';
import {
  atOperation,
  fixture,
  rejection,
  resultTexts,
  terminals,
  type Fixture,
  type FixtureOptions,
} from './fixture.js';

const act = { tool: 'app.act' };

/** A turn that waits for the record of an operation. */
function waitingAt(type: string, options: FixtureOptions = {}) {
  const journal = recordingJournal(({ operations }) =>
    operations.some((operation) => operation.type === type) ? 'wait' : 'resolve',
  );
  const tool = spyTool('act');
  const f = fixture([callTools('One. ', act), say('Done.')], {
    domains: [{ id: 'app', tools: [tool] }],
    looseScript: true,
    ports: { journal },
    ...options,
  });
  return { journal, tool, f };
}

function interrupted({ observed }: Fixture): readonly OperationOf<'toolInterrupted'>[] {
  return observed.operations.filter((operation) => operation.type === 'toolInterrupted');
}

/** Accepts the open writes, as a journal that answers after the turn. */
async function answerLate(journal: RecordingJournal): Promise<void> {
  journal.answer = 'resolve';
  journal.acceptAll();
  await settle();
}

describe.each([
  { level: 'cancel', options: {} },
  { level: 'abort', options: { immediate: true } },
])('$level', ({ options }) => {
  it('waiting on the journal: the turn ends at once, and the request is not sent', async () => {
    const { journal, f } = waitingAt('messagesAppended');
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel(options);
    expect(terminals(f)).toEqual(['cancelled']);
    expect(f.provider.requests).toHaveLength(0);
    await answerLate(journal);
    expect((await turn).code).toBe('cancelled');
    expect(f.provider.requests).toHaveLength(0);
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('waiting on the journal: a call that waits is never called, and is recorded as `not-started`', async () => {
    const { journal, tool, f } = waitingAt('toolStarted');
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await settle();
    const report = await f.session.cancel(options);
    expect(terminals(f)).toEqual(['cancelled']);
    expect(interrupted(f).map(({ decision }) => decision)).toEqual(['not-started']);
    expect(report.skipped).toHaveLength(1);
    expect(report.undo.unknown).toEqual([]);
    await answerLate(journal);
    expect((await turn).code).toBe('cancelled');
    expect(tool.runs).toHaveLength(0);
    expect(f.session.turns.value[0]?.rounds[0]?.parts.at(-1)).toMatchObject({
      state: 'settled',
      rejection: 'not-run',
    });
  });

  it('waiting on the journal: an approved call whose question is not written is never called', async () => {
    const { journal, tool, f } = waitingAt('confirmationRequested', { guards: [confirmTools('app.act')] });
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.pendingConfirmation.value!.approve();
    await settle();
    await f.session.cancel(options);
    await answerLate(journal);
    expect((await turn).code).toBe('cancelled');
    expect(tool.runs).toHaveLength(0);
  });

  it('after the answer of a handler, while its question is written: its executor is never called', async () => {
    const { journal, tool, f } = waitingAt('confirmationRequested', {
      guards: [confirmTools('app.act')],
      confirm: () => ({ approve: true }),
    });
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel(options);
    expect(terminals(f)).toEqual(['cancelled']);
    await answerLate(journal);
    expect((await turn).code).toBe('cancelled');
    expect(tool.runs).toHaveLength(0);
  });

  it('while the commit waits on the journal, a cancel does nothing', async () => {
    const { journal, f } = waitingAt('commitStarted');
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    const report = f.session.cancel(options);
    await settle();
    expect(terminals(f)).toEqual([]);
    await answerLate(journal);
    expect((await turn).status).toBe('completed');
    expect((await report).cancelled).toBe(false);
  });

  it('while an undo waits: does nothing', async () => {
    const { journal, f } = waitingAt('undoStarted', {
      domains: [
        {
          id: 'app',
          tools: [
            spyTool('act', {
              execute: (_args, context) => context.undo({ description: 'Acted', revert: () => {} }),
            }),
          ],
        },
      ],
    });
    await using _ = f;
    await f.session.send('Go');
    const undo = f.session.undo();
    await settle();
    expect((await f.session.cancel(options)).cancelled).toBe(false);
    await answerLate(journal);
    expect((await undo).done).toHaveLength(1);
  });
});

it('a plain cancel lets calls finish beside one that waits on the journal', async () => {
  const journal = recordingJournal('resolve');
  const slow = gatedTool('slow', { parallel: true });
  const tool = spyTool('act', { parallel: true });
  await using f = fixture([callTools('', { tool: 'app.slow' }, act)], {
    domains: [{ id: 'app', tools: [slow, tool] }],
    ports: { journal },
  });
  f.session.operations$.subscribe((operation) => {
    if (operation.type === 'toolStarted' && operation.tool === 'app.act') journal.answer = 'wait';
  });
  const turn = rejection(f.session.send('Go'));
  const run = await slow.next();
  await settle();
  const report = f.session.cancel();
  await settle();
  expect(terminals(f)).toEqual([]);
  run.settle('Done.');
  expect((await report).completed).toHaveLength(1);
  expect(interrupted(f)).toHaveLength(1);
  await answerLate(journal);
  expect((await turn).code).toBe('cancelled');
  expect(tool.runs).toHaveLength(0);
});

it('a call that a handler approved after a cancel still runs, once it is recorded', async () => {
  const journal = recordingJournal('resolve');
  const tool = spyTool('act');
  let approve = () => {};
  await using f = fixture([callTools('', act)], {
    domains: [{ id: 'app', tools: [tool] }],
    guards: [confirmTools('app.act')],
    confirm: () => new Promise((resolve) => (approve = () => resolve({ approve: true }))),
    ports: { journal },
  });
  atOperation(f.session, 'guardDecided', () => (journal.answer = 'wait'));
  const turn = rejection(f.session.send('Go'));
  await settle();
  void f.session.cancel();
  approve();
  await settle();
  expect(tool.runs).toHaveLength(0);
  await answerLate(journal);
  expect((await turn).code).toBe('cancelled');
  expect(tool.runs).toHaveLength(1);
});

describe('while a tool waits until its effect is recorded', () => {
  /** A turn whose tool waits for the record of what it is about to do, and acts behind it. */
  async function waitingTool(abortable: boolean, options: FixtureOptions = {}) {
    let acts = 0;
    const tool: Tool = {
      ...spyTool('act'),
      abortable,
      undo: { revert: () => {} },
      execute: async (_args, context) => {
        await context.undo({ description: 'Acted', data: 1 });
        acts++;
      },
    };
    const { journal, f } = waitingAt('effectRecorded', {
      domains: [{ id: 'app', tools: [tool] }],
      ...options,
    });
    const turn = rejection(f.session.send('Go'));
    await settle();
    expect(f.observed.operations.at(-1)?.type).toBe('effectRecorded');
    return { journal, f, turn, acts: () => acts };
  }

  it.each([
    ['an abort', true, { immediate: true }],
    ['an abort', false, { immediate: true }],
    ['a cancel of an abortable tool', true, {}],
  ] as const)(
    '%s ends the turn at once, and the tool does not act (abortable: %s)',
    async (_name, abortable, cancel) => {
      const { journal, f, turn, acts } = await waitingTool(abortable);
      await using _ = f;
      await f.session.cancel(cancel);
      expect(terminals(f)).toEqual(['cancelled']);
      await answerLate(journal);
      expect((await turn).code).toBe('cancelled');
      expect(acts()).toBe(0);
    },
  );

  it('a cancel waits for a tool that is not abortable, as for any other that runs, and takes its effect back', async () => {
    const { journal, f, turn, acts } = await waitingTool(false);
    await using _ = f;
    const cancelled = f.session.cancel();
    await settle();
    expect(terminals(f)).toEqual([]);
    await answerLate(journal);
    expect((await cancelled).undo.done).toHaveLength(1);
    expect((await turn).code).toBe('cancelled');
    expect(acts()).toBe(1);
  });

  it('the time limit ends the turn, and the tool does not act', async () => {
    const { journal, f, turn, acts } = await waitingTool(false, { limits: { timeoutMs: 1_000 } });
    await using _ = f;
    await f.clock.advance(1_000);
    expect(terminals(f)).toEqual(['failed']);
    await answerLate(journal);
    expect((await turn).code).toBe('timeout');
    expect(acts()).toBe(0);
  });
});

it('the time limit ends the wait of a call, which is recorded as not started', async () => {
  const { journal, tool, f } = waitingAt('toolStarted', { limits: { timeoutMs: 1_000 } });
  await using _ = f;
  const turn = rejection(f.session.send('Go'));
  await f.clock.advance(1_000);
  expect(terminals(f)).toEqual(['failed']);
  expect(interrupted(f)).toHaveLength(1);
  await answerLate(journal);
  expect((await turn).code).toBe('timeout');
  expect(tool.runs).toHaveLength(0);
});

it('a call that waited has a result if a limit stops the turn', async () => {
  const { journal, tool, f } = waitingAt('toolStarted', { limits: { timeoutMs: 1_000, onTrip: 'stop' } });
  await using _ = f;
  const turn = f.session.send('Go');
  await f.clock.advance(1_000);
  await answerLate(journal);
  expect((await turn).status).toBe('stopped');
  expect(tool.runs).toHaveLength(0);
  expect(resultTexts(f.session.conversation.value)).toEqual([
    'Not run: the turn ended before this call was recorded.',
  ]);
});
