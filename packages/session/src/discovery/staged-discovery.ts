import { checked } from '../errors/checked.js';
import { flag, only, optional, reader } from '../json/shape.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { Discovery, DiscoveryStages } from '../turn/turn-request.js';

/** The options of {@link stagedDiscovery}. */
export interface StagedDiscoveryOptions {
  /**
   * Whether domains are activated one after the other also where the model takes all tools at once: a short list of tools costs fewer
   * tokens, and models choose better from it. Default false.
   */
  readonly always?: boolean | undefined;
  /** The highest number of tools in a request, where it is lower than the cap of the provider. From 3 on. Default: that of the provider. */
  readonly maxTools?: number | undefined;
}

/** Staged discovery, for the option `discovery` of a session: {@link stagedDiscovery} makes it. */
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
 * Returns staged discovery: the model gets the tools of a domain when it asks for them. It has two tools for that, `banister.list_domains` and
 * `banister.use_domain`, and reads in the system prompt which domains there are. A domain stays active in the turns that follow.
 *
 * It begins where a session has more tools than its model takes in one request, and with `always` in each turn. A session without it refuses
 * such a turn.
 *
 * @throws AgentSessionError `invalid-configuration` for options that are none
 *
 * @example
 * const session = createAgentSession({ provider, domains: [board, mail, calendar], discovery: stagedDiscovery() });
 */
export function stagedDiscovery(options: StagedDiscoveryOptions = {}): StagedDiscovery {
  checked(optionsShape, options, 'The options of stagedDiscovery');
  const { always = false, maxTools = Infinity } = options;
  return { always, maxTools, code };
}
