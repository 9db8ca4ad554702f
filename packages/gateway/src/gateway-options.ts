import type {
  AgentSessionError,
  Clock,
  JsonValue,
  Provider,
  ProviderRequest,
  UsageReport,
} from '@banister/provider';
import { checkFields } from './check-fields.js';
import { invalid } from './invalid.js';
import { wholePolicy, type Policy } from './policy.js';
import type { QuotaStore } from './quota-store.js';

/** The user who sent a request. */
export interface Authorized {
  /** The id of the user. Quotas, idempotency keys and seals are bound to it. */
  readonly user: string;
  /** Default: the option `policy` of the gateway. */
  readonly policy?: Policy | undefined;
}

/** Returns the user of a request; null refuses the request with the status 401. The function must not read the body. */
export type Authorize = (request: Request) => Authorized | null | Promise<Authorized | null>;

/** The report of a finished answer, without its content. */
export interface AnswerReport {
  readonly user: string;
  /** The alias of the model. */
  readonly model: string;
  /** The id of the agent that the request names. */
  readonly agent?: string | undefined;
  /** `cut`: the client disconnected, or stopped reading. `failed`: an error ended the answer. */
  readonly status: 'completed' | 'failed' | 'cut';
  /** The usage report of the model; null if there was none, as for many answers that were cut. */
  readonly usage: UsageReport | null;
  /** An estimate from the number of characters, for answers without a usage report. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number };
  /** Milliseconds. */
  readonly durationMs: number;
  /** The code of the error; null if there was none. */
  readonly code: AgentSessionError['code'] | null;
}

/** A request that was answered or refused. The entry contains no content and no header of the request. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly status: number;
  /** Absent before the user is known. */
  readonly user?: string | undefined;
  /** The alias of the model; absent before it is known. */
  readonly model?: string | undefined;
  /** The id of the agent that the request names. */
  readonly agent?: string | undefined;
  /** The code of the refusal; absent if the request was answered. */
  readonly code?: AgentSessionError['code'] | undefined;
  /** What the option `logContent` returned. */
  readonly content?: JsonValue | undefined;
}

/** An error in full. A client sees only part of it. */
export interface GatewayError {
  readonly error: unknown;
  /** Absent before the user is known. */
  readonly user?: string | undefined;
  /** The alias of the model; absent before it is known. */
  readonly model?: string | undefined;
}

/** Options of {@link gateway}. It needs `provider`, and either `authorize` or `open`. */
export interface GatewayOptions {
  /** The provider of the only model, with the alias `default`; or a provider for each alias. A request can name only aliases. */
  readonly provider: Provider | { readonly [alias: string]: Provider };
  /** Returns the user of a request. If it is missing, `gateway` throws, unless `open` is set. */
  readonly authorize?: Authorize | undefined;
  /**
   * Serves every request from this machine, without a user and a policy. For development: the headers `Host` and `Origin` must name this
   * machine, and with `NODE_ENV=production` `gateway` throws. A function that gets a `Request` does not know the address of its client, and
   * a program can send any header: the server itself must listen on 127.0.0.1. `toNodeHandler` and the command check that.
   */
  readonly open?: 'localhost' | undefined;
  /** The policy of users for whom `authorize` returns no policy. */
  readonly policy?: Policy | undefined;
  /** Counts what users spend. Default {@link memoryQuotas}, which counts only in this process. */
  readonly quotas?: QuotaStore | undefined;
  /** Origins of pages at other addresses: `https://app.example`. Default: none. */
  readonly cors?: readonly string[] | undefined;
  /**
   * Secrets that seal reasoning, each at least 32 characters: the first secret seals, every secret opens. `per-process` makes a secret that
   * is lost at a restart and unknown to other processes: a conversation then continues without its earlier reasoning. Default `per-process`,
   * with a warning.
   */
  readonly seal?: 'per-process' | string | readonly string[] | undefined;
  /** Called after each answer, even if it was cut. */
  readonly onUsage?: ((report: AnswerReport) => void | Promise<void>) | undefined;
  /** Called with every error in full, including the words of the model's server. Default: none. */
  readonly onError?: ((error: GatewayError) => void | Promise<void>) | undefined;
  /** Called with an entry for each request. Default: none. */
  readonly log?: ((entry: LogEntry) => void | Promise<void>) | undefined;
  /** Returns the part of the request's content for the log entry, after your redaction. Default: nothing. */
  readonly logContent?: ((request: ProviderRequest) => JsonValue | undefined) | undefined;
  /** Called once with each warning about the options. Default `console.warn`. */
  readonly warn?: ((message: string) => void) | undefined;
  /** The interval between keep-alive messages of an answer, in milliseconds. Default 15,000. */
  readonly keepAliveMs?: number | undefined;
  /** The clock for limits and spans; tests pass a virtual clock. */
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

/** Throws `invalid-configuration` for options that cannot work, or that would serve other machines without `authorize`. */
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

/** Returns the providers by alias. Throws `invalid-configuration` for a value that is not a provider. */
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
