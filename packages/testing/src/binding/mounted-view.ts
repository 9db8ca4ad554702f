import type { AgentSession } from '@banister/session';

/** A view on the screen. */
export interface MountedView {
  /** The values that it shows now. */
  text(): string;
  /** How often it rendered, the first time included. Count commits: what strict modes render twice counts once. */
  renders(): number;
  /** Resolves when the framework has rendered everything that it knows of. */
  flush(): void | Promise<void>;
  unmount(): void | Promise<void>;
  /** Gives the same view another session; where views cannot do so, declare the gap `other-session`. */
  rerender?(session: AgentSession): void | Promise<void>;
}

/**
 * Mounts a view that reads a value from a session through the binding, and shows it as text.
 *
 * @param read reads signals of the session, to be tracked by the binding
 * @param show turns the value into the text to render; call it in each render
 * @param isEqual whether two results are the same, for bindings that take such a function; where one does not, declare the
 *   gap `equal-result`
 */
export type MountView = <T>(
  session: AgentSession,
  read: (session: AgentSession) => T,
  show: (value: T) => string,
  isEqual?: (a: T, b: T) => boolean,
) => MountedView | Promise<MountedView>;
