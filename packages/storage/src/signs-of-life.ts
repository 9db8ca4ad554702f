/** The signs that writers give as long as they live. */
export interface SignsOfLife {
  /** Begins the sign of a writer. It ends with `hide`, or with its page. */
  show(id: string, owner: string): Promise<void>;
  hide(id: string, owner: string): void;
  isShown(id: string, owner: string): Promise<boolean>;
  /** Resolves when the sign of a writer has ended, or the signal fires. */
  ended(id: string, owner: string, signal: AbortSignal): Promise<void>;
}
