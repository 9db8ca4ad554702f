// "Kill at every operation": section 12 of the contract, "Resume and abandon".
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation, SessionState } from '@handrail/session';
import { checkOrder } from '@handrail/session/order';
import { cutsOf, foldOf, type Cut, type Played } from './cuts.js';
import { takenOverProblems } from './after-owner-changed.js';
import { reportProblems } from './effect-account.js';
import { opened, recordsOf } from '../opened.js';
import { scenarios } from './scenarios.js';
import { ended, stageOf, type Scenario } from './scenario.js';

// The code of resume is loaded before a virtual clock could give up on it.
beforeAll(() => import('../../src/session/end-interruption.js'));

describe('a session that was killed after any of its operations', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'is resumed, and is abandoned, with its effects in one report each: %s',
    async (_name, scenario) => {
      const played = await cutsOf(scenario);
      expect(checkOrder(played.operations)).toEqual([]);
      const problems: string[] = [];
      for (const cut of played.cuts) problems.push(...(await problemsOfCut(scenario, played, cut)));
      expect(problems.slice(0, 12)).toEqual([]);
    },
  );
});

async function problemsOfCut(scenario: Scenario, played: Played, cut: Cut): Promise<readonly string[]> {
  const log = played.operations.slice(0, cut.length);
  const problems: string[] = [];
  const folded = foldOf(log);
  if (cut.state !== null && JSON.stringify(folded) !== JSON.stringify(cut.state))
    problems.push('the fold of the log is not the live state');
  for (const by of ['resume', 'abandon'] as const)
    problems.push(...(await problemsOf(scenario, played, cut, by)).map((one) => `${by}: ${one}`));
  const last = log.at(-1)!;
  return problems.map((one) => `after ${cut.length} ${last.type}, ${cut.world.cards.length} cards: ${one}`);
}

async function problemsOf(
  scenario: Scenario,
  played: Played,
  cut: Cut,
  by: 'resume' | 'abandon',
): Promise<readonly string[]> {
  const log = played.operations.slice(0, cut.length);
  const before = foldOf(log);
  const stage = stageOf(scenario, JSON.parse(JSON.stringify(cut.world)), {
    restored: { snapshot: null, records: recordsOf([log]) },
    isResumed: true,
  });
  const { session, operations, clock, provider, app, reported } = stage;
  await opened(session);
  const taken = session.state;
  const problems = [...takenOverProblems(before, taken, operations)];
  const wasOpen = taken.interrupted !== null;
  const unknown = unknownCalls(log);
  if (wasOpen && [...(taken.interrupted?.unknown ?? [])].sort().join() !== unknown.join())
    problems.push(`unknown are ${unknown.join()}, not ${taken.interrupted?.unknown.join()}`);
  const isOpen = before.liveTurn !== null || isUndoing(log);
  if (wasOpen !== isOpen) problems.push(`interrupted is ${JSON.stringify(taken.interrupted)}`);
  try {
    const error = await ended(by === 'resume' ? session.resume() : session.abandon(), clock);
    const code = (error as { readonly code?: string } | null)?.code ?? null;
    if (!wasOpen && code !== 'nothing-to-resume') problems.push(`nothing was open, and it gave ${code}`);
    if (wasOpen && (code === 'provider-contract' || code === 'nothing-to-resume')) problems.push(`${String(error)} ${String((error as Error).cause)}`);
  } catch (error) {
    problems.push(`${String(error)} ${operations.map(({ type }) => type).join(' ')}`);
  }
  const all = [...log, ...operations];
  const { state } = session;
  problems.push(...endProblems(taken, state, operations, by));
  if (state.interrupted !== null || state.liveTurn !== null || state.isRunning || state.phase !== 'idle')
    problems.push(`it is not idle: ${state.phase} ${JSON.stringify(state.interrupted)}`);
  if (state.pendingConfirmations.length > 0) problems.push('a question is open at the end');
  if (JSON.stringify(foldOf(all)) !== JSON.stringify(state)) problems.push('the fold is not the state at the end');
  problems.push(...checkOrder(all), ...provider.faults.filter((fault) => fault.includes('a real API')));
  problems.push(...reported.map((error) => `reported: ${String(error)}`));
  if (clock.pending > 0) problems.push(`${clock.pending} timers are open`);
  problems.push(...reportProblems(state, all, app.world, cut.length));
  return problems;
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
    if (operation.type === 'toolCompleted' || operation.type === 'lateToolSettled') unknown.delete(operation.callId);
    if (operation.type === 'toolFailed' && operation.outcome !== 'timed-out') unknown.delete(operation.callId);
  }
  return [...unknown].sort();
}

/** Returns the problems of the way in which the work ended, by the point of its interruption. */
function endProblems(
  { interrupted }: SessionState,
  { turns }: SessionState,
  operations: readonly Operation[],
  by: 'resume' | 'abandon',
): readonly string[] {
  if (interrupted === null) return operations.length === 1 ? [] : ['something happened though nothing was open'];
  const { turnId, at } = interrupted;
  const turn = turns.find(({ id }) => id === turnId);
  const types = operations.map(({ type }) => type);
  const problems: string[] = [];
  const never = (...unwanted: readonly Operation['type'][]) => {
    for (const type of unwanted) if (types.includes(type)) problems.push(`${by} at ${at} has ${type}`);
  };
  if (at !== 'undo' && at !== 'redo' && types[1] !== 'turnResumed') problems.push(`it begins with ${types[1]}`);
  const hasEnd = !['round', 'batch', 'stream'].includes(at);
  if (hasEnd || by === 'abandon') never('modelCallStarted', 'toolStarted', 'confirmationRequested');
  if (at === 'commit' || at === 'undo' || at === 'redo') never('rollbackStarted', 'failed');
  if (at === 'rollback') never('commitStarted', 'completed', 'stopped');
  if (!hasEnd && by === 'abandon' && turn?.outcome?.error?.code !== 'interrupted')
    problems.push(`the turn ended as ${turn?.status}, ${turn?.outcome?.error?.code}`);
  return problems;
}
