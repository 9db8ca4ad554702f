import { AgentSessionError } from '@handrail/session/provider';

/**
 * Bounds on one answer, so that a server which falls silent, or never stops, ends as an error. Each can be lifted with
 * `Infinity`. The session has limits of its own, which are usually reached first.
 *
 * @example
 * openai({ model: 'gpt-5-mini', baseURL: '/api/ai', limits: { idleTimeoutMs: 30_000 } });
 */
export interface AnswerLimits {
  /**
   * Longest wait in milliseconds from sending a request to the first sign of life in its answer: an event, a ping or a
   * comment. Ends in `network` when not even a status came, else in `interrupted`; both may be tried again. Default 300,000
   * (five minutes): reasoning models may think that long before they say a word.
   */
  readonly firstEventTimeoutMs?: number | undefined;
  /**
   * Longest silence in milliseconds in the middle of an answer. Pings and comments are life; the time in which nobody reads
   * does not count. Ends in `interrupted`, which may be tried again. Default 300,000 (five minutes).
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Longest time in milliseconds that an answer may take as a whole, for servers that send nothing but signs of life. Ends in
   * `interrupted`. Default 3,600,000 (an hour).
   */
  readonly answerTimeoutMs?: number | undefined;
  /** Most bytes of one event. More end in `server`. Default 134,217,728 (128 MiB): an image in base64 fits. */
  readonly maxEventBytes?: number | undefined;
  /** Most bytes of an answer's body, unpacked. More end in `server`. Default 536,870,912 (512 MiB). */
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

/** The given limits over the defaults. Throws `invalid-configuration` for one that is no number above zero. */
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
