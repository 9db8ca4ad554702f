import type { Operation, SessionState } from '@banister/session';
import { childrenOf } from '../../src/conversation/child-turns.js';
import { foldStateOf } from '../../src/state/session-state.js';
import { checkOrder } from '@banister/testing';
import { opened, recordsOf } from '../opened.js';
import { takenOverProblems } from './after-owner-changed.js';
import { followProblems } from './branch-account.js';
import { copyOf, CutRecorder, foldOf, type Cut, type Played } from './cuts.js';
import { allTurns, entryProblems, reportProblems } from './effect-account.js';
import { withLeaves } from './leaves.js';
import { queueProblems } from './queue-account.js';
import { ended, stageOf, type Scenario, type Stage } from './scenario.js';

/** A session that went on with a log that was cut, and the problems of what it did. */
export interface Killed extends Played {
  readonly problems: readonly string[];
}

/**
 * Returns the problem of a cut whose log does not fold to the state that the live session had. A command that has begun, and has no
 * operation yet, is shown over the fold.
 */
export function foldProblems({ operations }: Played, { length, state }: Cut): readonly string[] {
  if (state === null) return [];
  const isStarting = state.phase === 'preparing' && state.liveTurn === null;
  const folded = {
    ...foldOf(operations.slice(0, length)),
    ...(isStarting ? { isRunning: true, phase: 'preparing' } : {}),
  };
  return JSON.stringify(folded) === JSON.stringify(state)
    ? []
    : ['the fold of the log is not the live state'];
}

/** Opens a log that was cut in a new session on the same app, and ends its open work. */
export async function endKilled(
  scenario: Scenario,
  played: Played,
  cut: Cut,
  by: 'resume' | 'abandon',
): Promise<Killed> {
  const log = played.operations.slice(0, cut.length);
  const before = foldOf(log);
  const world = copyOf(cut.world);
  const recorder = new CutRecorder(world, log);
  const stage = stageOf(scenario, world, {
    restored: { snapshot: null, records: recordsOf([log]) },
    changed: recorder.changed,
    isResumed: true,
  });
  const { session, operations, clock, provider, reported } = stage;
  recorder.follow(session);
  await opened(session);
  const taken = session.state;
  const problems = [...takenOverProblems(before, taken, operations)];
  const wasOpen = taken.interrupted !== null;
  const unknown = unknownCalls(withLeaves(log));
  if (wasOpen && [...(taken.interrupted?.unknown ?? [])].sort().join() !== unknown.join())
    problems.push(`unknown are ${unknown.join()}, not ${taken.interrupted?.unknown.join()}`);
  const isOpen = before.liveTurn !== null || isUndoing(log);
  if (wasOpen !== isOpen) problems.push(`interrupted is ${JSON.stringify(taken.interrupted)}`);
  try {
    const error = await ended(by === 'resume' ? session.resume() : session.abandon(), clock);
    const code = (error as { readonly code?: string } | null)?.code ?? null;
    if (!wasOpen && code !== 'nothing-to-resume') problems.push(`nothing was open, and it gave ${code}`);
    if (wasOpen && (code === 'provider-contract' || code === 'nothing-to-resume'))
      problems.push(`${String(error)} ${String((error as Error).cause)}`);
  } catch (error) {
    problems.push(`${String(error)} ${operations.map(({ type }) => type).join(' ')}`);
  }
  problems.push(...endProblems(taken, session.state, operations, by), ...idleProblems(stage, log));
  const followed = await followProblems(stage, log);
  problems.push(...[...followed, ...idleProblems(stage, log)].map((one) => `after follow, ${one}`));
  problems.push(...unaskedRepeats(withLeaves(log), withLeaves(operations)));
  problems.push(...provider.faults.filter((fault) => fault.includes('a real API')));
  problems.push(...reported.map((error) => `reported: ${String(error)}`));
  return { operations: recorder.operations, cuts: recorder.cuts, problems };
}

/** Returns the problems of a session in which nothing runs. */
function idleProblems(
  { session: { state }, operations, app, clock }: Stage,
  log: readonly Operation[],
): readonly string[] {
  const all = [...log, ...operations];
  const problems: string[] = [];
  if (state.interrupted !== null || state.liveTurn !== null || state.isRunning || state.phase !== 'idle')
    problems.push(`it is not idle: ${state.phase} ${JSON.stringify(state.interrupted)}`);
  if (state.pendingConfirmations.length > 0) problems.push('a question is open at the end');
  if (state.pendingExtension !== null) problems.push('a request for more is open at the end');
  if (JSON.stringify(foldOf(all)) !== JSON.stringify(state))
    problems.push('the fold is not the state at the end');
  if (clock.pending > 0) problems.push(`${clock.pending} timers are open`);
  problems.push(...checkOrder(all), ...reportProblems(state, withLeaves(all), app.world));
  for (const { id, status } of allTurns(state).flatMap(childrenOf))
    if (status === 'running') problems.push(`child turn ${id} runs in a turn that has ended`);
  problems.push(...entryProblems(state, withLeaves(all), app.world), ...queueProblems(all, state));
  return problems;
}

/** Returns the problems of calls that may have acted, whose tool declares `replay: 'ask'`, and which ran again without a question. */
function unaskedRepeats(log: readonly Operation[], operations: readonly Operation[]): readonly string[] {
  const unknown = unknownCalls(log);
  const asked = approvedRepeats(log);
  const problems: string[] = [];
  for (const operation of operations) {
    if (operation.type === 'confirmationRequested') asked.add(operation.request.call.id);
    if (operation.type !== 'toolStarted' || operation.tool !== 'board.publish') continue;
    if (unknown.includes(operation.callId) && !asked.has(operation.callId))
      problems.push(`${operation.callId} was repeated without a question`);
  }
  return problems;
}

/** Returns the ids of the calls whose repetition the user approved in an earlier session, and that have not started since. */
function approvedRepeats(log: readonly Operation[]): Set<string> {
  const approved = new Set<string>();
  for (const operation of log) {
    if (operation.type === 'toolInterrupted' && operation.decision === 'rerun')
      approved.add(operation.callId);
    if (operation.type === 'toolStarted') approved.delete(operation.callId);
  }
  return approved;
}

function isUndoing(log: readonly { readonly type: string }[]): boolean {
  const last = log.findLast(({ type }) => ['undoStarted', 'redoStarted', 'undone', 'redone'].includes(type));
  return last?.type.endsWith('Started') ?? false;
}

/** Returns the ids of the calls that may have acted and have no end, of the open turn. */
function unknownCalls(log: readonly Operation[]): readonly string[] {
  if (isUndoing(log)) return [];
  const unknown = new Set<string>();
  for (const operation of log) {
    if (operation.type === 'turnStarted') unknown.clear();
    if (operation.type === 'toolStarted' && operation.readOnly !== true) unknown.add(operation.callId);
    if (operation.type === 'toolCompleted' || operation.type === 'lateToolSettled')
      unknown.delete(operation.callId);
    if (operation.type === 'toolFailed' && operation.outcome !== 'timed-out')
      unknown.delete(operation.callId);
    if (operation.type === 'toolInterrupted' && operation.decision === 'not-started')
      unknown.delete(operation.callId);
  }
  return [...unknown].sort();
}

/** Returns the problems of the way in which the work ended, by the point of its interruption. */
function endProblems(
  taken: SessionState,
  after: SessionState,
  operations: readonly Operation[],
  by: 'resume' | 'abandon',
): readonly string[] {
  const { interrupted, headTurnId, turns: before } = taken;
  if (interrupted === null) {
    // The mode and the grants of the log may not be those of the session that goes on.
    const others = operations.filter(({ type }) => type !== 'modeChanged' && type !== 'grantsChanged');
    return others.length === 1 ? [] : ['something happened though nothing was open'];
  }
  const { turnId, at } = interrupted;
  const { headTurnId: head, turns } = after;
  const aside = foldStateOf(after).fold.aside.map(({ turn }) => turn);
  const turn = [...turns, ...aside].find(({ id }) => id === turnId);
  const types = operations.map(({ type }) => type);
  const problems: string[] = [];
  const never = (...unwanted: readonly Operation['type'][]) => {
    for (const type of unwanted) if (types.includes(type)) problems.push(`${by} at ${at} has ${type}`);
  };
  // A log that was cut before it had the mode gets it first.
  const [, first] = types.filter((type) => type !== 'modeChanged');
  if (at !== 'undo' && at !== 'redo' && first !== 'turnResumed') problems.push(`it begins with ${first}`);
  never('headMoved');
  if (at === 'undo' || at === 'redo') {
    if (head !== headTurnId || turns.length !== before.length) problems.push(`the head is ${head}`);
    if (!types.at(-1)!.startsWith(at)) problems.push(`${by} at ${at} ends with ${types.at(-1)}`);
    if (operations.some((operation) => 'branch' in operation && operation.branch === 'goes-on'))
      problems.push('the branch command goes on');
  }
  const hasEnd = !['round', 'batch', 'stream'].includes(at);
  if (hasEnd || by === 'abandon')
    never('modelCallStarted', 'toolStarted', 'confirmationRequested', 'extensionRequested');
  if (at === 'commit' || at === 'undo' || at === 'redo') never('rollbackStarted');
  // The commit of a review that was abandoned ends in the failure of its turn.
  const fails = foldStateOf(taken).fold.turn?.ending?.kind === 'interrupted';
  if ((at === 'commit' && !fails) || at === 'undo' || at === 'redo') never('failed');
  if (at === 'rollback') never('commitStarted', 'completed', 'stopped');
  const isAbandoned = by === 'abandon' && (!hasEnd || (at === 'review' && turn?.status !== 'cancelled'));
  if (isAbandoned && turn?.outcome?.error?.code !== 'interrupted')
    problems.push(`the turn ended as ${turn?.status}, ${turn?.outcome?.error?.code}`);
  return problems;
}
