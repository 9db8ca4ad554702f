import { planOf, type Plan, type PlanStep } from '@banister/crew/plan';
import type { JsonObject, ToolCallView } from '@banister/session';
import { counted } from './counted.js';

/** Says what the user changed in the plan of a call before the approval; null if nothing was changed. Reads no signal. */
export function planEdits(call: ToolCallView, edited: JsonObject | undefined = call.ranWith): string | null {
  const { ranWith: _, ...asWritten } = call;
  const written = planOf(asWritten);
  const approved = edited === undefined ? null : planOf({ ...asWritten, ranWith: edited });
  return written === null || approved === null ? null : words(written, approved);
}

function words(written: Plan, approved: Plan): string | null {
  const before = new Map(written.steps.map((step) => [step.id, step]));
  const kept = approved.steps.filter(({ id }) => before.has(id));
  const differs = (isOther: (now: PlanStep, was: PlanStep) => boolean) =>
    kept.filter((step) => isOther(step, before.get(step.id)!)).length;
  const edits = [
    [differs((now, was) => now.title !== was.title), (steps) => `renamed ${steps}`],
    [differs((now, was) => now.task !== was.task), (steps) => `rewrote the task of ${steps}`],
    [differs((now, was) => now.agent !== was.agent), (steps) => `gave ${steps} to another agent`],
    [movedIn(written.steps, kept), (steps) => `moved ${steps}`],
    [written.steps.length - kept.length, (steps) => `removed ${steps}`],
    [approved.steps.length - kept.length, (steps) => `added ${steps}`],
  ] as const satisfies readonly (readonly [count: number, words: (steps: string) => string])[];
  const parts = edits
    .filter(([count]) => count > 0)
    .map(([count, tell], index) => tell(index === 0 ? counted(count, 'step') : String(count)));
  if (written.title !== approved.title) parts.push('renamed the plan');
  if (parts.length === 0) return null;
  return `You ${[parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')}.`;
}

/** Returns how many of the kept steps have to move from the order of the model to the order of the user. */
function movedIn(written: readonly PlanStep[], kept: readonly PlanStep[]): number {
  const places = kept.map(({ id }) => written.findIndex((step) => step.id === id));
  // The longest part of the steps that is in order stays where it is.
  const longest = places.map(() => 1);
  places.forEach((place, at) => {
    for (let earlier = 0; earlier < at; earlier++)
      if (places[earlier]! < place) longest[at] = Math.max(longest[at]!, longest[earlier]! + 1);
  });
  return kept.length - Math.max(0, ...longest);
}
