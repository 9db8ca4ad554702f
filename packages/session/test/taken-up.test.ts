// The effects of an interrupted turn as the next session takes them up.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentSessionError, defineTool, preloadTurns, type LocalAgentSession } from '@banister/session';
import {
  callTools,
  memoryLog,
  recordingHistory,
  recordingJournal,
  say,
  settle,
  stall,
} from '@banister/testing';
import type { LazyCode } from '../src/ports/lazy-code.js';
import { logCode } from '../src/session/log-code.js';
import { resumeCode } from '../src/session/resume-code.js';
import { sessionCode } from '../src/session/session-code.js';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { names } from './fixture.js';
import { left, open } from './left-turn.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

const restoringHistory = (...faults: Parameters<typeof recordingHistory>) =>
  Object.assign(recordingHistory(...faults), {
    restore: () => ({ revert: () => Promise.reject(new Error()) }),
  });

/** As though the code was not loaded yet, and could not be. */
function failToLoad(code: LazyCode<unknown>): void {
  vi.spyOn(code, 'loaded', 'get').mockReturnValue(undefined);
  vi.spyOn(code, 'get').mockImplementation(() =>
    Promise.reject(new AgentSessionError('network', 'A part of this page could not be loaded.')),
  );
}

/** The effects that stay in the last turn of the conversation that a session saves, as another session opens it. */
function savedEffects(session: LocalAgentSession): readonly string[] {
  const next = createSession([], { conversation: session.save() });
  const { irreversible = [], lost = [] } = next.session.turns.value.at(-1)?.outcome?.report ?? {};
  return names([...irreversible, ...lost]);
}

describe('the effects of an interrupted turn', () => {
  it.each(['begin', 'record'] as const)(
    'are reverted by their own code if %s of the history throws',
    async (method) => {
      const log = await left();
      const history = restoringHistory({ [method]: 'throw' });
      const { session } = await open(log, [], { history });
      const report = await session.abandon();
      expect(names(report.done)).toEqual(['Added A']);
      expect(report).toMatchObject({ failed: [], irreversible: [], lost: [], unknown: [] });
      expect(log.board.cards).toEqual([]);
    },
  );

  it.each(['committed', 'rolledBack'] as const)(
    'are not given to the history again after the log has %s',
    async (type) => {
      const board = dataBoard();
      const answers =
        type === 'committed' ? [callTools(addCard('A')), say('Done.')] : [callTools(addCard('A'))];
      const first = createSession(answers, { domains: [board.domain()] });
      await codeOf(first.session.send('Go'));
      const end = first.operations.findIndex((operation) => operation.type === type) + 1;
      const history = restoringHistory({ begin: 'throw' });
      const log = { records: recordsOf([first.operations.slice(0, end)]), board };
      const { session, operations } = await open(log, [], { history });
      const status = type === 'committed' ? 'completed' : 'failed';
      await codeOf(session.resume());
      expect(session.turns.value.at(-1)?.status).toBe(status);
      expect(history.calls).toEqual([]);
      expect(operations.map((operation) => operation.type)).not.toContain('rollbackStarted');
    },
  );

  it('can be undone even if their call runs again and records nothing', async () => {
    const cards: string[] = [];
    const add = defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object' },
      replay: 'safe',
      undo: { revert: () => void cards.pop() },
      async execute(_args, { undo }) {
        if (cards.length > 0) return;
        await undo({ description: 'Added A', data: {} });
        cards.push('A');
        await new Promise(() => {});
      },
    });
    const options = { domains: [{ id: 'board', tools: [add] }] };
    const log = await left([callTools(addCard('A'))], options);
    const { session } = await open(log, [say('Done.')], options);
    await session.resume();
    expect(names((await session.undo()).done)).toEqual(['Added A']);
    expect(cards).toEqual([]);
  });

  it('are in a conversation that is saved while the turn is resumed', async () => {
    const { session } = await open(await left(), [say('Done.')]);
    const saved: string[] = [];
    session.operations$.subscribe(({ type }) => {
      if (type !== 'turnResumed') return;
      saved.push(...savedEffects(session));
    });
    await session.resume();
    expect(saved).toEqual(['Added A']);
  });

  it('do not change if the clock throws while the turn is resumed: the turn stays interrupted', async () => {
    const log = await left();
    const { session, operations, clock } = await open(log);
    const { now } = clock;
    let readings = 0;
    Object.assign(clock, {
      now: () => {
        if (++readings === 2) throw new Error('No time.');
        return now();
      },
    });
    expect(await codeOf(session.abandon())).toBe('provider-contract');
    Object.assign(clock, { now });
    expect(session.interrupted.value).not.toBeNull();
    expect(operations).toHaveLength(1);
    expect(names((await session.abandon()).done)).toEqual(['Added A']);
  });
});

it('are saved by a follower with a running turn', async () => {
  const log = memoryLog();
  const board = dataBoard();
  const options = { id: 'chat-1', log, domains: [board.domain()] };
  const writer = createSession([callTools(addCard('A')), stall('Half')], options);
  await opened(writer.session);
  const follower = createSession([], options, writer.clock);
  await opened(follower.session);
  void writer.session.send('Go');
  await settle();
  await writer.clock.advance(100);
  expect(savedEffects(follower.session)).toEqual(['Added A']);
  await follower.session.dispose();
  await writer.session.dispose();
});

describe('a rollback that was interrupted after a revert, before its record', () => {
  /** Rolls a turn back whose session ends inside the revert of its one effect. */
  async function cutInRevert(by: 'closure' | 'data') {
    const board = createBoard();
    const data = dataBoard();
    const domains = [by === 'closure' ? board.domain() : data.domain()];
    const first = createSession([callTools(addCard('A')), stall('Half')], { domains });
    void first.session.send('Go');
    await settle();
    await first.session.cancel();
    const end = first.operations.findIndex(({ type }) => type === 'effectReverted');
    const { session } = createSession([], {
      domains,
      restored: { snapshot: null, records: recordsOf([first.operations.slice(0, end)]) },
    });
    await opened(session);
    expect(session.interrupted.value?.at).toBe('rollback');
    return { report: await session.abandon(), cards: by === 'closure' ? board.titles : data.cards, data };
  }

  it('an effect whose closure ran without a record is `lost`; an effect with data is reverted again', async () => {
    const { report, cards } = await cutInRevert('closure');
    expect(cards).toEqual([]);
    expect(names(report.lost)).toEqual(['Added A']);
    expect(report).toMatchObject({ done: [], failed: [], irreversible: [], unknown: [] });
  });

  it('reverts an effect with data again, and lists it as undone', async () => {
    const { report, cards, data } = await cutInRevert('data');
    expect(cards).toEqual([]);
    expect(names(report.done)).toEqual(['Added A']);
    const reverts = data.runs.filter(({ direction }) => direction === 'revert');
    expect(reverts).toHaveLength(2);
    expect(new Set(reverts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });
});

describe('while code cannot be loaded', () => {
  afterEach(() => vi.restoreAllMocks());

  it('no undo begins before the code that writes to the journal is loaded', async () => {
    const board = dataBoard();
    const domains = [board.domain()];
    const first = createSession([callTools(addCard('A')), say('Done.')], { domains });
    await first.session.send('Go');
    failToLoad(logCode);
    const journal = recordingJournal();
    const conversation = first.session.save();
    const { session } = createSession([], { domains, conversation, ports: { journal } });
    expect(await codeOf(session.undo())).toBe('network');
    expect(board.cards).toEqual(['A']);
    vi.restoreAllMocks();
    expect(names((await session.undo()).done)).toEqual(['Added A']);
    expect(journal.operations.map(({ type }) => type)).toContain('undoStarted');
  });

  it.each([
    ['that opens logs', 'resume', logCode],
    ['that opens logs', 'abandon', logCode],
    ['of sessions', 'resume', sessionCode],
    ['of sessions', 'abandon', sessionCode],
  ] as const)('%s, %s rejects network, and can be called again', async (_code, name, code) => {
    const { records, board } = await left();
    failToLoad(code);
    const { session, operations } = createSession([say('Done.')], {
      domains: [board.domain()],
      restored: { snapshot: null, records },
      ports: { journal: recordingJournal() },
    });
    expect(await codeOf(session[name]())).toBe('network');
    expect(operations).toEqual([]);
    vi.restoreAllMocks();
    expect(await codeOf(session[name]())).toBe('resolved');
    expect(session.interrupted.value).toBeNull();
    expect(session.turns.value).toHaveLength(1);
  });

  it.each(['resume', 'abandon', 'undo'] as const)(
    'for ending interrupted work, %s rejects `network`, the turn stays interrupted, and the call can be repeated',
    async (name) => {
      const log = await left();
      failToLoad(resumeCode);
      const { session } = await open(log, [say('Done.')]);
      expect(await codeOf(session[name]())).toBe('network');
      expect(session.interrupted.value).not.toBeNull();
      expect(log.board.cards).toEqual(['A']);
      vi.restoreAllMocks();
      expect(await codeOf(session[name]())).toBe('resolved');
      expect(session.interrupted.value).toBeNull();
      expect(log.board.cards).toEqual(name === 'resume' ? ['A'] : []);
    },
  );
});

describe('the code that ends interrupted work', () => {
  afterEach(() => vi.restoreAllMocks());

  it('V4 the code that ends interrupted work is fetched when such a turn is opened', async () => {
    const fetched = vi.spyOn(resumeCode, 'get');
    await open(await left(), []);
    expect(fetched).toHaveBeenCalledOnce();
  });

  it('V4 is fetched by a session that follows a log, whose writer may end in the middle of a turn', async () => {
    const log = memoryLog();
    const writer = createSession([], { id: 'chat', log });
    await opened(writer.session);
    const fetched = vi.spyOn(resumeCode, 'get');
    const follower = createSession([], { id: 'chat', log });
    await opened(follower.session);
    expect(follower.session.link.value.role).toBe('follower');
    expect(fetched).toHaveBeenCalledOnce();
  });

  it('is fetched by preloadTurns for a session with a journal', async () => {
    const fetched = vi.spyOn(resumeCode, 'get');
    await preloadTurns();
    expect(fetched).not.toHaveBeenCalled();
    await preloadTurns({ ports: { journal: recordingJournal() } });
    expect(fetched).toHaveBeenCalledOnce();
  });

  it('is not fetched for a log without interrupted work', async () => {
    const fetched = vi.spyOn(resumeCode, 'get');
    const { session } = createSession([say('Hello.')], { id: 'chat', log: memoryLog() });
    await opened(session);
    await session.send('Hi');
    expect(fetched).not.toHaveBeenCalled();
  });
});
