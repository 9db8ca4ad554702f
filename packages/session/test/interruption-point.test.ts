// The next owner of a log reads from it where the work was cut.
import { describe, expect, it } from 'vitest';
import { callTools, gate, say, settle, spyTool, stall } from '@banister/testing';
import { confirmTools, type Operation, type OperationType, type SessionState } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';

/** The state of the next owner of a log. */
function takenOver(log: readonly Operation[]): SessionState {
  const state = fold(initialState(), log);
  const sequence = state.sequence + 1;
  return fold(state, [{ type: 'ownerChanged', epoch: 2, reason: 'opened', revertible: [], sequence, at: 0 }]);
}

/** The log up to the last operation of this type. */
function upTo(log: readonly Operation[], type: OperationType): readonly Operation[] {
  const last = log.findLastIndex((operation) => operation.type === type);
  if (last < 0) throw new Error(`The log has no ${type}.`);
  return log.slice(0, last + 1);
}

describe('a log that ends in the middle of a turn', () => {
  it('`interruption` shows where the turn was cut', async () => {
    await using f = fixture([callTools('One. ', addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
    });
    await f.session.send('Go');
    const log = f.observed.operations;
    const points = log.map((operation, index) => {
      const { interrupted } = takenOver(log.slice(0, index + 1));
      return [operation.type, interrupted?.at ?? null] as const;
    });
    expect(
      points.filter(([type], index) => type !== 'toolCallPartial' || points[index - 1]![0] !== type),
    ).toEqual([
      ['turnStarted', 'round'],
      ['messagesAppended', 'round'],
      ['roundStarted', 'stream'],
      ['modelCallStarted', 'stream'],
      ['text', 'stream'],
      ['toolCallPartial', 'stream'],
      ['modelCallFinished', 'batch'],
      ['toolsRequested', 'batch'],
      ['toolStarted', 'batch'],
      ['effectRecorded', 'batch'],
      ['toolCompleted', 'batch'],
      ['messagesAppended', 'round'],
      ['roundCompleted', 'round'],
      ['roundStarted', 'stream'],
      ['modelCallStarted', 'stream'],
      ['text', 'stream'],
      ['modelCallFinished', 'batch'],
      ['commitStarted', 'commit'],
      ['messagesAppended', 'commit'],
      ['committed', 'commit'],
      ['roundCompleted', 'commit'],
      ['completed', null],
    ]);
  });

  it('after a change of the owner the session is idle; the open turn is kept, with its running calls as `interrupted` and `unknown`', async () => {
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
    await f.session.send('Go');
    const log = f.observed.operations;
    const running = takenOver(upTo(log, 'toolStarted'));
    const { liveTurn, activeToolCalls } = running;
    expect(running).toMatchObject({ isRunning: false, phase: 'idle' });
    expect(liveTurn?.rounds[0]?.parts).toMatchObject([{ type: 'tool-call', state: 'interrupted' }]);
    expect(running.interrupted?.unknown).toEqual([activeToolCalls[0]!.id]);
    expect(takenOver(upTo(log, 'toolCompleted')).interrupted?.unknown).toEqual([]);
  });

  it.each(['rollback', 'keep'] as const)(
    'after a cancel with `sideEffects: %s`, the turn is interrupted at its end',
    async (sideEffects) => {
      const busy = gate();
      const slow = spyTool('slow', { execute: () => busy.pass() });
      await using f = fixture([callTools({ tool: 'app.slow' })], { domains: [{ id: 'app', tools: [slow] }] });
      const turn = f.session.send('Go');
      await settle();
      const cancelled = f.session.cancel({ sideEffects });
      busy.open();
      await Promise.allSettled([turn, cancelled]);
      const at = sideEffects === 'keep' ? 'commit' : 'rollback';
      const log = f.observed.operations;
      expect(takenOver(upTo(log, 'cancelRequested')).interrupted?.at).toBe(at);
      expect(takenOver(upTo(log, `${at}Started`)).interrupted?.at).toBe(at);
      expect(takenOver(log).interrupted).toBeNull();
    },
  );

  it('keeps an open question, without a deadline', async () => {
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Go');
    await settle();
    const open = takenOver(f.observed.operations);
    expect(open.pendingConfirmations).toMatchObject([{ expiresAt: null }]);
    expect(open.pendingConfirmations[0]!.id).toBe(f.session.pendingConfirmation.value!.id);
    void f.session.pendingConfirmation.value!.approve();
    await turn;
  });
});

it.each(['undo', 'redo'] as const)('in the middle of %s, the interruption is there', async (command) => {
  await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
  await f.session.send('Go');
  await f.session.undo();
  await f.session.redo();
  const log = f.observed.operations;
  const { turnId } = log[0]!;
  expect(takenOver(upTo(log, `${command}Started`)).interrupted).toEqual({
    turnId,
    at: command,
    unknown: [],
  });
  expect(takenOver(log).interrupted).toBeNull();
});

it('a saved conversation is never interrupted: its running turn is failed, and can be retried', async () => {
  await using f = fixture([stall('Half')], { looseScript: true });
  void f.session.send('Go');
  await settle();
  await using opened = fixture([], { conversation: f.session.save() });
  expect(opened.session.interrupted.value).toBeNull();
  expect(opened.session.turns.value).toMatchObject([
    { status: 'failed', outcome: { error: { code: 'interrupted' } } },
  ]);
  expect((await rejection(opened.session.resume())).code).toBe('nothing-to-resume');
  await f.session.cancel({ immediate: true });
});

describe('a session in which nothing was interrupted', () => {
  it('rejects nothing-to-resume, and changes nothing', async () => {
    await using f = fixture([say('Done.')]);
    await f.session.send('Go');
    const { sequence } = f.session.state;
    for (const command of [f.session.resume(), f.session.abandon()])
      expect((await rejection(command)).code).toBe('nothing-to-resume');
    expect(f.session.state.sequence).toBe(sequence);
  });
});
