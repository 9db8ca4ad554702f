import { isAgentSessionError, type Operation, type SessionState } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { isDeepStrictEqual } from 'node:util';
import { journalled } from './schedule-watch.js';
import type { ScheduledSession } from './scheduled-session.js';

/** Invariants of a session at rest: after each command, once promises have settled. */
export function problemsAtRest(scheduled: ScheduledSession): readonly string[] {
  const { session, watch, scheduler, provider, app } = scheduled;
  scheduler.frame();
  const { state } = session;
  const problems = [...watch.problems, ...provider.problems];
  const say = (problem: string) => problems.push(problem);
  const isNews = watch.compared < watch.log.length;
  watch.compared = watch.log.length;
  if (isNews && !isDeepStrictEqual(watch.mirror, state))
    say(`folding the operations does not give the state; see ${differing(watch.mirror, state).join(', ')}`);
  for (const field of unpublished(scheduled)) say(`the signal ${field} is behind the state`);
  for (const place of app.lostUserEdits()) say(`what the user wrote at ${place} is lost`);
  for (const reader of scheduled.readers) problems.push(...reader.problems(watch.log));
  problems.push(...changedRecords(scheduled));
  if (!state.isRunning && state.phase !== 'rolling-back') problems.push(...notIdle(scheduled));
  // An error that a broken history throws after its turn went on is reported at the error port only.
  // So is that of a guard that throws, or gives no verdict.
  const ofGuards = /^Error: (The slow guard broke\.|its verdict is none of )/;
  for (const error of scheduled.historyBroke ? [] : scheduled.reported.map(String))
    if (!ofGuards.test(error)) say(`reported: ${error}`);
  return problems;
}

/** Invariants of a disposed session whose tools have all settled. */
export function problemsAtEnd(scheduled: ScheduledSession): readonly string[] {
  const { session, watch, clock, commands, turnStreams } = scheduled;
  const problems = [...problemsAtRest(scheduled)];
  for (const { name, outcome, value, expected } of commands) {
    if (outcome === 'pending') problems.push(`${name} never settles`);
    const answer = outcome === 'rejected' && isAgentSessionError(value) ? value.code : outcome;
    if (expected !== undefined && answer !== expected) problems.push(`${name}: ${answer}, not ${expected}`);
  }
  if (!watch.isComplete) problems.push('operations$ has not completed');
  if (clock.pending > 0) problems.push(`${clock.pending} timers are open after dispose`);
  const replayed = fold(initialState(), JSON.parse(JSON.stringify(watch.log.map(journalled))) as Operation[]);
  if (!isDeepStrictEqual(replayed, session.state))
    problems.push('the log from JSON does not fold to the state');
  for (const { operations, subscription } of turnStreams) {
    const turnId = operations[0]?.turnId;
    const whole = watch.log.filter((operation) => operation.turnId === turnId);
    if (!subscription.closed) problems.push(`turn$ of ${turnId} has not completed`);
    if (operations.some((operation, index) => operation !== whole[index]))
      problems.push(`turn$ of ${turnId} is no prefix of its turn`);
  }
  return problems;
}

function differing(a: SessionState, b: SessionState): readonly string[] {
  return Object.keys({ ...a, ...b }).filter(
    (key) => !isDeepStrictEqual(a[key as keyof SessionState], b[key as keyof SessionState]),
  );
}

/** Signals that differ from the state although everything was published. */
function unpublished({ session }: ScheduledSession): readonly string[] {
  const { state } = session;
  const behind = Object.keys(state).filter((key) => {
    const name = key as keyof SessionState;
    if (name === 'fold' || name === 'pendingConfirmations' || name === 'lastError') return false;
    return session[name].peek() !== state[name];
  });
  const shown = session.pendingConfirmations.peek();
  const requests = shown.map(({ approve: _approve, deny: _deny, ...request }) => request);
  if (!isDeepStrictEqual(requests, state.pendingConfirmations)) behind.push('pendingConfirmations');
  if (session.pendingConfirmation.peek() !== (shown[0] ?? null)) behind.push('pendingConfirmation');
  const error = session.lastError.peek();
  if (!isDeepStrictEqual(error?.toJSON() ?? null, state.lastError)) behind.push('lastError');
  return behind;
}

/** Settled turns keep their identity, unless they were undone or redone, or one of their tools settled late. */
function changedRecords({ session, watch }: ScheduledSession): readonly string[] {
  const changed = session.state.turns.filter((turn) => {
    const known = watch.settled.get(turn.id);
    watch.settled.set(turn.id, turn);
    return known !== undefined && known !== turn && !watch.touched.has(turn.id);
  });
  watch.touched.clear();
  return changed.map((turn) => `the settled record of ${turn.id} is another one`);
}

function notIdle(scheduled: ScheduledSession): readonly string[] {
  const { session, clock, scheduler, provider, app, signals } = scheduled;
  const { phase, liveTurn, activeToolCalls, pendingConfirmations } = session.state;
  const listeners = signals.reduce((sum, one) => sum + one.listeners, 0);
  const facts: Readonly<Record<string, boolean>> = {
    [`phase is ${phase}`]: phase !== 'idle',
    'liveTurn is set': liveTurn !== null,
    'activeToolCalls is not empty': activeToolCalls.length > 0,
    'pendingConfirmations is not empty': pendingConfirmations.length > 0,
    // A late revert that hangs is bounded by a timer of its own.
    [`${clock.pending} timers are open`]: clock.pending > 0 && app.hanging === 0,
    'a frame is scheduled': scheduler.scheduled,
    [`${listeners} listeners are left on abort signals`]: listeners > 0,
    'a stream is open and knows nothing of the end': provider.streams.some(
      ({ over, signal }) => !over && !signal.aborted,
    ),
    'a tool runs and knows nothing of the end': app.runs.some(
      ({ settled, context }) => !settled && !context.signal.aborted,
    ),
  };
  return Object.keys(facts)
    .filter((fact) => facts[fact] === true)
    .map((fact) => `idle, but ${fact}`);
}
