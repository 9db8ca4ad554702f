import type { Clock, ToolDefinition } from '@banister/provider';
import { systemClock } from '@banister/provider/internal/port/clock';
import type { Agent } from '../agents/agent.js';
import type { CompactionSetting } from '../compaction/compaction.js';
import type { StagedDiscovery } from '../discovery/staged-discovery.js';
import type { Middleware } from '../middleware/middleware.js';
import type { GivenPorts } from '../ports/ports.js';
import type { Domain } from '../tools/domain.js';
import { createToolRegistry } from '../tools/tool-registry.js';
import { compactionOf } from '../compaction/compaction-code.js';
import { logCode } from './log-code.js';
import { hooksOf } from '../middleware/middleware-code.js';
import { sessionCode } from './session-code.js';

type CodePorts = Pick<GivenPorts, 'clock' | 'validator' | 'journal'>;

/** The ports, domains and settings of the session for which code is loaded. */
export interface PreloadOptions {
  /**
   * The ports of the session. `clock` limits the time of each fetch, and `validator` names the validator to load. With a `journal`, the
   * code that writes and the code that ends interrupted work are loaded too. Default: the default ports of a session.
   */
  readonly ports?: CodePorts | undefined;
  /**
   * The domains of the session. If they have no tools, no validator is loaded. Default: the tools are unknown, and assumed to have no
   * patterns.
   */
  readonly domains?: readonly Domain[] | undefined;
  /** The compaction of the session, whose code is loaded. Default: none. */
  readonly compaction?: CompactionSetting | null | undefined;
  /** The staged discovery of the session, whose code is loaded. Default: none. */
  readonly discovery?: StagedDiscovery | null | undefined;
  /** The middleware of the session. If given, the code that calls its hooks is loaded. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** The agents of the session. If there are any, the code that runs child turns is loaded. Default: none. */
  readonly agents?: readonly Agent[] | undefined;
}

/**
 * Loads the code that runs turns, and in a page or worker also the code that checks tool arguments. Each session loads this code in the
 * background when it is created, so that the first `send` seldom waits, and a page that was loaded once works offline. Call this function
 * if the code must be loaded earlier, for example before a service worker fills its cache.
 *
 * Outside of pages and workers the validator is read from disk at the first tool call.
 *
 * @throws AgentSessionError `network` when a fetch fails or takes longer than 30 seconds; the next call fetches again.
 *   `invalid-configuration` for domains that no session accepts
 *
 * @example
 * await preloadTurns();
 * const session = createAgentSession({ provider, domains });
 */
export async function preloadTurns({
  ports,
  domains,
  compaction,
  discovery,
  middleware = [],
  agents,
}: PreloadOptions = {}): Promise<void> {
  await Promise.all([
    preloadCode(ports, domains && createToolRegistry(domains).definitions, { discovery, agents }),
    ports?.journal && loadResumeCode(ports.clock ?? systemClock),
    hooksOf(middleware)?.(ports?.clock ?? systemClock),
    compaction && compactionOf(compaction).load(ports?.clock ?? systemClock),
  ]);
}

/** Loads the code that ends interrupted work. The chunk of logs exports its loader. */
async function loadResumeCode(clock: Clock): Promise<void> {
  const { resumeCode } = await logCode.get(clock);
  await resumeCode.get(clock);
}

/**
 * Loads the code of sessions; with a journal also the code that writes, with staged discovery its code, and with agents the code that runs
 * child turns. In a page or worker, also loads the code that checks the arguments of these tools.
 */
export async function preloadCode(
  { clock = systemClock, validator = 'auto', journal }: CodePorts = {},
  tools?: readonly ToolDefinition[],
  { discovery, agents }: Pick<PreloadOptions, 'discovery' | 'agents'> = {},
): Promise<void> {
  const [{ preloadParts }] = await Promise.all([
    sessionCode.get(clock),
    journal && logCode.get(clock),
    discovery?.code.get(clock),
  ]);
  await preloadParts({ clock, validator }, tools, agents);
}
