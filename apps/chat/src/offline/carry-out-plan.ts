import { isJsonObject } from '@banister/provider';
import type { JsonObject, JsonValue } from '@banister/session';
import { releaseNotesId } from '../release/release-agents.js';
import { carryOutId } from '../release/release-planning.js';
import { releaseSteps } from '../release/release-steps.js';
import { counted } from '../session/counted.js';
import type { Ask } from './read-ask.js';
import { call, type Outcome, type Plan } from './step.js';
import { tellOutcomes } from './tell-outcomes.js';

/** Proposes a plan for a release, and sums up what became of its steps. */
export function* carryOutPlan(release: string, { canReadSkill }: Pick<Ask, 'canReadSkill'>): Plan {
  yield {
    thinking: 'A release has parts that wait for others. I look how releases are planned, and at the board.',
    text: '',
    calls: [
      ...(canReadSkill ? [{ tool: 'banister.use_domain', arguments: { ids: [releaseNotesId] } }] : []),
      call('list_cards', {}),
    ],
  };
  const outcomes = yield {
    text: 'Five steps bring it out. Change what you like, then approve.',
    calls: [{ tool: carryOutId, arguments: planArguments(release) }],
  };
  const steps = outcomes.flatMap(({ result }) => result.content).flatMap(stepsIn);
  return steps.length === 0 ? notCarriedOut(outcomes) : summary(steps);
}

function planArguments(release: string): JsonObject {
  return {
    title: `Release ${release}`,
    steps: releaseSteps.map(({ id, title, agent, after, task }) => ({
      id,
      title,
      agent,
      task: task(release),
      ...(after.length === 0 ? {} : { after: [...after] }),
    })),
  };
}

function notCarriedOut(outcomes: readonly Outcome[]): string {
  const isDeclined = outcomes.some(({ result }) => /declined/.test(JSON.stringify(result.content)));
  return isDeclined ? 'You said no to the plan, so nothing was done.' : tellOutcomes(outcomes);
}

/** A step, as the tool tells it. */
interface ToldStep {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  /** How many of its changes are in effect. */
  readonly changes: number;
  /** How many of its changes were taken back. */
  readonly back: number;
}

function stepsIn(content: Outcome['result']['content'][number]): readonly ToldStep[] {
  const list = content.type === 'json' && isJsonObject(content.value) ? content.value['steps'] : undefined;
  return listOf(list).flatMap((step) => {
    if (!isJsonObject(step)) return [];
    const { id, title, status, changed, takenBack, stays } = step;
    if (typeof id !== 'string' || typeof title !== 'string' || typeof status !== 'string') return [];
    const changes = listOf(status === 'done' ? changed : stays).length;
    return [{ id, title, status, changes, back: listOf(takenBack).length }];
  });
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function summary(steps: readonly ToldStep[]): string {
  const done = steps.filter(({ status }) => status === 'done');
  const changes = steps.reduce((sum, step) => sum + step.changes, 0);
  const count =
    done.length === steps.length
      ? `All ${counted(steps.length, 'step')} are`
      : `${done.length} of ${counted(steps.length, 'step')} are`;
  return [
    `${steps.length === 1 && done.length === 1 ? 'The step is' : count} done, with ${counted(changes, 'change')}.`,
    ...steps.flatMap(sentenceOf),
    ...(changes === 0 ? [] : ['All of it is one turn: Undo takes back what can be taken back.']),
  ].join(' ');
}

function sentenceOf({ title, status, changes, back }: ToldStep): readonly string[] {
  const rest = [
    ...(back === 0 ? [] : [`${counted(back, 'change')} taken back`]),
    ...(changes === 0 ? [] : [`${counted(changes, 'change')} still there`]),
  ].join(', ');
  const tail = rest === '' ? '.' : `: ${rest}.`;
  switch (status) {
    case 'done':
      return changes === 0 ? [`“${title}” changed nothing.`] : [];
    case 'cancelled':
      return [`You stopped “${title}”${tail}`];
    case 'skipped':
      return [`“${title}” was skipped, because it follows a step that was not done.`];
    case 'stopped':
      return [`“${title}” reached a limit${tail}`];
    default:
      return [`“${title}” did not work${tail}`];
  }
}
