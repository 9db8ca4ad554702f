import type { PlanStep } from './plan-of.js';

/** Returns what is wrong with steps that fit the schema, as a sentence that names the step; null for steps that can be carried out. */
export function problemOf(steps: readonly PlanStep[]): string | null {
  const ids = new Set<string>();
  for (const { id } of steps) {
    if (ids.has(id)) return `Two steps have the id ${JSON.stringify(id)}.`;
    ids.add(id);
  }
  for (const { id, after = [] } of steps) {
    const unknown = after.find((one) => !ids.has(one));
    if (unknown !== undefined)
      return `The step ${JSON.stringify(id)} follows the step ${JSON.stringify(unknown)}, which does not exist.`;
  }
  const circle = inCircle(steps);
  return circle === undefined ? null : `The step ${JSON.stringify(circle)} would have to follow itself.`;
}

/** Returns the id of the first step that follows itself; undefined if each step can begin. */
function inCircle(steps: readonly PlanStep[]): string | undefined {
  let left = steps;
  for (;;) {
    const waiting = new Set(left.map(({ id }) => id));
    const blocked = left.filter(({ after = [] }) => after.some((id) => waiting.has(id)));
    if (blocked.length === left.length) return left[0]?.id;
    left = blocked;
  }
}
