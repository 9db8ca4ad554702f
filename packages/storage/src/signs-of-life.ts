/** Shows which writers are alive. */
export interface SignsOfLife {
  /** Starts the sign of a writer. The sign ends with `hide`, or with its page. */
  show(id: string, owner: string): Promise<void>;
  hide(id: string, owner: string): void;
  isShown(id: string, owner: string): Promise<boolean>;
  /** Resolves when the sign of a writer has ended, or `signal` aborts. */
  ended(id: string, owner: string, signal: AbortSignal): Promise<void>;
}
