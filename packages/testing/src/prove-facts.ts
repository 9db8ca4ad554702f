import type { TestRunner } from './test-runner.js';

/** One test of a conformance suite. */
interface ProvenFact<Name extends string, Stage> {
  readonly fact: Name;
  readonly description: string;
  prove(stage: Stage): Promise<void>;
}

/**
 * Defines a test for each fact of a conformance suite. Each test gets its own stage, which is cleared at its end. A fact with a reason in
 * `skip` is reported as skipped.
 */
export function proveFacts<Name extends string, Stage extends { clear(): unknown }>(
  { describe, it }: TestRunner,
  title: string,
  facts: readonly ProvenFact<Name, Stage>[],
  skip: { readonly [F in Name]?: string },
  makeStage: () => Stage | Promise<Stage>,
): void {
  describe(title, () => {
    for (const { fact, description, prove } of facts) {
      const reason = skip[fact];
      if (reason !== undefined) it.skip(`${description} (gap: ${reason})`, () => {});
      else
        it(description, async () => {
          const stage = await makeStage();
          try {
            await prove(stage);
          } finally {
            await stage.clear();
          }
        });
    }
  });
}
