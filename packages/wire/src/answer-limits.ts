import { AgentSessionError } from '@banister/provider';

/**
 * Bounds on one answer: a server that falls silent, or never stops, ends in an error. `Infinity` lifts a bound. The session's
 * own limits are usually reached first.
 *
 * @example
 * openai({ model: 'gpt-5-mini', baseURL: '/api/ai', limits: { idleTimeoutMs: 30_000 } });
 */
export interface AnswerLimits {
  /**
   * Longest wait in milliseconds from sending a request to the first bytes of its answer: an event, a ping or a comment.
   * Ends in `network` when no status arrived, else in `interrupted`; both can be retried. Default 300,000 (five minutes):
   * reasoning models may think that long before their first word.
   */
  readonly firstEventTimeoutMs?: number | undefined;
  /**
   * Longest silence in milliseconds in the middle of an answer. Pings and comments end a silence; time in which the answer is
   * not being read does not count. Ends in `interrupted`, which can be retried. Default 300,000 (five minutes).
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Longest time in milliseconds for the whole answer. It ends answers from servers that send only pings and
   * comments. Ends in `interrupted`. Default 3,600,000 (an hour).
   */
  readonly answerTimeoutMs?: number | undefined;
  /** Most bytes of one event. A longer event ends in `server`. Default 134,217,728 (128 MiB): an image in base64 fits. */
  readonly maxEventBytes?: number | undefined;
  /** Most bytes of an answer's body, unpacked. A longer body ends in `server`. Default 536,870,912 (512 MiB). */
  readonly maxAnswerBytes?: number | undefined;
}

const MIB = 1024 * 1024;

const defaults: Required<AnswerLimits> = {
  firstEventTimeoutMs: 300_000,
  idleTimeoutMs: 300_000,
  answerTimeoutMs: 3_600_000,
  maxEventBytes: 128 * MIB,
  maxAnswerBytes: 512 * MIB,
};

/** The defaults, overridden by the given limits. Throws `invalid-configuration` for an unknown name or a bad value. */
export function resolveAnswerLimits(given: AnswerLimits = {}): Required<AnswerLimits> {
  const resolved = { ...defaults };
  for (const name of Object.keys(given) as (keyof AnswerLimits)[]) {
    const limit: unknown = given[name];
    if (limit === undefined) continue;
    if (!(name in defaults)) {
      const known = Object.keys(defaults).join(', ');
      throw new AgentSessionError('invalid-configuration', `There is no limit "${name}", only ${known}.`);
    }
    if (typeof limit !== 'number' || !(limit > 0)) {
      const message = `limits.${name} must be a number above zero, or Infinity.`;
      throw new AgentSessionError('invalid-configuration', message);
    }
    resolved[name] = limit;
  }
  return resolved;
}
