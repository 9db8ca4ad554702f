import { createAgentSession, type LocalAgentSession } from '@banister/session';
import { gate, say, scriptedProvider, stall, type AnswerSource } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { announcement } from './announcement.js';
import {
  asksForTable,
  partsBeside,
  shownTable,
  tableSchema,
  tableWords,
  type ShownTable,
} from './table-answer.js';

const sessionOf = (...answers: readonly AnswerSource[]) =>
  createAgentSession({ provider: scriptedProvider(answers, { structuredOutput: true }) });

const whole = '{"caption": "Cards", "columns": ["Card", "Column"], "rows": [["Tea", "Todo"]]}';

const tableOf = (session: LocalAgentSession): ShownTable | null => {
  const record = session.liveTurn.peek() ?? session.turns.peek().at(-1);
  return record === undefined ? null : shownTable(session, record);
};

test('a message asks for a table with its last words, but not with words in quotation marks', () => {
  expect(asksForTable('Show the board as a table')).toBe(true);
  expect(asksForTable('What is in Done, As a Table?')).toBe(true);
  expect(asksForTable('Add a card "Show it as a table"')).toBe(false);
  expect(asksForTable('As a table it was easy to read')).toBe(false);
  expect(asksForTable('Show it as a tablet')).toBe(false);
});

test('a table is shown as far as it has arrived, and each row has all cells', async () => {
  const rest = gate();
  const session = sessionOf(
    say(['{"caption": "Ca', 'rds", "columns": ["Card", "Column", "Place"], "rows": [["Te', rest, 'a"]]}']),
  );
  const done = session.generate('As a table', tableSchema);
  await rest.reached;
  await vi.waitUntil(() => tableOf(session)?.rows.length === 1, 30_000);
  expect(tableOf(session)).toEqual({
    caption: 'Cards',
    columns: ['Card', 'Column', 'Place'],
    rows: [['Te', '', '']],
    isGrowing: true,
  });
  expect(announcement(session)).toBe('');
  rest.open();
  await done;
  const table = tableOf(session);
  expect(table).toMatchObject({ rows: [['Tea', '', '']], isGrowing: false });
  expect(tableWords(table!)).toBe('Table: Cards. 1 row, 3 columns.');
  expect(announcement(session)).toBe('Table: Cards. 1 row, 3 columns.');
  await session.dispose();
});

test('a row may be wider than the headers, cells of another type are left out, and unseen characters are shown', async () => {
  const session = sessionOf(
    stall(say(['{"caption": 7, "columns": ["A"], "rows": [["a\\u202eb", 1, "c"], 2'])),
  );
  session.generate('As a table', tableSchema).catch(() => {});
  await vi.waitUntil(() => tableOf(session)?.rows.length === 1, 30_000);
  const { caption, columns, rows } = tableOf(session)!;
  expect(caption).toBe('');
  expect(columns).toEqual(['A', '']);
  expect(rows[0]![0]).not.toContain('\u202e');
  expect(rows[0]![1]).toBe('c');
  await session.cancel();
  await session.dispose();
});

test('any other turn is not a table, and all its parts are drawn', async () => {
  const session = sessionOf(say('Hello.'), say(whole), say('{"n": 1}'));
  await session.send('Hi');
  expect(tableOf(session)).toBe(null);
  expect(partsBeside(null, session.turns.peek()[0]!.rounds[0]!.parts)).toHaveLength(1);
  await session.generate('As a table', tableSchema);
  expect(partsBeside(tableOf(session), session.turns.peek()[1]!.rounds[0]!.parts)).toEqual([]);
  await session.generate('A number', { type: 'object', properties: { n: { type: 'number' } } });
  expect(tableOf(session)).toBe(null);
  expect(announcement(session)).toBe('');
  await session.dispose();
});
