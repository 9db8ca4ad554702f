import { fold, initialState, type Operation, type SessionState } from '@handrail/session';
import type { World } from './kill-app.js';
import { play, stageOf, type Scenario } from './scenario.js';

/** A session that was stopped after an operation, with the state of the app at that moment. */
export interface Cut {
  /** The number of operations that were written. */
  readonly length: number;
  readonly world: World;
  /** The state of the live session, where it shows exactly the operations up to the cut. */
  readonly state: SessionState | null;
}

/** A scenario that was played to its end. */
export interface Played {
  readonly operations: readonly Operation[];
  readonly cuts: readonly Cut[];
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * Plays a scenario, and returns a cut after each operation: one with the world as it was then, and one after each change of the world
 * before the next operation, which is the app of a session that acted and did not record it.
 */
export async function cutsOf(scenario: Scenario): Promise<Played> {
  const cuts: Cut[] = [];
  const world: World = { cards: [], acts: {} };
  const operations: Operation[] = [];
  const note = (state: SessionState | null) =>
    cuts.push({ length: operations.length, world: copy(world), state });
  const stage = stageOf(scenario, world, { changed: () => note(null) });
  stage.session.operations$.subscribe((operation) => {
    operations.push(copy(operation));
    const { state } = stage.session;
    note(state.sequence === operation.sequence ? copy(state) : null);
  });
  await play(scenario, stage);
  return { operations, cuts };
}

/** Returns the state that a log folds to. */
export function foldOf(operations: readonly Operation[]): SessionState {
  return fold(initialState(), operations);
}
