import type { Clock, JsonValue, Provider } from '@banister/provider';
import type { GatewayOptions } from './gateway-options.js';
import type { AllowsOrigin } from './origin-check.js';
import type { WholePolicy } from './policy.js';
import type { QuotaStore } from './quota-store.js';
import type { Sealer } from './seal.js';

/** What the parts of a gateway share: the options with their defaults. */
export interface GatewayParts {
  readonly options: GatewayOptions;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly allows: AllowsOrigin;
  readonly quotas: QuotaStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly isOpen: boolean;
  /** The number of requests of each user that have begun and have no reply of the quota store yet. */
  readonly preparing: Map<string, number>;
  /** Finished answers that are being booked and reported. */
  readonly ends: Set<Promise<void>>;
}

/** Answers the requests of a gateway. It never rejects. */
export type GatewayHandler = (request: Request) => Promise<Response>;

/** A user, and the policy with its defaults. */
export interface KnownUser {
  readonly user: string;
  readonly policy: WholePolicy;
}

/** The facts about a request, for the log. */
export interface Exchange {
  user?: string;
  model?: string;
  agent?: string | undefined;
  content?: JsonValue | undefined;
}
