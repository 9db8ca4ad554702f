// Random schedules: the journal refuses, hangs or answers late, while the user cancels and undoes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callTools, recordingJournal, say, settle, spyTool } from '@banister/testing';
import { confirmTools, type SessionOptions } from '@banister/session';
import { propertyRun } from '../../../test/kit/property-run.js';
import { fixture, terminals, type Fixture } from './fixture.js';

const answers = fc.array(fc.constantFrom('done', 'resolve', 'resolve', 'wait', 'wait', 'refuse', 'throw'), {
  minLength: 1,
  maxLength: 12,
});
const calls = fc.array(fc.constantFrom('never', 'ask', 'safe', 'beside', 'confirmed', 'ahead'), {
  maxLength: 4,
});
const moves = fc.array(
  fc.constantFrom(
    'send',
    'send',
    'accept',
    'accept',
    'refuse',
    'approve',
    'approve',
    'flush',
    'time out',
    'outlast',
    'cancel',
    'abort',
    'undo',
    'redo',
  ),
  { minLength: 4, maxLength: 24 },
);

/** One user of one session, whose journal answers as the schedule has it. */
function createApp(
  answersOfJournal: readonly Parameters<typeof recordingJournal>[0][],
  whenUnsaved: SessionOptions['whenUnsaved'],
) {
  const stops = whenUnsaved === 'stop';
  let writes = 0;
  const unrecorded: string[] = [];
  const journal = recordingJournal(() => {
    const answer = answersOfJournal[writes++ % answersOfJournal.length];
    return typeof answer === 'string' ? answer : 'resolve';
  });
  const isRecorded = (callId: string) =>
    journal.operations.some((one) => one.type === 'toolStarted' && one.callId === callId);
  const tool = (name: string, options: Parameters<typeof spyTool>[1] = {}) =>
    spyTool(name, {
      ...options,
      execute: (_args, context) => {
        const isShown = !stops && !f.session.link.value.saved;
        if (!isShown && !isRecorded(context.callId)) unrecorded.push(name);
        context.undo({ description: name, revert: () => {}, reapply: () => {} });
      },
    });
  // It acts only behind the record of its effect.
  const ahead = spyTool('ahead', {
    undo: { revert: () => {} },
    execute: async (_args, { callId, undo }) => {
      const isSaved = () => stops || f.session.link.value.saved;
      const wasSaved = isSaved();
      await undo({ description: 'ahead', data: {} });
      const isThere = journal.operations.some(
        (one) => one.type === 'effectRecorded' && one.callId === callId,
      );
      if (wasSaved && isSaved() && !isThere) unrecorded.push('ahead');
    },
  });
  const tools = [
    ahead,
    tool('never'),
    tool('ask', { replay: 'ask' }),
    tool('safe', { replay: 'safe' }),
    tool('beside', { parallel: true }),
    tool('confirmed'),
  ];
  const f: Fixture = fixture([], {
    domains: [{ id: 'app', tools }],
    guards: [confirmTools('app.confirmed')],
    looseScript: true,
    whenUnsaved,
    ports: { journal },
  });
  return { f, journal, unrecorded };
}

function move(name: string, { f, journal }: ReturnType<typeof createApp>, names: readonly string[]): unknown {
  const { session, provider, clock } = f;
  const requests = names.map((tool, index) => ({ tool: `app.${tool}`, args: { index } }));
  switch (name) {
    case 'send':
      provider.push(requests.length > 0 ? callTools('Text. ', ...requests) : say('Text.'), say('Done.'));
      return void session.send('Go');
    case 'accept':
      return journal.acceptAll();
    case 'refuse':
      return journal.writes.at(-1)?.refuse();
    case 'approve':
      return void session.pendingConfirmation.value?.approve();
    case 'flush':
      return clock.advance(50);
    case 'time out':
      return clock.advance(5_000);
    case 'outlast':
      return clock.advance(35_000);
    case 'cancel':
    case 'abort':
      return void session.cancel({ immediate: name === 'abort' });
    default:
      return void session[name as 'undo' | 'redo']();
  }
}

/** Accepts and approves all that is open, until nothing is. */
async function rest(app: ReturnType<typeof createApp>): Promise<void> {
  for (let time = 0; time < 12; time++) {
    app.journal.acceptAll();
    await move('approve', app, []);
    await app.f.clock.advance(5_000);
  }
}

/** Takes back a turn that was put down. */
async function abandonInterrupted(app: ReturnType<typeof createApp>): Promise<void> {
  const { session } = app.f;
  if (session.interrupted.value === null) return;
  void session.abandon();
  await rest(app);
}

function schedules(whenUnsaved: SessionOptions['whenUnsaved']) {
  return fc.asyncProperty(
    answers,
    fc.array(calls, { minLength: 1 }),
    moves,
    async (given, batches, steps) => {
      const app = createApp(given, whenUnsaved);
      const { f, journal } = app;
      let step = 0;
      for (const name of steps) {
        await move(name, app, batches[step++ % batches.length]!);
        await settle();
      }
      // From here on the journal answers, and the user does.
      journal.answer = 'resolve';
      await rest(app);
      await abandonInterrupted(app);
      expect(f.session.isRunning.value).toBe(false);
      expect(f.session.phase.value).toBe('idle');
      const started = f.observed.operations.filter(({ type }) => type === 'turnStarted');
      expect(terminals(f)).toHaveLength(started.length);
      f.provider.push(say('Done.'));
      void f.session.send('Last');
      await rest(app);
      expect(f.session.link.value.saved).toBe(true);
      await f.session.dispose();
      expect(app.unrecorded).toEqual([]);
      expect(journal.operations).toEqual(f.observed.operations);
      journal.check();
      f.check();
      expect(f.clock.pending).toBe(0);
    },
  );
}

test('F4 no call acts without its record while the session is shown as saved, for any journal', async () => {
  await fc.assert(schedules('continue'), propertyRun('journal schedules', 600));
});

test('served H1 with whenUnsaved: stop no call ever acts without its record, every turn ends, and the log has no gap', async () => {
  await fc.assert(schedules('stop'), propertyRun('journal schedules that stop', 600));
});
