import type {
  AgentSessionError,
  Clock,
  JsonValue,
  Provider,
  ProviderRequest,
  UsageReport,
} from '@banister/session/provider';
import { checkFields } from './check-fields.js';
import { invalid } from './invalid.js';
import { wholePolicy, type Policy } from './policy.js';
import type { QuotaStore } from './quota-store.js';

/** A user whom a request comes from. */
export interface Authorized {
  /** The id of the user. Quotas, idempotency keys and seals are bound to it. */
  readonly user: string;
  /** Default: the option `policy` of the gateway. */
  readonly policy?: Policy | undefined;
}

/** Returns the user of a request; null for a request that is refused with the status 401. It must not read the body. */
export type Authorize = (request: Request) => Authorized | null | Promise<Authorized | null>;

/** An answer that is over, without its content. */
export interface AnswerReport {
  readonly user: string;
  /** The alias of the model. */
  readonly model: string;
  /** `cut`: the client left, or did not read on. `failed`: an error ended the answer. */
  readonly status: 'completed' | 'failed' | 'cut';
  /** The report of the model; null where none came, as for many answers that were cut. */
  readonly usage: UsageReport | null;
  /** An estimate from the number of characters, for answers without a report. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number };
  /** Milliseconds. */
  readonly durationMs: number;
  /** The code of the error; null without one. */
  readonly code: AgentSessionError['code'] | null;
}

/** A request that was answered or refused. It has no content and no header of the request. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly status: number;
  /** Absent before the user is known. */
  readonly user?: string | undefined;
  /** The alias of the model; absent before it is known. */
  readonly model?: string | undefined;
  /** The code of the refusal; absent for a request that was answered. */
  readonly code?: AgentSessionError['code'] | undefined;
  /** The part of the request that the option `logContent` returned. */
  readonly content?: JsonValue | undefined;
}

/** An error that no client sees in full. */
export interface GatewayError {
  readonly error: unknown;
  /** Absent before the user is known. */
  readonly user?: string | undefined;
  /** The alias of the model; absent before it is known. */
  readonly model?: string | undefined;
}

/** Options of {@link gateway}. It needs `provider`, and either `authorize` or `open`. */
export interface GatewayOptions {
  /** The provider of the only model, whose alias is `default`; or one provider for each alias. A request can name aliases alone. */
  readonly provider: Provider | { readonly [alias: string]: Provider };
  /** Returns the user of a request. Without it the gateway is not made, unless `open` is set. */
  readonly authorize?: Authorize | undefined;
  /**
   * Serves each request that comes from this machine, without a user and a policy. For development: the headers `Host` and `Origin` must have
   * names of this machine, and with `NODE_ENV=production` the gateway is not made. A function that gets a `Request` knows no address of its
   * client, and a program can send any header: the server itself must listen at 127.0.0.1. `toNodeHandler` and the command check that.
   */
  readonly open?: 'localhost' | undefined;
  /** The policy of users for whom `authorize` returns none. */
  readonly policy?: Policy | undefined;
  /** Counts what users spend. Default {@link memoryQuotas}, which counts in this process alone. */
  readonly quotas?: QuotaStore | undefined;
  /** Origins of pages at other addresses: `https://app.example`. Default: none. */
  readonly cors?: readonly string[] | undefined;
  /**
   * Secrets for the seals of reasoning, of at least 32 characters: the first one seals, all of them open. `per-process` makes one that a restart
   * loses, and another process does not have: then a conversation goes on without its earlier reasoning. Default `per-process`, with a warning.
   */
  readonly seal?: 'per-process' | string | readonly string[] | undefined;
  /** Is called for each answer that is over, also for one that was cut. */
  readonly onUsage?: ((report: AnswerReport) => void | Promise<void>) | undefined;
  /** Gets every error in full, with the words of the model's server. Default: none. */
  readonly onError?: ((error: GatewayError) => void | Promise<void>) | undefined;
  /** Gets an entry for each request. Default: none. */
  readonly log?: ((entry: LogEntry) => void | Promise<void>) | undefined;
  /** Returns what a log entry has of the request's content, after your redaction. Default: nothing. */
  readonly logContent?: ((request: ProviderRequest) => JsonValue | undefined) | undefined;
  /** Gets warnings about the options, once. Default `console.warn`. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Milliseconds between two signs of life of an answer. Default 15,000. */
  readonly keepAliveMs?: number | undefined;
  /** The clock of limits and spans; tests pass a virtual one. */
  readonly clock?: Clock | undefined;
}

const names: readonly (keyof GatewayOptions)[] = [
  'provider',
  'authorize',
  'open',
  'policy',
  'quotas',
  'cors',
  'seal',
  'onUsage',
  'onError',
  'log',
  'logContent',
  'warn',
  'keepAliveMs',
  'clock',
];

/** Throws `invalid-configuration` for options with which a gateway would not work, or would answer other machines without `authorize`. */
export function checkGatewayOptions(options: GatewayOptions): void {
  const { authorize, open, policy, keepAliveMs } = options;
  checkFields('A gateway has no option', options, names);
  if (open !== undefined && open !== 'localhost') throw invalid('The option open must be "localhost".');
  if (open === undefined && typeof authorize !== 'function')
    throw invalid('A gateway needs authorize, or open: "localhost" for this machine alone.');
  if (open !== undefined && authorize !== undefined)
    throw invalid('Give the gateway authorize or open, not both.');
  if (open !== undefined && isProduction())
    throw invalid('open: "localhost" is for development; NODE_ENV is "production".');
  if (policy !== undefined) wholePolicy(policy);
  if (keepAliveMs !== undefined && !(keepAliveMs > 0)) throw invalid('keepAliveMs must be above 0.');
}

/** Returns the providers by alias. Throws `invalid-configuration` for a value that is none. */
export function providersOf({ provider }: Pick<GatewayOptions, 'provider'>): ReadonlyMap<string, Provider> {
  const isOne = typeof (provider as Partial<Provider> | undefined)?.stream === 'function';
  const entries: readonly (readonly [string, Provider])[] = isOne
    ? [['default', provider as Provider]]
    : Object.entries((provider as { readonly [alias: string]: Provider } | undefined) ?? {});
  if (entries.length === 0) throw invalid('A gateway needs a provider or several by alias.');
  for (const [alias, one] of entries)
    if (typeof one?.stream !== 'function') throw invalid(`The alias "${alias}" has no provider.`);
  return new Map(entries);
}

function isProduction(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.['NODE_ENV'] === 'production';
}
