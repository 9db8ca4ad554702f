import { isAgentSessionError, type JsonObject, type RunResult, type ToolContext } from '@banister/session';
import { shortened, whatHappened } from '../what-happened.js';
import type { PlanStep, StepStatus } from './plan-of.js';

/** How a step ended. */
interface Ended {
  readonly status: StepStatus;
  readonly result?: RunResult;
  /** Why the step failed or was skipped. */
  readonly problem?: string;
}

/**
 * Carries out the steps of a plan: each step begins when the steps before it are done. Resolves with what the model reads about each step, in
 * the order of the plan. Rejects `cancelled` if the call is aborted.
 *
 * @param concurrency the highest number of steps that run at the same time
 */
export async function carryOut(
  steps: readonly PlanStep[],
  concurrency: number,
  run: ToolContext['run'],
): Promise<JsonObject> {
  const begun = new Map<string, Promise<Ended>>();
  const room = new Room(concurrency);
  const ends = (step: PlanStep): Promise<Ended> => {
    const known = begun.get(step.id);
    if (known !== undefined) return known;
    const end = (async () => {
      const before = (step.after ?? []).map((id) => steps.find((one) => one.id === id)!);
      const results = await Promise.all(before.map(ends));
      const held = before.find((_, index) => results[index]!.status !== 'done');
      if (held !== undefined) return { status: 'skipped', problem: `It follows "${held.id}".` } as const;
      const leave = await room.enter();
      try {
        return await carriedOut(step, before, results, run);
      } finally {
        leave();
      }
    })();
    begun.set(step.id, end);
    return end;
  };
  const all = await Promise.all(steps.map(ends));
  return { steps: steps.map((step, index) => told(step, all[index]!)) };
}

async function carriedOut(
  { id, agent, task }: PlanStep,
  before: readonly PlanStep[],
  results: readonly Ended[],
  run: ToolContext['run'],
): Promise<Ended> {
  const read = Object.fromEntries(
    before.map((step, index) => [step.id, shortened(results[index]!.result?.text ?? '')]),
  );
  const input =
    before.length === 0
      ? task
      : `${task}\n\nThe results of the steps before, as JSON:\n${JSON.stringify(read)}`;
  try {
    const result = await run(agent, input, { key: id });
    return { status: result.status === 'completed' ? 'done' : result.status, result };
  } catch (error) {
    // The call is aborted: no further step begins.
    if (!isAgentSessionError(error) || error.code === 'cancelled' || error.code === 'tool-escalated')
      throw error;
    return { status: 'failed', problem: error.message };
  }
}

/** Returns what the model reads about a step. */
function told({ id, title }: PlanStep, { status, result, problem }: Ended): JsonObject {
  const { text, effects, report, error, stop } = result ?? {};
  const happened = whatHappened({
    text,
    effects,
    report,
    problem: problem ?? error?.message ?? stop?.message,
  });
  return { id, title, status, ...happened };
}

/** Lets a limited number of steps in. The others wait in order of arrival. */
class Room {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves with a function that lets the next step in. */
  async enter(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    };
  }
}
