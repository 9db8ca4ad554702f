import type { BindingFact } from './binding/binding-fact.js';
import { drawingFacts } from './binding/drawing-facts.js';
import { lifetimeFacts } from './binding/lifetime-facts.js';
import type { MountView } from './binding/mounted-view.js';
import { Stage } from './binding/stage.js';
import { proveFacts } from './prove-facts.js';
import type { TestRunner } from './test-runner.js';

export type { BindingFact } from './binding/binding-fact.js';
export type { MountedView, MountView } from './binding/mounted-view.js';

export interface BindingConformanceOptions {
  /** Facts that do not hold for this binding, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [F in BindingFact]?: string } | undefined;
  /** How many views are mounted to look for leaks, a hundred at a time. Default 1,000. */
  readonly mounts?: number | undefined;
}

/**
 * Defines the tests that every view binding must pass. Declare a fact that does not hold in `skip`.
 *
 * @param name the name of the binding, for the report
 * @param mount mounts a view that reads through the binding
 * @param runner the test runner: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * bindingConformance('react', (session, read, show) => {
 *   let renders = 0;
 *   const View = ({ session }) => <p>{show(useSession(session, read))}</p>;
 *   const tree = (of) => <Profiler id="view" onRender={() => renders++}><View session={of} /></Profiler>;
 *   const view = render(tree(session));
 *   return {
 *     text: () => view.container.textContent,
 *     renders: () => renders,
 *     flush: () => act(async () => {}),
 *     unmount: () => view.unmount(),
 *     rerender: (other) => view.rerender(tree(other)),
 *   };
 * }, { describe, it });
 */
export function bindingConformance(
  name: string,
  mount: MountView,
  runner: TestRunner,
  { skip = {}, mounts = 1_000 }: BindingConformanceOptions = {},
): void {
  const facts = [...drawingFacts, ...lifetimeFacts].map(({ prove, ...fact }) => ({
    ...fact,
    prove: (stage: Stage) => prove(stage, mounts),
  }));
  proveFacts(runner, `${name} as a view binding`, facts, skip, () => new Stage(mount));
}
