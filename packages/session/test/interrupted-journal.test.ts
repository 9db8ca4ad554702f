// An interrupted turn goes on while its journal or its log fails.
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionLog } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import {
  callTools,
  checkOrder,
  createVirtualClock,
  type JournalAnswer,
  memoryLog,
  recordingJournal,
  say,
  settle,
  stall,
  type VirtualClock,
} from '@banister/testing';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { left, open } from './left-turn.js';
import { codeOf, createSession, opened } from './opened.js';

// The code of resume is loaded before a virtual clock could give up on it.
beforeAll(() => import('../src/session/end-interruption.js'));

const ways = ['resume', 'abandon'] as const;
const answers = () => [callTools('Two. ', addCard('B')), say('Done.')];

/** Moves time on until a promise has settled. */
async function finished<T>(promise: Promise<T>, clock: VirtualClock): Promise<T> {
  let isOver = false;
  const over = () => void (isOver = true);
  promise.then(over, over);
  for (let time = 0; !isOver && time < 20; time++) {
    await settle();
    await clock.advance(5_000);
  }
  expect(isOver).toBe(true);
  return promise;
}

/** Goes on with a turn whose journal answers one write in another way. */
async function goOn(by: (typeof ways)[number], failing: number, answer: JournalAnswer) {
  const log = await left();
  let writes = 0;
  const journal = recordingJournal(() => (writes++ === failing ? answer : 'resolve'));
  const unrecorded: string[] = [];
  const made = await open(log, answers(), { ports: { journal } });
  const { session, clock, operations } = made;
  session.operations$.subscribe((operation) => {
    if (operation.type !== 'effectRecorded' || !session.link.value.saved) return;
    const isRecorded = journal.operations.some(
      (one) => one.type === 'toolStarted' && one.callId === operation.callId,
    );
    if (!isRecorded) unrecorded.push(operation.callId);
  });
  const code = await finished(codeOf(session[by]()), clock);
  return { ...made, log, journal, code, unrecorded, hasFailed: writes > failing, operations };
}

describe.each(ways)('%s with a journal that fails', (by) => {
  it.each(['refuse', 'throw', 'wait'] as const)(
    'at any write (%s): the turn ends, nothing acts without its record, and the backlog is written without a gap',
    async (answer) => {
      for (let failing = 0, hasFailed = true; hasFailed; failing++) {
        const end = await goOn(by, failing, answer);
        const { session, journal, code, clock, log, operations, provider } = end;
        ({ hasFailed } = end);
        expect(session.state).toMatchObject({ interrupted: null, isRunning: false, phase: 'idle' });
        expect(['resolved', 'storage'], `write ${failing}`).toContain(code);
        if (session.turns.value.at(-1)?.status === 'failed') expect(log.board.cards).toEqual([]);
        else expect(log.board.cards).toEqual(['A', 'B']);
        expect(end.unrecorded).toEqual([]);
        journal.acceptAll();
        journal.answer = 'resolve';
        provider.push(say('Last.'), say('Last.'), say('Last.'));
        await finished(codeOf(session.send('Last')), clock);
        await finished(session.dispose(), clock);
        expect(journal.operations).toEqual(operations);
        journal.check();
        expect(checkOrder([...log.operations, ...operations])).toEqual([]);
        expect(clock.pending).toBe(0);
      }
    },
  );

  it('a turn that goes on in a session that is fenced has no terminal operation, and no revert that had not begun', async () => {
    for (let failing = 0, hasFailed = true; hasFailed; failing++) {
      const end = await goOn(by, failing, 'fence');
      ({ hasFailed } = end);
      if (!hasFailed) return;
      const { session, journal, operations, log, clock } = end;
      const types = operations.map(({ type }) => type);
      const isOver = ['completed', 'failed'].some((type) => types.includes(type as 'failed'));
      expect(isOver || end.code === 'storage', `write ${failing}: ${end.code}`).toBe(true);
      if (!types.includes('rollbackStarted')) expect(log.board.runs).toEqual([]);
      expect(await codeOf(session.send('Hi'))).toBe('storage');
      expect(await codeOf(session.resume())).toBe('storage');
      expect(session.link.value).toEqual({ role: 'read-only', open: true, saved: false });
      await session.dispose();
      journal.check();
      expect(clock.pending).toBe(0);
    }
  });
});

describe.each(ways)('%s in a log that fails', (by) => {
  const id = 'chat-1';

  /** The ways in which one append goes wrong. */
  const faults = {
    'is refused': () => Promise.reject(new Error('The disk is full.')),
    'is stored and refused': async (append: () => Promise<void>) => {
      await append();
      throw new Error('The connection was lost.');
    },
  } satisfies Record<string, (append: () => Promise<void>) => Promise<void>>;

  it.each(Object.entries(faults))(
    'at any record, which %s: the turn ends, and the log has every operation once',
    async (_name, fault) => {
      for (let failing = 0, hasFailed = true; hasFailed; failing++) {
        const clock = createVirtualClock(1_000);
        // Without snapshots the log keeps every record, and the test reads all operations there.
        const inner: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };
        let appends = -1_000;
        const log: SessionLog = {
          ...inner,
          append: (...args) => {
            const append = () => inner.append(...args);
            return appends++ === failing ? fault(append) : append();
          },
        };
        const board = dataBoard();
        const options = { id, log, domains: [board.domain()] };
        const first = createSession([callTools(addCard('A')), stall('Half')], options, clock);
        void first.session.send('Add A');
        await settle();
        await clock.advance(100);
        await first.session.dispose({ turn: 'leave' });
        const { session, provider } = createSession(answers(), options, clock);
        await opened(session);
        await settle();
        appends = 0;
        expect(['resolved', 'storage']).toContain(await finished(codeOf(session[by]()), clock));
        hasFailed = appends > failing;
        expect(session.state).toMatchObject({ interrupted: null, isRunning: false, phase: 'idle' });
        expect(board.cards).toEqual(session.turns.value.at(-1)?.status === 'failed' ? [] : ['A', 'B']);
        provider.push(say('Last.'), say('Last.'), say('Last.'));
        await finished(codeOf(session.send('Last')), clock);
        expect(session.link.value.saved).toBe(true);
        const { state } = session;
        const stored = (await inner.load(id)).records.flatMap(({ operations }) => operations);
        expect(fold(initialState(), stored)).toEqual(state);
        expect(checkOrder(stored)).toEqual([]);
        await finished(session.dispose(), clock);
        expect(clock.pending).toBe(0);
      }
    },
  );
});
