import { expect } from 'vitest';
import type { Operation, SessionOptions } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { callTools, settle, stall, type AnswerSource } from '@banister/testing';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

/** A turn that a session left in the middle. */
export interface Left {
  readonly records: readonly LogRecord[];
  readonly operations: readonly Operation[];
  readonly board: ReturnType<typeof dataBoard>;
}

/** Leaves a turn in the middle, and returns its log. */
export async function left(
  answers: readonly AnswerSource[] = [callTools(addCard('A')), stall('Half')],
  options: Partial<SessionOptions> = {},
): Promise<Left> {
  const board = dataBoard();
  const { session, operations } = createSession(answers, { domains: [board.domain()], ...options });
  const turn = codeOf(session.send('Add A'));
  await settle();
  const log = operations.slice();
  await session.dispose({ turn: 'leave' });
  expect(await turn).toBe('disposed');
  return { records: recordsOf([log]), operations: log, board };
}

/** Opens the log of a turn that was left. */
export async function open(
  { records, board }: Pick<Left, 'records' | 'board'>,
  answers: readonly AnswerSource[] = [],
  options: Partial<SessionOptions> = {},
) {
  const made = createSession(answers, {
    domains: [board.domain()],
    restored: { snapshot: null, records },
    ...options,
  });
  await opened(made.session);
  return made;
}
