/** The code that matches patterns in linear time. */
export interface PatternMatcher {
  /** Compiles a pattern. Throws for a pattern that has no linear form. */
  linearPattern(pattern: string): (text: string) => boolean;
  /**
   * Runs code in which all patterns together may take this many steps. Throws a {@link StepLimitError} after
   * the last step.
   */
  limitSteps<R>(most: number, run: () => R): R;
  readonly StepLimitError: abstract new (...args: never[]) => Error;
}

/**
 * Loads the code that matches patterns in linear time. The validators receive this function as a parameter, so that their chunks share no module
 * with the first chunk of a page.
 */
export type LoadMatcher = () => PatternMatcher | Promise<PatternMatcher>;
