import type { Plan, PlannedCall } from './step.js';

/** Returns a plan without its calls on some cards. The text of its steps stays unchanged. */
export function* leavingOut(plan: Plan, titles: readonly string[]): Plan {
  const left = new Set<string>();
  const isLeftOut = ({ arguments: { card, title } }: PlannedCall): boolean => {
    const named = titles.find((one) => [card, title].some((text) => isSame(text, one)));
    if (named !== undefined) left.add(named);
    return named !== undefined;
  };
  let next = plan.next();
  while (!next.done) {
    const calls = next.value.calls.filter((one) => !isLeftOut(one));
    // If no call of a step is left, the step is skipped, and the plan continues without outcomes.
    next = plan.next(calls.length === 0 && next.value.calls.length > 0 ? [] : yield { ...next.value, calls });
  }
  const unknown = titles.filter((title) => !left.has(title));
  return [next.value, sentence('I left out', [...left]), sentence('I had nothing to do with', unknown)]
    .filter((text) => text !== '')
    .join('\n\n');
}

function isSame(text: unknown, title: string): boolean {
  return typeof text === 'string' && text.toLowerCase() === title.toLowerCase();
}

function sentence(begin: string, titles: readonly string[]): string {
  return titles.length === 0 ? '' : `${begin} ${titles.map((title) => `“${title}”`).join(' and ')}.`;
}
