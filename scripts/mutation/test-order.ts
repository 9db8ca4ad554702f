import path from 'node:path';
import { bodyName, type Mutant } from './mutants.js';
import type { TestFile } from './tester.js';

/** Chooses the test files for each mutant: those that enter its function, the likeliest to notice it first. */
export class TestOrder {
  private readonly fastest: readonly TestFile[];
  private readonly entered: ReadonlyMap<string, ReadonlySet<string>>;
  /** The test files that noticed mutants of a source or of a folder, the last one first. */
  private readonly killers = new Map<string, readonly string[]>();

  /** @param ran the test files, as they ran on the traced sources */
  constructor(ran: readonly TestFile[]) {
    this.fastest = ran.toSorted((one, other) => one.seconds - other.seconds);
    this.entered = new Map(ran.map(({ file, entered }) => [file, new Set(entered)]));
  }

  /** Returns the files in the order in which they run: those that noticed mutants nearby, then the fastest. */
  testsOf(mutant: Mutant): readonly string[] {
    const nearby = placesOf(mutant).flatMap((place) => this.killers.get(place) ?? []);
    const files = new Set([...nearby, ...this.fastest.map(({ file }) => file)]);
    return [...files].filter((file) => this.enters(file, mutant));
  }

  /** Is called when a test file noticed a mutant. */
  note(mutant: Mutant, killer: string): void {
    for (const place of placesOf(mutant)) {
      const others = (this.killers.get(place) ?? []).filter((known) => known !== killer);
      this.killers.set(place, [killer, ...others]);
    }
  }

  private enters(test: string, { file, body }: Mutant): boolean {
    return body === null
      ? this.entered.has(test)
      : (this.entered.get(test)?.has(bodyName(file, body)) ?? false);
  }
}

/** The function of a mutant, its source, and its folder. */
function placesOf({ file, body }: Mutant): readonly string[] {
  return [bodyName(file, body ?? 0), file, path.dirname(file)];
}
