import type { LocalAgentSession, Operation, SessionState } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { leafOf } from '../../src/operations/operation.js';
import { settle } from '@banister/testing';
import { emptyWorld, type World } from './kill-app.js';
import { play, stageOf, type Scenario } from './scenario.js';

/** A session that was stopped after an operation, with the state of the app at that moment. */
export interface Cut {
  /** The number of operations that were written. */
  readonly length: number;
  readonly world: World;
  /** The state of the live session, where it shows exactly the operations up to the cut. */
  readonly state: SessionState | null;
}

/** A log, and its cuts: one after each operation, with the world as it was then, and one after each change of the world before the next. */
export interface Played {
  readonly operations: readonly Operation[];
  readonly cuts: readonly Cut[];
}

/** Records the cuts of a session. A change of the world before the next operation is an app of a session that acted and did not record it. */
export class CutRecorder implements Played {
  readonly cuts: Cut[] = [];
  readonly operations: Operation[];

  /** @param log the operations before those of the session */
  constructor(
    private readonly world: World,
    log: readonly Operation[] = [],
  ) {
    this.operations = [...log];
  }

  /** Is called after each change of the world. */
  readonly changed = (): void => this.note(null);

  follow(session: LocalAgentSession): void {
    session.operations$.subscribe((operation) => {
      this.operations.push(copyOf(operation));
      const { state } = session;
      this.note(state.sequence === operation.sequence ? copyOf(state) : null);
    });
  }

  private note(state: SessionState | null): void {
    this.cuts.push({ length: this.operations.length, world: copyOf(this.world), state });
  }
}

/** Plays a scenario to its end. */
export async function cutsOf(scenario: Scenario): Promise<Played> {
  const world = emptyWorld();
  const recorder = new CutRecorder(world);
  const stage = stageOf(scenario, world, { changed: recorder.changed });
  recorder.follow(stage.session);
  await play(scenario, stage);
  return recorder;
}

/**
 * Plays a scenario on a journal that accepts each write late. A cut has the operations that the journal has accepted, which are fewer than
 * those of the session, and the world as it is then. There is none while the session is shown as unsaved, nor while a rollback goes on of
 * which the journal knows nothing: that alone moves effects without waiting for its record.
 */
export async function laggingCutsOf(scenario: Scenario): Promise<Played> {
  const world = emptyWorld();
  const emitted: Operation[] = [];
  const written: Operation[] = [];
  const cuts: Cut[] = [];
  let isSaved = () => true;
  const note = () => {
    const isRollingBack = emitted.slice(written.length).some((one) => leafOf(one).type === 'rollbackStarted');
    if (isSaved() && !isRollingBack) cuts.push({ length: written.length, world: copyOf(world), state: null });
  };
  const write = async (operations: readonly Operation[]) => {
    const copies = operations.map(copyOf);
    await settle(LATE_TICKS);
    written.push(...copies);
    note();
  };
  const stage = stageOf(scenario, world, { changed: note, ports: () => ({ journal: { write } }) });
  const { session } = stage;
  isSaved = () => session.link.value.saved;
  session.operations$.subscribe((operation) => emitted.push(copyOf(operation)));
  await play(scenario, stage);
  return { operations: emitted, cuts };
}

/** Longer than the steps of a session between two operations. */
const LATE_TICKS = 40;

/** Returns the state that a log folds to. */
export function foldOf(operations: readonly Operation[]): SessionState {
  return fold(initialState(), operations);
}

export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
