import { checked } from '@banister/provider/internal/errors/checked';
import { flag, only, optional, reader } from '@banister/provider/internal/json/shape';
import { LazyCode } from '../ports/lazy-code.js';
import type { Discovery, DiscoveryStages } from '../turn/turn-parts.js';

/** The options of {@link stagedDiscovery}. */
export interface StagedDiscoveryOptions {
  /**
   * Whether domains are activated in stages even if the model accepts all tools at once. A short list of tools costs fewer tokens, and
   * models choose better from it. Default false.
   */
  readonly always?: boolean | undefined;
  /** The highest number of tools in a request, if it is lower than the provider's own. At least 3. Default: the provider's own maximum. */
  readonly maxTools?: number | undefined;
}

/** Staged discovery, for the option `discovery` of a session, created by {@link stagedDiscovery}. */
export type StagedDiscovery = Discovery;

/** Loads the code of staged discovery, once for all sessions of a page. */
const code = new LazyCode<DiscoveryStages>(() => import('./staged-tools.js'));

const optionsShape = only({
  always: optional(flag),
  maxTools: optional(
    reader(
      (value): value is number => Number.isInteger(value) && Number(value) >= 3,
      'it is no number from 3 on',
    ),
  ),
});

/**
 * Returns staged discovery: the model gets the tools of a domain when it asks for them. It has two tools for that, `banister.list_domains`
 * and `banister.use_domain`, and the system prompt lists the domains. A domain stays active in later turns.
 *
 * It is used if a session has more tools than its model accepts in one request; with `always`, in each turn. A session without it refuses
 * such a turn.
 *
 * @throws AgentSessionError `invalid-configuration` for invalid options
 *
 * @example
 * const session = createAgentSession({ provider, domains: [board, mail, calendar], discovery: stagedDiscovery() });
 */
export function stagedDiscovery(options: StagedDiscoveryOptions = {}): StagedDiscovery {
  checked(optionsShape, options, 'The options of stagedDiscovery');
  const { always = false, maxTools = Infinity } = options;
  return { always, maxTools, code };
}
