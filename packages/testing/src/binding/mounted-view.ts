import type { AgentSession } from '@banister/session';

/** A mounted view. */
export interface MountedView {
  /** The text that the view shows now. */
  text(): string;
  /** How often the view has rendered, including the first time. Count commits, so that a double render of strict mode counts once. */
  renders(): number;
  /** Resolves when the framework has rendered all changes that it knows of. */
  flush(): void | Promise<void>;
  unmount(): void | Promise<void>;
  /** Gives the same view another session. If the framework cannot do that, declare the gap `other-session`. */
  rerender?(session: AgentSession): void | Promise<void>;
}

/**
 * Mounts a view that reads a value from a session through the binding, and shows the value as text.
 *
 * @param read reads signals of the session, which the binding must track
 * @param show returns the text to render; call it in each render
 * @param isEqual whether two results are equal. If the binding does not take such a function, declare the gap `equal-result`
 */
export type MountView = <T>(
  session: AgentSession,
  read: (session: AgentSession) => T,
  show: (value: T) => string,
  isEqual?: (a: T, b: T) => boolean,
) => MountedView | Promise<MountedView>;
