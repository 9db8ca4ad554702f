// Random lives with child turns that nothing interrupts: what holds at their end, and after everything is undone.
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { addUsage, type UsageReport } from '@banister/provider';
import { createMirror, type Operation, type TurnRecord } from '@banister/session';
import {
  apply,
  childrenOf,
  fromStored,
  initialState,
  toStored,
  usageByAgent,
} from '@banister/session/operations';
import { checkOrder } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { allCallsOf, callsOf } from '../../src/conversation/turn-record.js';
import { agentsLoaded } from '../agents-loaded.js';
import { copyOf } from '../kill/cuts.js';
import { allTurns, entryProblems, reportProblems } from '../kill/effect-account.js';
import { emptyWorld } from '../kill/kill-app.js';
import { withLeaves } from '../kill/leaves.js';
import { randomAgentScenarios } from '../kill/random-agent-scenarios.js';
import { ended, play, stageOf, type Stage } from '../kill/scenario.js';

beforeAll(agentsLoaded);

/** Returns the problems of a turn that has ended, and of its child turns. */
function turnProblems(turn: TurnRecord): readonly string[] {
  const problems: string[] = [];
  for (const one of [turn, ...childrenOf(turn)]) {
    if (one.status === 'running') problems.push(`${one.id} runs`);
    const isWhole = one.status === 'completed' || one.status === 'stopped';
    const open = one.rounds.flatMap(callsOf).filter(({ result }) => result === undefined);
    if (isWhole && open.length > 0)
      problems.push(`${open.map(({ id }) => id).join()} of ${one.id} has no result`);
    const parts = usageByAgent(one).reduce<UsageReport | null>(
      (sum, { usage }) => addUsage(sum, usage),
      null,
    );
    const whole = one.outcome?.usage ?? null;
    const total = (usage: UsageReport | null) => [usage?.inputTokens ?? 0, usage?.outputTokens ?? 0].join();
    if (total(parts) !== total(whole))
      problems.push(`the parts of ${one.id} are ${total(parts)}, not ${total(whole)}`);
  }
  return problems;
}

/** Returns the calls that got more than one result, at any depth. */
function repeatedResults(operations: readonly Operation[]): readonly string[] {
  const results = withLeaves(operations).flatMap((one): readonly string[] => {
    if (one.type === 'toolCompleted' || one.type === 'toolFailed') return [one.callId];
    return one.type === 'toolsRejected' ? one.calls.map(({ callId }) => callId) : [];
  });
  const repeated = results.filter((id, index) => results.indexOf(id) !== index);
  return repeated.map((id) => `${id} has two results`);
}

/** Returns the names of the readers whose state is not the state of the session. */
function readerProblems({ session: { state }, operations }: Stage): readonly string[] {
  const mirror = createMirror(initialState());
  mirror.fold(operations.map(copyOf));
  let stored = initialState();
  for (const operation of fromStored(stored, { operations: copyOf(toStored(operations)) }))
    stored = apply(stored, operation);
  const states = { mirror: mirror.state, 'stored log': stored };
  return Object.entries(states).flatMap(([name, own]) =>
    isDeepStrictEqual(copyOf(own), copyOf(state)) ? [] : [`the ${name} shows another state`],
  );
}

/** Compares the live state with the fold of the log at each operation. Returns the list to which the problems are added. */
function followed({ session }: Stage): readonly string[] {
  const problems: string[] = [];
  let folded = initialState();
  session.operations$.subscribe((operation) => {
    folded = apply(folded, copyOf(operation));
    const { state } = session;
    // The delivery may be behind the state.
    if (state.sequence !== operation.sequence) return;
    // A command that has begun, and has no operation yet, is shown over the fold.
    const isStarting = state.phase === 'preparing' && state.liveTurn === null;
    const shown = isStarting ? { ...folded, isRunning: true, phase: 'preparing', lastError: null } : folded;
    if (JSON.stringify(shown) !== JSON.stringify(state))
      problems.push(`the fold is not the live state at ${operation.sequence} ${operation.type}`);
  });
  return problems;
}

/** Tools whose effects cannot be taken back, or only behind the report of an undo. */
const staying = ['glue', 'nail', 'mail', 'slow', 'late', 'latePaint', 'lazy'].map((name) => `board.${name}`);

/** Undoes all turns on the path, the newest first. Returns the ids of the turns whose undo resolved. */
async function undoAll({ session, clock }: Stage): Promise<ReadonlySet<string>> {
  const undone = new Set<string>();
  for (const { turnId } of session.state.undoEntries.toReversed())
    if ((await ended(session.undo({ turnId, force: true }), clock)) === null) undone.add(turnId);
  return undone;
}

/** Returns the cards that are still there though their turn was undone. */
function leftCards({ session: { state }, app }: Stage, undone: ReadonlySet<string>): readonly string[] {
  const movable = new Set(
    state.turns
      .filter(({ id }) => undone.has(id))
      .flatMap((turn) => allCallsOf(turn).flatMap(({ id, tool }) => (staying.includes(tool) ? [] : [id]))),
  );
  return app.world.cards.flatMap(({ title, callId }) => (movable.has(callId) ? [`${title} is there`] : []));
}

function problemsOf(stage: Stage): readonly string[] {
  const { session, operations, app } = stage;
  const leaves = withLeaves(operations);
  return [
    ...checkOrder(operations),
    ...allTurns(session.state).flatMap(turnProblems),
    ...repeatedResults(operations),
    ...readerProblems(stage),
    ...reportProblems(session.state, leaves, app.world),
    ...entryProblems(session.state, leaves, app.world),
    ...stage.reported.map((error) => `reported: ${String(error)}`),
  ];
}

describe('a life with child turns', { timeout: 600_000 }, () => {
  it('agents C3, C7, C12, C45, C46: keeps its promises at its end, and when all its turns are undone', async () => {
    await fc.assert(
      fc.asyncProperty(randomAgentScenarios, async (scenario) => {
        const stage = stageOf(scenario, emptyWorld());
        const { session, clock } = stage;
        const unlike = followed(stage);
        await play(scenario, stage);
        // The turn of a queued message may still run.
        for (let most = 50; session.isRunning.value && most > 0; most--) await clock.advance(10_000);
        // The turn waits for its model.
        if (session.state.interrupted !== null) await ended(session.abandon(), clock);
        expect(problemsOf(stage)).toEqual([]);
        const undone = await undoAll(stage);
        expect([...problemsOf(stage), ...leftCards(stage, undone), ...unlike]).toEqual([]);
        // A revert may end behind the report of its undo.
        for (let most = 10; clock.pending > 0 && most > 0; most--) await clock.advance(10_000);
        expect(clock.pending).toBe(0);
      }),
      propertyRun('lives with agents', 150),
    );
  });
});
