// What the demo shows for calls that did not run or failed: words for users, never words that were written
// for the model.
import {
  callsOf,
  createAgentSession,
  type JsonObject,
  type RejectionReason,
  type ToolCallView,
} from '@banister/session';
import type { ToolResultOutcome } from '@banister/provider';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardGuards } from '../board/board-guards.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createFault } from '../offline/fault.js';
import { offline } from '../offline/offline-provider.js';
import { shownResult } from './result-words.js';
import { stepWords } from './step-words.js';

const FOR_THE_MODEL = /\b(?:board|banister)\.\w|\b(?:Call|Look at|Check|Ask for|Parameters|revision)\b/;

function shownTexts(call: ToolCallView): readonly string[] {
  const question = null;
  const { reason, word } = stepWords(call, {
    question,
    isOver: true,
    isCurrent: false,
    isReviewed: false,
    title: 'A step',
  });
  return [word, reason ?? '', ...(shownResult(call)?.texts ?? [])];
}

const rejections: Readonly<Record<RejectionReason, true>> = {
  'unknown-tool': true,
  'invalid-arguments': true,
  middleware: true,
  denied: true,
  declined: true,
  'confirmation-timeout': true,
  'confirmation-failed': true,
  cancelled: true,
  'not-run': true,
  repeated: true,
  conflict: true,
  'validator-unavailable': true,
};
const outcomes: Readonly<Record<Exclude<ToolResultOutcome, 'success' | 'stop'>, true>> = {
  failed: true,
  denied: true,
  conflict: true,
  thrown: true,
  'timed-out': true,
  unusable: true,
  interrupted: true,
  rejected: true,
};

test('audit-V2 no row shows the text for the model, for any reason', () => {
  const content = [
    { type: 'text', text: 'board.delete_card was denied. Call board.list_cards first. Parameters: card.' },
  ] as const;
  const plain = {
    type: 'tool-call',
    id: 'c',
    tool: 'board.delete_card',
    argumentsText: '{}',
    index: 0,
    state: 'settled',
  } as const;
  const all = [
    ...Object.keys(rejections).map((rejection) => ({
      outcome: 'rejected' as const,
      rejection: rejection as RejectionReason,
    })),
    ...Object.keys(outcomes).map((outcome) => ({ outcome: outcome as ToolResultOutcome })),
  ];
  for (const { outcome, ...more } of all) {
    const call = { ...plain, ...more, result: { outcome, content } } as ToolCallView;
    for (const text of shownTexts(call)) expect(text, outcome).not.toMatch(FOR_THE_MODEL);
    expect(shownResult(call)?.texts.join('').length, outcome).toBeGreaterThan(5);
  }
});

test("audit-V2 the board's tools and guards have words for users, with the nearest titles", async () => {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools(
        { tool: 'board.delete_card', args: { card: 'Draw a logo' } },
        { tool: 'board.move_card', args: { card: 'Customers', column: 'Done' } },
        { tool: 'board.move_card', args: { card: 'Draw the logo', column: 'Done' } },
        { tool: 'board.edit_card', args: { card: 'Draw the logo', title: 'Draw the logo' } },
        { tool: 'board.edit_card', args: { card: 'Nowhere', title: '' } },
        { tool: 'board.fly' },
      ),
      say('Well.'),
    ]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    guards: createBoardGuards(board),
  });
  await session.send('Go');
  const calls = session.turns.peek().flatMap(({ rounds }) => rounds.flatMap(callsOf));
  await session.dispose();
  expect(calls.map((call) => shownTexts(call)[1])).toEqual([
    'There is no card “Draw a logo”. Near it: “Draw the logo”.',
    'There is no card “Customers”. Near it: “Interview five customers”.',
    '“Draw the logo” is in Done already.',
    '“Draw the logo” is so already.',
    'It did not run: its values do not fit.',
    'It did not run: there is no such tool.',
  ]);
});

test.each([
  ['Delete “Draw a logo”', 'There is no card “Draw a logo”. Near it: “Draw the logo”.'],
  ['Move “Draw the logo” to Done', '“Draw the logo” is in Done already.'],
  [`Add “${'x'.repeat(119)}”`, 'Added'],
])('audit-V2 the answer to %s has words for users', async (text, told) => {
  const board = new BoardStore(firstBoard);
  const still = { start: 0, thought: 0, word: 0, fragment: 0 };
  const session = createAgentSession({
    provider: offline({ pace: still, fault: createFault(null) }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    guards: createBoardGuards(board),
  });
  const { text: answer } = await session.send(text);
  await session.dispose();
  expect(answer).toContain(told);
  expect(answer).not.toMatch(FOR_THE_MODEL);
});

test('audit-V13 a step says where a card went; a step that clears a column names no destination', () => {
  const changeAt = (tool: string, args: JsonObject): string | null =>
    stepWords(
      {
        type: 'tool-call',
        id: 'c',
        tool,
        argumentsText: JSON.stringify(args),
        arguments: args,
        index: 0,
        state: 'settled',
        result: { outcome: 'success', content: [] },
      },
      { question: null, isOver: true, isCurrent: false, isReviewed: false, title: 'A step' },
    ).change;
  expect(changeAt('board.add_card', { column: 'Todo', title: 'Tea' })).toBe('to Todo');
  expect(changeAt('board.move_card', { column: 'Done', card: 'Tea' })).toBe('to Done');
  expect(changeAt('board.clear_column', { column: 'Done' })).toBeNull();
  expect(changeAt('board.edit_card', { card: 'Tea', title: 'Cake' })).toBeNull();
});
