import { callTools } from '@banister/testing';
import type { CancelReport } from '@banister/session';
import { expect } from 'vitest';
import { addCard, type Board } from './board.js';
import { names, outline, rejection, terminals, type Fixture } from './fixture.js';

/** A first round that adds the card A; the cancel lands in the second one. */
export const firstRound = callTools('One. ', addCard('A'));
export const firstRoundMessages = ['user: Go', 'assistant: One.  | call board.add', 'user: result success'];

export interface Expected {
  readonly landed: CancelReport['landed'];
  readonly text: string;
  readonly conversation?: readonly string[];
  readonly completed?: readonly string[];
  readonly skipped?: readonly string[];
  readonly done?: readonly string[];
  readonly unknown?: readonly string[];
}

/** All columns of a row in which the turn ends as cancelled and everything is rolled back. */
export async function expectRolledBack(
  f: Fixture,
  board: Board,
  turn: Promise<unknown>,
  cancel: Promise<CancelReport>,
  expected: Expected,
): Promise<void> {
  const { session, provider, clock } = f;
  const report = await cancel;
  expect((await rejection(turn)).code).toBe('cancelled');
  expect(terminals(f)).toEqual(['cancelled']);
  // Text kept.
  expect(session.currentText.value).toBe(expected.text);
  // Conversation.
  expect(outline(session.conversation.value.messages)).toEqual(expected.conversation ?? firstRoundMessages);
  // Side effects.
  expect(board.titles).toEqual([]);
  // The report.
  expect(report.landed).toBe(expected.landed);
  expect(report.cancelled).toBe(true);
  expect(names(report.completed)).toEqual(expected.completed ?? ['Added A']);
  expect(names(report.skipped)).toEqual(expected.skipped ?? []);
  expect(names(report.undo.done)).toEqual(expected.done ?? ['Added A']);
  expect(report.undo.failed).toEqual([]);
  expect(names(report.undo.unknown)).toEqual(expected.unknown ?? []);
  expect(report.undo.irreversible).toEqual([]);
  // Idle, and nothing left.
  expect(session.isRunning.value).toBe(false);
  expect(session.phase.value).toBe('idle');
  expect(session.activeToolCalls.value).toEqual([]);
  expect(session.pendingConfirmations.value).toEqual([]);
  expect(session.lastError.value).toBeNull();
  expect(session.lastOutcome.value?.status).toBe('cancelled');
  for (const stream of provider.streams) expect(stream.closed).toBe(true);
  expect(clock.pending).toBe(0);
  f.check();
}
