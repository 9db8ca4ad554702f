import type { ChildTurn, JsonValue, ToolCallView } from '@banister/session';

/** The id of the tool whose arguments are a plan. */
export const CARRY_OUT = 'plan.carry_out';

/** A step of a plan: a task for an agent. */
export interface PlanStep {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  /** The id of the agent that does the step. */
  readonly agent: string;
  /** The ids of the steps whose results it needs. Default: none. */
  readonly after?: readonly string[];
}

/**
 * The state of a step. `proposed`: the user has not decided yet. `waiting`: a step before it has not ended, or too many steps run. `skipped`:
 * the plan was declined, or a step before it did not end as `done`.
 */
export type StepStatus =
  'proposed' | 'waiting' | 'running' | 'done' | 'stopped' | 'failed' | 'cancelled' | 'skipped';

/** A step as a view shows it. */
export interface ShownStep extends PlanStep {
  readonly status: StepStatus;
  /** The child turn that does the step; absent until it has begun. */
  readonly child?: ChildTurn;
}

/** A plan as a view shows it. */
export interface Plan {
  readonly title: string;
  /** `declined`: it was not carried out, because the user or a guard refused it, or its arguments were wrong. */
  readonly status: 'proposed' | 'running' | 'ended' | 'declined';
  /** The steps in the order of the plan. While the plan is being written, its last step may be incomplete. */
  readonly steps: readonly ShownStep[];
}

const statusOfChild = {
  running: 'running',
  completed: 'done',
  stopped: 'stopped',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<ChildTurn['status'], StepStatus>;

/**
 * Returns the plan of a call: the steps that the user approved, edits included, with the state of each. null for a call of another tool. It
 * reads the record of the call alone, so a plan is shown the same after a reload, in another tab, and for a saved conversation.
 *
 * @example
 * const plan = planOf(call);
 * for (const { title, status } of plan?.steps ?? []) console.log(`${title}: ${status}`);
 */
export function planOf(call: ToolCallView): Plan | null {
  if (call.tool !== CARRY_OUT) return null;
  const given = asObject(call.ranWith ?? call.arguments);
  const steps = listOf(given['steps']).map((step) => stepOf(asObject(step)));
  const status = statusOf(call);
  const reported = reportedIn(call);
  const shown = steps.map((step): ShownStep => {
    const child = call.children?.findLast(({ key }) => key === step.id);
    if (child !== undefined) return { ...step, status: statusOfChild[child.status], child };
    if (status === 'proposed') return { ...step, status };
    return { ...step, status: reported.get(step.id) ?? (status === 'running' ? 'waiting' : 'skipped') };
  });
  return { title: textOf(given['title']), status, steps: withSkipped(shown) };
}

/** Returns the steps with the steps skipped that wait for a step which did not end as `done`. */
function withSkipped(steps: readonly ShownStep[]): readonly ShownStep[] {
  const over = new Set(steps.flatMap((step) => (ended.has(step.status) ? [step.id] : [])));
  const isHeld = ({ status, after = [] }: ShownStep) =>
    status === 'waiting' && after.some((id) => over.has(id));
  if (!steps.some(isHeld)) return steps;
  return withSkipped(steps.map((step) => (isHeld(step) ? { ...step, status: 'skipped' } : step)));
}

/** The states after which the steps that follow are skipped. */
const ended: ReadonlySet<StepStatus> = new Set(['stopped', 'failed', 'cancelled', 'skipped']);

function statusOf({ state, rejection }: ToolCallView): Plan['status'] {
  if (rejection !== undefined) return 'declined';
  if (state === 'settled') return 'ended';
  return state === 'executing' || state === 'interrupted' ? 'running' : 'proposed';
}

/** Returns the states of the steps in the result of the call. A step that could not begin has no child turn. */
function reportedIn({ result }: ToolCallView): ReadonlyMap<string, StepStatus> {
  const states = new Map<string, StepStatus>();
  for (const part of result?.content ?? []) {
    if (part.type !== 'json') continue;
    for (const step of listOf(asObject(part.value)['steps'])) {
      const { id, status } = asObject(step);
      if (typeof id === 'string') states.set(id, status === 'failed' ? 'failed' : 'skipped');
    }
  }
  return states;
}

function stepOf({ id, title, task, agent, after }: Fields): PlanStep {
  const step = { id: textOf(id), title: textOf(title), task: textOf(task), agent: textOf(agent) };
  return after === undefined ? step : { ...step, after: listOf(after).map(textOf) };
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

function asObject(value: JsonValue | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
