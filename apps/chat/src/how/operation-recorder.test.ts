import { createAgentSession, type LocalAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, createVirtualClock, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { codeLines } from './code-lines.js';
import { createOperationRecorder, type OperationRecorder } from './operation-recorder.js';

let recorder: OperationRecorder;
let sessions: LocalAgentSession[] = [];
afterEach(async () => {
  recorder.stop();
  for (const session of sessions) await session.dispose();
  sessions = [];
});

function open(): LocalAgentSession {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools({ tool: 'board.add_card', args: { column: 'Todo', title: 'One' } }),
      say('Done.'),
    ]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history: new BoardHistory(board),
  });
  sessions.push(session);
  return session;
}

function record() {
  const session = signal(open());
  const clock = createVirtualClock();
  recorder = createOperationRecorder(session, clock);
  return { session, clock, now: () => recorder.current.peek() };
}

const typesOf = ({
  steps,
}: {
  readonly steps: readonly { readonly operation: { readonly type: string } }[];
}) => steps.map(({ operation }) => operation.type);

test('operations from before the first reader are recorded and counted', async () => {
  const { session, clock, now } = record();
  await session.peek().send('Add a card');
  await clock.advance(100);
  const { operations, publications } = now();
  expect(typesOf(now())).toEqual(
    expect.arrayContaining(['turnStarted', 'toolCallPartial', 'toolStarted', 'committed', 'completed']),
  );
  expect(operations).toBe(now().steps.length);
  expect(publications).toBeGreaterThan(0);
  expect(publications).toBeLessThan(operations);
});

test('steps and the tasks of their lines light up together, and go out together', async () => {
  const { session, clock, now } = record();
  await session.peek().send('Add a card');
  await clock.advance(100);
  expect([...now().lit]).toEqual(expect.arrayContaining(['send', 'draw']));
  expect(new Set(now().steps.flatMap(({ isLit, job }) => (isLit ? job : [])))).toEqual(now().lit);
  await clock.advance(1_100);
  expect(now().lit.size).toBe(0);
  expect(now().steps.some(({ isLit }) => isLit)).toBe(false);
  expect(clock.pending).toBe(0);
});

test('an operation without lines belongs to the task before it: an effect is reverted by undo or by stop', async () => {
  const { session, clock, now } = record();
  await session.peek().send('Add a card');
  await session.peek().undo();
  await clock.advance(100);
  const { steps } = now();
  const reverted = steps.find(({ operation }) => operation.type === 'effectReverted');
  expect(reverted?.job).toBe('undo');
  expect([...now().lit]).toContain('undo');
});

test('each chat has its own record, even after it was left', async () => {
  const { session, clock, now } = record();
  const first = session.peek();
  await first.send('Add a card');
  await clock.advance(100);
  const { operations } = now();
  session.value = open();
  await clock.advance(100);
  expect(typesOf(now())).not.toContain('turnStarted');
  session.value = first;
  await clock.advance(100);
  expect(now().operations).toBe(operations);
});

test('in a long session the last 200 operations are kept, and all operations are counted', async () => {
  const { session, clock, now } = record();
  for (let turn = 0; turn < 60; turn++) {
    await session
      .peek()
      .enqueue(`Message ${turn}`)
      .catch(() => {});
    await session
      .peek()
      .send('x')
      .catch(() => {});
  }
  await clock.advance(100);
  expect(now().operations).toBeGreaterThan(400);
  expect(now().steps).toHaveLength(200);
  expect(now().steps.at(-1)!.operation.sequence - now().steps[0]!.operation.sequence).toBe(199);
});

test('after it has stopped, it records nothing and leaves no timer', async () => {
  const { session, clock, now } = record();
  await clock.advance(2_000);
  const before = now();
  recorder.stop();
  await session.peek().send('Add a card');
  await clock.advance(2_000);
  expect(now()).toBe(before);
  expect(clock.pending).toBe(0);
});

test('each operation has at most one task, and each task has its lines in every view', () => {
  const types = codeLines.flatMap(({ operations }) => operations);
  expect(new Set(types).size).toBe(types.length);
  for (const { code } of codeLines)
    for (const lines of typeof code === 'string' ? [code] : Object.values(code)) expect(lines).not.toBe('');
});
