import { checked, refusal } from '@banister/provider/internal/errors/checked';
import { defined } from '@banister/provider/internal/json/defined';
import { flag, only, optional, positive, wrong, type Read } from '@banister/provider/internal/json/shape';

/** The options of {@link compaction}. */
export interface CompactionOptions {
  /**
   * The share of the model's context window from which a conversation is compacted before the next request. It must be above `to`, and at
   * most 1. Default 0.8.
   */
  readonly at?: number | undefined;
  /** The share of the window that the request fills after the compaction, if possible. Default 0.5. */
  readonly to?: number | undefined;
  /**
   * Whether the model writes a summary of messages that would be left out, or whose calls would be shortened. The summary costs one more
   * request, which counts for usage, cost and time. Default true.
   */
  readonly summary?: boolean | undefined;
  /** The longest time for the summary, in milliseconds. Default 30 000. */
  readonly summaryTimeoutMs?: number | undefined;
}

/** The setting of a session that compacts its conversations, created by {@link compaction}. */
export type CompactionSetting = {
  readonly [Name in keyof CompactionOptions]-?: NonNullable<CompactionOptions[Name]>;
};

/** The settings of a compaction that only the user starts. */
export const defaultCompaction: CompactionSetting = {
  at: 0.8,
  to: 0.5,
  summary: true,
  summaryTimeoutMs: 30_000,
};

const share: Read<number> = (value, at) =>
  positive(value, at) <= 1 ? (value as number) : wrong(at, 'it is no share of at most 1');

const shape = only({
  at: optional(share),
  to: optional(share),
  summary: optional(flag),
  summaryTimeoutMs: optional(positive),
} satisfies Record<keyof CompactionOptions, Read>);

/**
 * Returns the option `compaction` of a session. Conversations are compacted before a request that would fill too much of the model's
 * context window, and after an error `context-length`, once per round. Only requests get shorter: `conversation` and `turns` stay whole,
 * and `session.uncompact` takes each compaction back. If the window is unknown, only the error starts a compaction.
 *
 * @throws AgentSessionError `invalid-configuration` for invalid options
 *
 * @example
 * const session = createAgentSession({ provider, compaction: compaction({ at: 0.7 }) });
 */
export function compaction(options: CompactionOptions = {}): CompactionSetting {
  checked(shape, options, 'The options of compaction');
  const setting = { ...defaultCompaction, ...defined(options) };
  if (setting.to >= setting.at) throw refusal('The options of compaction: "to" must be below "at".');
  return Object.freeze(setting);
}
