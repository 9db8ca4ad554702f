import { createAgentSession, type TurnRecord } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { expect, test } from 'vitest';
import { createTurnTimes, turnFigures, turnNotes } from './turn-figures.js';

const record = (usage: object | null) => ({ outcome: { usage } }) as unknown as Pick<TurnRecord, 'outcome'>;

test('audit-S6: a turn shows its time, its tokens and its cost, each if it is known', () => {
  const usage = { totalTokens: 1204, cost: { amount: 0.0021, currency: 'EUR' } };
  expect(turnFigures(record(usage), 4210)).toBe('4.2 s · 1,204 tokens · 0.0021 EUR');
  expect(turnFigures(record(null), 75_400)).toBe('1 min 15 s');
  expect(turnFigures(record({ totalTokens: 12 }), null)).toBe('12 tokens');
  expect(turnFigures(record(null), null)).toBe('');
});

test('audit-S6: a context source that fails is named, with the reason', async () => {
  const times = createTurnTimes();
  const session = createAgentSession({
    provider: scriptedProvider([say('Hello.')]),
    context: [
      {
        id: 'orders',
        policy: 'always',
        summary: () => {
          throw new Error('The table is locked.');
        },
      },
    ],
  });
  times.follow(session);
  await session.send('Hello');
  const notes = turnNotes(session);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(/^The agent did not see “orders”: .*locked/);
  expect(times.of(session.turns.value[0]!.id)).toBeGreaterThanOrEqual(0);
  await session.dispose();
});
