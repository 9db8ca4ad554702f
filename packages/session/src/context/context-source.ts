/**
 * A line of live context in each request to the model.
 *
 * @example
 * const selection: ContextSource = { id: 'selection', policy: 'always', summary: () => `Selected: ${board.selected}` };
 */
export interface ContextSource {
  /** Names the line: `[id]: text`. */
  readonly id: string;
  /** The moments at which it is read. `always`: before every request. */
  readonly policy: 'always';
  /**
   * Returns the text; line breaks become spaces. A source that throws, or takes longer than the limit `contextTimeoutMs`, becomes a
   * diagnostic, never an error.
   */
  summary(): string | Promise<string>;
}
