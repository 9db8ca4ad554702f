import { allCallsOf, type AgentSession, type ChildTurn } from '@banister/session';
import type { ReadonlySignal } from '@banister/session/signals';
import type { Question } from '../session/questions.js';
import { begin, scenarioAsks, undo, type Frame, type Stage } from './frames.js';

/** A plan is proposed, changed, approved and carried out. One of its agents is stopped. */
const plan: Frame = async (stage) => {
  const turn = begin(stage.session, scenarioAsks.release);
  stage.caption('A plan is written first. Nothing is changed yet.');
  if (!(await changeAndApprove(stage, turn))) return false;
  await stopOne(stage, turn);
  await refuseFinal(stage, turn);
  await stage.until(() => turn.value !== 'running');
  return turn.peek() === 'completed';
};

type Turn = ReadonlySignal<'running' | 'completed' | 'failed'>;

/** Returns false if there was no plan to approve. */
async function changeAndApprove(stage: Stage, turn: Turn): Promise<boolean> {
  const { questions, caption, pause, until } = stage;
  const asked = (): Question | undefined => questions.open.value.find((question) => question.plan !== null);
  await until(() => turn.value !== 'running' || asked() !== undefined);
  const editor = asked()?.plan;
  if (!editor) return false;
  caption('The plan is yours: change a title, the order or the agent of a step.');
  await pause('read');
  const [first, second] = editor.steps.peek();
  if (first) editor.write(first.title, `${first.title.text} for customers`);
  await pause('press');
  if (second) editor.place(second.id, null);
  await pause('read');
  const question = asked();
  if (question === undefined) return false;
  await questions.approve(question);
  caption('Approved. Steps that follow no other step run at the same time.');
  return true;
}

/** Stops the agent that adds the checks, after its first change. */
async function stopOne({ session, caption, pause, until }: Stage, turn: Turn): Promise<void> {
  await until(() => turn.value !== 'running' || hasChanged(laneOf(session, 'checks')));
  const lane = laneOf(session, 'checks');
  if (turn.peek() !== 'running' || lane === undefined || lane.outcome !== null) return;
  caption('Now one agent is stopped: its changes go back, and the others go on.');
  await pause('press');
  await session.cancel({ child: lane.id });
}

/** Refuses what cannot be taken back. */
async function refuseFinal({ questions, caption, pause, until }: Stage, turn: Turn): Promise<void> {
  await until(() => turn.value !== 'running' || questions.open.value.length > 0);
  const [question] = questions.open.peek();
  if (question === undefined) return;
  caption('What cannot be taken back is asked about. The scenario refuses it.');
  await pause('read');
  questions.refuse(question);
}

function laneOf({ liveTurn }: AgentSession, agent: string): ChildTurn | undefined {
  return allCallsOf(liveTurn.value)
    .flatMap(({ children = [] }) => children)
    .find((child) => child.agent === agent);
}

function hasChanged(lane: ChildTurn | undefined): boolean {
  return lane !== undefined && allCallsOf(lane).some(({ result }) => result?.outcome === 'success');
}

/** A plan, and the undo of its turn. */
export const planFrames: readonly Frame[] = [plan, undo];
