// A write that is refused, or takes longer than 5 s.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  gate,
  recordingJournal,
  say,
  settle,
  spyTool,
  type RecordingJournal,
} from '@banister/testing';
import { confirmTools, type OperationType } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, rejection, terminals, type FixtureOptions } from './fixture.js';

/** Answers writes with an operation of the type in a way of its own, all others at once. */
const at =
  (type: OperationType, answer: 'refuse' | 'throw' | 'wait'): Exclude<RecordingJournal['answer'], string> =>
  ({ operations }) =>
    operations.some((operation) => operation.type === type) ? answer : 'resolve';

/** A session whose only call is confirmed by the user. */
function confirmed(journal: RecordingJournal, options: FixtureOptions = {}) {
  const board = createBoard();
  const f = fixture([callTools('One. ', addCard('A')), say('Done.'), say('More.')], {
    domains: [board.domain()],
    guards: [confirmTools('board.add')],
    looseScript: true,
    ports: { journal },
    ...options,
  });
  f.session.operations$.subscribe((operation) => {
    if (operation.type === 'confirmationRequested')
      void f.session.respond(operation.request.id, { approve: true });
  });
  return { f, board };
}

const ways = ['refuse', 'throw', 'wait'] as const;
const positions = [
  { position: 'the user message', type: 'turnStarted', called: false },
  { position: 'a question to the user', type: 'confirmationRequested', called: false },
  { position: 'the start of a call', type: 'toolStarted', called: false },
  { position: 'the results of a round', type: 'roundCompleted', called: true },
  { position: 'the start of the commit', type: 'commitStarted', called: true },
] as const;

describe.each(ways)('a journal that answers with: %s', (way) => {
  it.each(positions)(
    'F4 $position: the turn fails with storage and is rolled back',
    async ({ type, called }) => {
      const journal = recordingJournal(at(type, way));
      const { f, board } = confirmed(journal);
      await using _ = f;
      let added = 0;
      atOperation(f.session, 'toolCompleted', () => (added = board.titles.length));
      const failure = rejection(f.session.send('Go'));
      await f.clock.advance(4_999);
      if (way === 'wait') expect(terminals(f)).toEqual([]);
      await f.clock.advance(1);
      expect((await failure).code).toBe('storage');
      expect(terminals(f)).toEqual(['failed']);
      expect(added).toBe(called ? 1 : 0);
      expect(board.titles).toEqual([]);
      expect(f.session.link.value.saved).toBe(false);
      expect(f.session.isRunning.value).toBe(false);

      // As without a journal, while the session is shown as unsaved.
      expect((await f.session.send('Next')).status).toBe('completed');
      expect(f.session.link.value.saved).toBe(false);

      // The backlog, without a gap.
      journal.answer = 'resolve';
      journal.acceptAll();
      f.provider.push(say('Again.'), say('Again.'));
      await f.session.send('Third');
      await settle();
      expect(f.session.link.value.saved).toBe(true);
      await f.session.dispose();
      expect(journal.operations).toEqual(f.observed.operations);
      journal.check();
    },
  );

  it('F4 the record of an effect: the tool that waits for it does not act, and the turn fails with storage', async () => {
    const journal = recordingJournal(at('effectRecorded', way));
    let acts = 0;
    let reverts = 0;
    const act = spyTool('act', {
      undo: { revert: () => void reverts++ },
      execute: async (_args, { undo }) => {
        await undo({ description: 'Acted', data: {} });
        acts++;
      },
    });
    await using f = fixture([callTools({ tool: 'app.act' })], {
      domains: [{ id: 'app', tools: [act] }],
      ports: { journal },
    });
    const failure = rejection(f.session.send('Go'));
    await f.clock.advance(4_999);
    if (way === 'wait') expect(terminals(f)).toEqual([]);
    await f.clock.advance(1);
    expect((await failure).code).toBe('storage');
    expect(acts).toBe(0);
    // The code of an effect is correct also where the effect did not happen.
    expect(reverts).toBe(1);
    expect(terminals(f)).toEqual(['failed']);
    expect(f.session.link.value.saved).toBe(false);
  });

  it('a question that the handler is asked: the turn fails at once, and the signal of the handler fires', async () => {
    const journal = recordingJournal(at('confirmationRequested', way));
    let signal: AbortSignal | undefined;
    const { f, board } = confirmed(journal, {
      confirm: (_request, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    await using _ = f;
    const failure = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    expect((await failure).code).toBe('storage');
    expect(signal?.aborted).toBe(true);
    expect(board.titles).toEqual([]);
  });

  it('if the end of a turn is refused, the outcome stands, and `send` rejects with it', async () => {
    const journal = recordingJournal(at('completed', way));
    const { f, board } = confirmed(journal);
    await using _ = f;
    const failure = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    const error = await failure;
    expect(error.code).toBe('storage');
    expect(error.details.outcome).toEqual(f.session.lastOutcome.value);
    expect(f.session.lastOutcome.value?.status).toBe('completed');
    expect(board.titles).toEqual(['A']);
    expect(f.session.link.value.saved).toBe(false);
    expect(terminals(f)).toEqual(['completed']);
  });

  it.each(['undo', 'redo'] as const)(
    'the start of %s: it rejects storage, and nothing changes',
    async (command) => {
      const journal = recordingJournal('resolve');
      const { f, board } = confirmed(journal);
      await using _ = f;
      await f.session.send('Go');
      if (command === 'redo') await f.session.undo();
      await settle();
      const before = [...board.titles];
      journal.answer = way;
      const failure = rejection(f.session[command]());
      await f.clock.advance(5_000);
      expect((await failure).code).toBe('storage');
      expect(board.titles).toEqual(before);
      expect(f.session.phase.value).toBe('idle');
      expect(f.session[command === 'undo' ? 'canUndo' : 'canRedo'].value).toBe(true);
      // Unsaved from here on: it does not wait.
      expect((await f.session[command]()).done).toHaveLength(1);
    },
  );
});

describe('text that is refused', () => {
  async function withRefusedText() {
    const journal = recordingJournal();
    const more = gate();
    const f = fixture([say(['One', ' half', more, ' and half'])], { ports: { journal } });
    const turn = f.session.send('Go');
    await more.reached;
    journal.answer = 'refuse';
    expect(f.session.link.value.saved).toBe(true);
    await f.clock.advance(50);
    expect(f.session.link.value.saved).toBe(false);
    return { journal, f, turn, more };
  }

  it('text that is refused is written again with the next barrier', async () => {
    const { journal, f, turn, more } = await withRefusedText();
    await using _ = f;
    journal.answer = 'resolve';
    more.open();
    expect((await turn).text).toBe('One half and half');
    expect(f.session.link.value.saved).toBe(true);
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('and refused again with the next barrier, fails the turn that meets it', async () => {
    const { f, turn, more } = await withRefusedText();
    await using _ = f;
    more.open();
    expect((await rejection(turn)).code).toBe('storage');
    expect(terminals(f)).toEqual(['failed']);
  });

  it('sets no further timer while the session is unsaved', async () => {
    const { f, turn, more } = await withRefusedText();
    await using _ = f;
    const timers = f.clock.pending;
    more.open();
    await settle();
    await rejection(turn);
    expect(f.clock.pending).toBeLessThan(timers);
    expect(f.clock.pending).toBe(0);
  });
});

describe('a write that is answered after 5 s', () => {
  async function late() {
    const journal = recordingJournal(at('toolStarted', 'wait'));
    const { f, board } = confirmed(journal);
    const failure = rejection(f.session.send('Go'));
    await f.clock.advance(5_000);
    expect((await failure).code).toBe('storage');
    const writes = journal.writes.length;
    return { journal, f, board, writes };
  }

  it('a write that is accepted late is not made twice', async () => {
    const { journal, f, writes } = await late();
    await using _ = f;
    journal.answer = 'resolve';
    await settle();
    expect(journal.writes).toHaveLength(writes);
    journal.writes.at(-1)!.accept();
    await settle();
    expect(journal.writes).toHaveLength(writes + 1);
    expect(f.session.link.value.saved).toBe(true);
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('refused: is written again with the next barrier, and not before', async () => {
    const { journal, f, writes } = await late();
    await using _ = f;
    journal.answer = 'resolve';
    journal.writes.at(-1)!.refuse();
    await settle();
    await f.clock.advance(60_000);
    expect(journal.writes).toHaveLength(writes);
    await f.session.send('Next');
    await settle();
    expect(f.session.link.value.saved).toBe(true);
    expect(journal.operations).toEqual(f.observed.operations);
    journal.check();
  });

  it('never: dispose resolves, and no timer is left', async () => {
    const { f } = await late();
    await f.session.dispose();
    expect(f.clock.pending).toBe(0);
  });
});

it('a session is disposed within 5 s of a journal that hangs', async () => {
  const journal = recordingJournal();
  await using f = fixture([say('Done.')], { ports: { journal } });
  await f.session.send('Go');
  journal.answer = 'wait';
  let disposed = false;
  void f.session.dispose().then(() => (disposed = true));
  await f.clock.advance(4_999);
  expect(disposed).toBe(false);
  await f.clock.advance(1);
  expect(disposed).toBe(true);
  expect(f.clock.pending).toBe(0);
});

it('an effect on link that throws is reported, and harms nothing', async () => {
  const journal = recordingJournal('refuse');
  const { f } = confirmed(journal, { reportsErrors: true });
  await using _ = f;
  const stop = f.session.link.subscribe(({ saved }) => {
    if (!saved) throw new Error('A view failed.');
  });
  expect((await rejection(f.session.send('Go'))).code).toBe('storage');
  stop();
  expect(String(f.reported[0])).toContain('A view failed.');
});

it('the record of an effect that is refused after its tool has returned rejects in the tool', async () => {
  const journal = recordingJournal(at('effectRecorded', 'wait'));
  let recorded: Promise<unknown> = Promise.resolve();
  const act = spyTool('act', {
    undo: { revert: () => {} },
    execute: (_args, { undo }) => {
      recorded = undo({ description: 'Acted', data: {} }).catch((error: unknown) => error);
    },
  });
  await using f = fixture([callTools({ tool: 'app.act' })], {
    domains: [{ id: 'app', tools: [act] }],
    ports: { journal },
  });
  const turn = rejection(f.session.send('Go'));
  await settle();
  journal.answer = 'resolve';
  journal.writes.find(({ state }) => state === 'open')!.refuse();
  expect(await recorded).toMatchObject({ code: 'storage' });
  expect((await turn).code).toBe('storage');
  expect(f.observed.types).toContain('toolCompleted');
});
