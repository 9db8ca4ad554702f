import type { JsonValue, ToolCallView } from '@banister/session';
import { expect, test } from 'vitest';
import { firstBoard } from './first-board.js';
import { pendingEffects } from './pending-effects.js';

function callOf(tool: string, args: JsonValue | undefined, more: Partial<ToolCallView> = {}): ToolCallView {
  return {
    type: 'tool-call',
    id: 'call',
    tool,
    index: 0,
    state: 'assembling',
    argumentsText: '',
    arguments: args,
    ...more,
  };
}

test('a card appears as soon as its column is known, and grows with its title', () => {
  const effectOf = (args: JsonValue | undefined) =>
    pendingEffects([callOf('board.add_card', args)], firstBoard);
  expect(effectOf(undefined)).toEqual([]);
  expect(effectOf({ column: 'Do' })).toEqual([]);
  expect(effectOf({ column: 'Doing' })).toMatchObject([{ type: 'add', column: 'doing', title: '' }]);
  expect(effectOf({ column: 'Doing', title: 'Wat' })).toMatchObject([{ title: 'Wat', stage: 'assembling' }]);
});

test('an edited call shows the edited arguments', () => {
  const call = callOf(
    'board.delete_card',
    { card: 'Draw the logo' },
    { state: 'executing', ranWith: { card: 'Choose a name' } },
  );
  expect(pendingEffects([call], firstBoard)).toMatchObject([{ type: 'delete', cardId: 'card-name' }]);
});

test('a settled call has no pending effect', () => {
  expect(
    pendingEffects([callOf('board.clear_column', { column: 'Done' }, { state: 'settled' })], firstBoard),
  ).toEqual([]);
});

test('clearing a column is a pending effect on each of its cards', () => {
  expect(pendingEffects([callOf('board.clear_column', { column: 'Done' })], firstBoard)).toHaveLength(3);
});
