import { allCallsOf, type AgentSession } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import type { ColumnId } from '../board/board.js';
import type { Questions } from '../session/questions.js';
import type { TurnUndo } from '../session/turn-undo.js';
import { visibleText } from '../text/visible-text.js';
import type { ReadingPace } from './reading-pace.js';

/** The functions that a frame uses. Each promise rejects when the user has taken over. */
export interface Stage {
  readonly session: AgentSession;
  readonly questions: Pick<Questions, 'open' | 'approve' | 'refuse'>;
  readonly turnUndo: Pick<TurnUndo, 'run' | 'canUndo' | 'question'>;
  /** Replaces the guide line. With a column, the line is about the column's cards. */
  caption(text: string, beside?: ColumnId): void;
  pause(length: keyof ReadingPace): Promise<void>;
  /** Waits until the function returns true. It is called again when a signal that it read changes. */
  until(isReached: () => boolean): Promise<void>;
}

/** Resolves with false if the scenario cannot continue: the turn was stopped, or something is in the way. */
export type Frame = (stage: Stage) => Promise<boolean>;

/** The messages that the scenario sends. */
export const scenarioAsks = {
  plan: 'Plan the launch week',
  tidy: 'Tidy up Done',
  release: 'Plan the release',
} as const;

/** Cards are added, and the turn is stopped half-way: its changes are undone. */
const stop: Frame = async (stage) => {
  const { session } = stage;
  const turn = begin(session, scenarioAsks.plan);
  stage.caption('Watch: each card grows while it is written. Any key takes over.', 'todo');
  await stage.until(() => turn.value !== 'running' || hasChanged(session));
  if (turn.peek() === 'failed') return false;
  stage.caption('Now Stop, half-way: what it did goes back.');
  await stage.pause('press');
  // A turn that has ended meanwhile was not stopped, and its changes stay.
  if (turn.peek() !== 'running') return turn.peek() === 'completed';
  await session.cancel();
  await stage.until(() => turn.value !== 'running');
  stage.caption('Stopped. The new cards slid back: the board is as it was.', 'todo');
  await stage.pause('read');
  return true;
};

/** The agent asks before it deletes. One question is declined, the others are approved. */
const ask: Frame = async (stage) => {
  const { session, questions } = stage;
  const turn = begin(session, scenarioAsks.tidy);
  stage.caption(`A short turn: “${scenarioAsks.tidy}”. It asks before it deletes.`);
  await stage.until(() => turn.value !== 'running' || questions.open.value.length > 0);
  if (questions.open.peek().length > 0) {
    stage.caption('Answer yourself, or watch: the first is refused, the others are approved.');
    await stage.pause('read');
    const [first, ...others] = questions.open.peek();
    if (first) questions.refuse(first);
    for (const other of others) {
      await stage.pause('press');
      await questions.approve(other);
    }
  }
  await stage.until(() => turn.value !== 'running');
  return turn.peek() === 'completed';
};

/** The newest turn is undone, by its name. */
export const undo: Frame = async (stage) => {
  const { session, turnUndo } = stage;
  const newest = session.undoEntries
    .peek()
    .findLast(({ undoable, state, offPath }) => undoable && state === 'done' && offPath !== true);
  if (newest === undefined) return false;
  stage.caption(`Undo says what it takes back: “${visibleText(newest.label)}”.`);
  await stage.pause('press');
  if (!turnUndo.canUndo.peek()) return false;
  await turnUndo.run('undo');
  stage.caption('All of that turn is back, in one step.', 'done');
  await stage.pause('read');
  return turnUndo.question.peek() === null;
};

/** The last frame says what a visitor can do next. */
const again: Frame = async (stage) => {
  stage.caption('“Undo that”, typed, does the same. Redo does it again.');
  await stage.pause('read');
  stage.caption('React can become Vue in the middle of a turn, and How it works shows the lines of code.');
  await stage.pause('read');
  return true;
};

/** The welcome is the first frame of the first minute. The scenario ends with the last words. */
export const frames: readonly Frame[] = [stop, ask, undo, again];

/** Starts a turn. The returned signal has its end; `failed` if it did not begin, was cut, or was stopped. */
export function begin(
  session: AgentSession,
  text: string,
): ReadonlySignal<'running' | 'completed' | 'failed'> {
  const end = signal<'running' | 'completed' | 'failed'>('running');
  session.send(text).then(
    ({ status }) => (end.value = status === 'completed' ? 'completed' : 'failed'),
    () => (end.value = 'failed'),
  );
  return end;
}

/** Returns whether the running turn has changed something. */
function hasChanged({ liveTurn }: AgentSession): boolean {
  return allCallsOf(liveTurn.value).some(
    ({ tool, result }) => result?.outcome === 'success' && !tool.endsWith('.list_cards'),
  );
}
