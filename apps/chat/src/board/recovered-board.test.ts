// A page ends while a call of the agent runs, and the next page finds out whether the call ran.
import { callsOf, createAgentSession, type Operation } from '@banister/session';
import { toStored } from '@banister/session/operations';
import { memoryLog } from '@banister/storage';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { expect, test } from 'vitest';
import { createBoardDomain } from './board-domain.js';
import { BoardStore, type BoardKeeper, type SavedBoard } from './board-store.js';
import { firstBoard } from './first-board.js';

const calls = [
  { tool: 'board.add_card', args: { column: 'Todo', title: 'Plan' } },
  { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo' } },
  { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } },
  { tool: 'board.delete_card', args: { card: 'card-name' } },
  { tool: 'board.clear_column', args: { column: 'Todo' } },
  { tool: 'board.publish_board', args: { audience: 'team' } },
] as const;

/** Returns the titles by column. Ids are random, and an undo does not restore the order within a column. */
const shownBy = (board: BoardStore) =>
  board.columns.peek().map(({ cards }) => cards.map(({ title }) => title).sort());

function openBoard(saved: SavedBoard | null) {
  let kept = saved;
  let isNews = saved !== null;
  const keeper: BoardKeeper = {
    read() {
      const news = isNews ? kept : null;
      isNews = false;
      return news;
    },
    write: (next) => void (kept = next),
  };
  return { board: new BoardStore(firstBoard, keeper), saved: () => kept };
}

async function firstPage(answers: readonly ScriptedAnswer[]) {
  const { board, saved } = openBoard(null);
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
  });
  const seen: { readonly operation: Operation; readonly saved: SavedBoard | null }[] = [];
  session.operations$.subscribe((operation) => seen.push({ operation, saved: saved() }));
  await session.send('Go');
  await session.dispose();
  return { board, seen };
}

async function logUpTo(operations: readonly Operation[]) {
  const log = memoryLog();
  const lease = await log.claim('chat', 'before', 60_000);
  const record = { version: 1, revision: 1, epoch: lease.epoch, operations: toStored(operations) } as const;
  await log.append(lease, record, { barrier: true });
  await log.release(lease);
  return log;
}

test.each(calls.flatMap((call, at) => [true, false].map((ran) => ({ tool: call.tool, at, ran }))))(
  'audit-V6 a call of $tool that a reload interrupted is completed, and can be undone (it ran: $ran)',
  async ({ at, ran }) => {
    const answers = [callTools(...calls), say('Done.')];
    const { board, seen } = await firstPage(answers);
    const starts = seen.flatMap(({ operation }, index) => (operation.type === 'toolStarted' ? index : []));
    const ends = seen.flatMap(({ operation }, index) => (operation.type === 'toolCompleted' ? index : []));
    const log = await logUpTo(seen.slice(0, starts[at]! + 1).map(({ operation }) => operation));
    const next = openBoard(seen[ran ? ends[at]! : starts[at]!]!.saved);
    const session = createAgentSession({
      id: 'chat',
      log,
      provider: scriptedProvider([say('Done.')]),
      domains: [createBoardDomain(next.board, { change: 0, publish: 0 })],
    });
    await expect.poll(() => session.interrupted.peek()).not.toBeNull();
    await session.resume();
    expect(shownBy(next.board)).toEqual(shownBy(board));
    const record = session.turns.peek()[0]!;
    expect(record.rounds.flatMap(callsOf).map(({ result }) => result?.outcome)).toEqual(
      calls.map(() => 'success'),
    );
    expect(record.unknown).toBeUndefined();
    expect(next.board.publication.peek()?.audience).toBe('team');
    await session.undo();
    expect(shownBy(next.board)).toEqual(
      firstBoard.map(({ cards }) => cards.map(({ title }) => title).sort()),
    );
    await session.redo();
    expect(shownBy(next.board)).toEqual(shownBy(board));
    await session.dispose();
  },
);
