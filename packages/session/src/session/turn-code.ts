import { systemClock } from '../ports/clock.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import type { ToolDefinition } from '../provider/provider.js';
import type * as turnModule from '../turn/turn.js';

/** The module that runs turns: a chunk of its own, since a page shows its chat long before a user writes into it. */
export type TurnCode = typeof turnModule;

/** The code of turns, which all sessions of a page share. */
export const turnCode = new LazyCode<TurnCode>(() => import('../turn/turn.js'));

/** The session that code is loaded for. */
export interface PreloadOptions {
  /** The ports of the session; `clock` bounds each fetch, `validator` names what checks arguments. Default: those of a session. */
  readonly ports?: Partial<Pick<Ports, 'clock' | 'validator'>>;
  /** The tools of the session: without tools nothing checks arguments. Default: unknown tools, without patterns. */
  readonly tools?: readonly ToolDefinition[];
}

/**
 * Loads the code that runs turns, and in a page or worker the code that checks tool arguments. Each session begins to do
 * so in the background when it is created, so that the first `send` seldom waits, and a page that was loaded once works
 * offline. Call it where the code must be loaded earlier, for example before a service worker fills its cache.
 *
 * Outside of pages and workers the validator is read from disk at the first tool call.
 *
 * @throws AgentSessionError `network` when a fetch fails or takes longer than 30 seconds; the next call fetches again
 *
 * @example
 * await preloadTurns();
 * const session = createAgentSession({ provider, domains });
 */
export async function preloadTurns({ ports = {}, tools }: PreloadOptions = {}): Promise<void> {
  const { clock = systemClock, validator = 'auto' } = ports;
  const { preloadValidator } = await turnCode.get(clock);
  if (tools?.length !== 0) await preloadValidator({ clock, validator }, tools ?? []);
}
