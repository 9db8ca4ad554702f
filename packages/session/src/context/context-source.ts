/** A line of live context that the model reads before every answer. */
export interface ContextSource {
  /** Names the line: `[id]: text`. */
  readonly id: string;
  /** When to read it. `always`: before every request. */
  readonly policy: 'always';
  /** The text, best one line. A source that throws or is too slow becomes a diagnostic, never an error. */
  summary(): string | Promise<string>;
}
