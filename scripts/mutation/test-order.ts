import path from 'node:path';
import { bodyName, type Mutant } from './mutants.js';
import type { TestFile } from './tester.js';

/** Chooses the test files for each mutant: the files that enter its function, most likely to notice it first. */
export class TestOrder {
  private readonly fastest: readonly TestFile[];
  private readonly entered: ReadonlyMap<string, ReadonlySet<string>>;
  /** For a source or a folder: the test files that noticed its mutants, most recent first. */
  private readonly killers = new Map<string, readonly string[]>();

  /** @param ran the test files, as they ran on the traced sources */
  constructor(ran: readonly TestFile[]) {
    this.fastest = ran.toSorted((one, other) => one.seconds - other.seconds);
    this.entered = new Map(ran.map(({ file, entered }) => [file, new Set(entered)]));
  }

  /** Returns the files in the order in which they run: first the files that noticed mutants nearby, then the fastest files. */
  testsOf(mutant: Mutant): readonly string[] {
    const nearby = placesOf(mutant).flatMap((place) => this.killers.get(place) ?? []);
    const files = new Set([...nearby, ...this.fastest.map(({ file }) => file)]);
    return [...files].filter((file) => this.enters(file, mutant));
  }

  /** Called when a test file noticed a mutant. */
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

/** Returns the keys of a mutant's function, source and folder. */
function placesOf({ file, body }: Mutant): readonly string[] {
  return [bodyName(file, body ?? 0), file, path.dirname(file)];
}
