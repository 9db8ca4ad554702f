import type { ToolCallView, TurnRecord } from '@banister/session';
import { expect, test } from 'vitest';
import { turnRail, noneAsked, turnRows } from './turn-rows.js';

const call = (id: string, tool: string, more: Partial<ToolCallView> = {}): ToolCallView => ({
  type: 'tool-call',
  id,
  tool,
  index: 0,
  state: 'settled',
  argumentsText: '',
  arguments: { column: 'Todo', title: id },
  result: { outcome: 'success', content: [] },
  ...more,
});

/** A turn that ended with these calls, one per round. Calls without a mark are in effect. */
function ended(calls: readonly ToolCallView[], more: Partial<TurnRecord> = {}): TurnRecord {
  return {
    id: 't1',
    parentId: null,
    input: { id: 'm1', role: 'user', parts: [] },
    rounds: calls.map((one) => ({ parts: [one] })),
    status: 'completed',
    outcome: { status: 'completed', usage: null, rounds: calls.length },
    messageIds: [],
    effects: calls
      .filter(({ reverted }) => !reverted)
      .map(({ id, tool }) => ({
        toolCallId: id,
        toolName: tool,
        description: id,
        irreversible: tool === 'board.publish_board',
      })),
    ...more,
  };
}

const rowsOf = (record: TurnRecord) =>
  turnRows(record, { table: null, lines: [], isStill: true, asked: noneAsked }).map((row) =>
    row.type === 'group' ? `${row.group.title}: ${row.group.summary} (${row.group.state})` : row.type,
  );

test('consecutive changes of an ended turn are one row, even across rounds', () => {
  const add = ['a', 'b', 'c'].map((id) => call(id, 'board.add_card'));
  expect(rowsOf(ended(add))).toEqual(['3 changes: added to Todo (done)']);
  const move = call('d', 'board.move_card', { arguments: { card: 'a', column: 'Done' } });
  expect(rowsOf(ended([...add, move]))).toEqual(['4 changes: 3 added, 1 moved (done)']);
});

test('a single change, a reading call, an irreversible call and a failed call have their own rows', () => {
  const failed = call('x', 'board.add_card', { result: { outcome: 'failed', content: [] } });
  const calls = [
    call('a', 'board.add_card'),
    call('r', 'board.list_cards'),
    call('b', 'board.add_card'),
    call('p', 'board.publish_board'),
    failed,
    call('c', 'board.add_card'),
  ];
  expect(rowsOf(ended(calls))).toEqual(Array(6).fill('part'));
});

test('undone changes have their own row', () => {
  const back = (id: string) => call(id, 'board.add_card', { reverted: true });
  const held = (id: string) => call(id, 'board.add_card');
  expect(rowsOf(ended([back('a'), back('b'), held('c'), held('d')]))).toEqual([
    '2 changes: added to Todo (undone)',
    '2 changes: added to Todo (done)',
  ]);
});

test('a running turn has a row for each call', () => {
  const calls = ['a', 'b'].map((id) => call(id, 'board.add_card'));
  expect(rowsOf(ended(calls, { outcome: null, status: 'running' }))).toEqual(['part', 'part']);
});

test('the rail is coloured if something can be undone, and plain if nothing can', () => {
  const report = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
  const held = ended([call('a', 'board.add_card')]);
  expect(turnRail({ ...held, outcome: null })).toBe('live');
  expect(turnRail(held)).toBe('held');
  expect(turnRail({ ...held, undo: { state: 'undone', report } })).toBe('undone');
  expect(turnRail({ ...held, undo: { state: 'partly-undone', report } })).toBe('held');
  expect(turnRail(ended([call('p', 'board.publish_board')]))).toBe('none');
  expect(turnRail(ended([]))).toBe('none');
});
