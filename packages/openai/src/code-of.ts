import type { ErrorCode } from '@handrail/session/provider';
import type { Refusal } from './refusal.js';

/** Codes and types of errors, as servers name them. */
const codeByWord: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_error', 'auth'],
  ['invalid_api_key', 'auth'],
  ['invalid_authentication', 'auth'],
  ['permission_denied', 'auth'],
  ['permission_error', 'auth'],
  ['unauthenticated', 'auth'],
  ['unauthorized', 'auth'],
  ['billing_hard_limit_reached', 'quota'],
  ['billing_not_active', 'quota'],
  ['insufficient_balance', 'quota'],
  ['insufficient_credits', 'quota'],
  ['insufficient_quota', 'quota'],
  ['rate_limit_error', 'rate-limit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['resource_exhausted', 'rate-limit'],
  ['too_many_requests', 'rate-limit'],
  ['invalid_model', 'model'],
  ['model_not_available', 'model'],
  ['model_not_found', 'model'],
  ['context_length_exceeded', 'context-length'],
  ['exceed_context_size_error', 'context-length'],
  ['request_too_large', 'context-length'],
  ['content_filter', 'refused'],
  ['content_policy_violation', 'refused'],
  ['image_content_policy_violation', 'refused'],
  ['invalid_prompt', 'refused'],
  ['engine_overloaded', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['service_unavailable', 'overloaded'],
  ['unavailable', 'overloaded'],
  ['invalid_function_parameters', 'invalid-configuration'],
  ['tool_use_failed', 'server'],
]);

const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'auth'],
  [402, 'quota'],
  [403, 'auth'],
  [408, 'network'],
  [409, 'server'],
  [413, 'context-length'],
  [429, 'rate-limit'],
  [503, 'overloaded'],
  [529, 'overloaded'],
]);

/** The last resort, for servers that say it in words only. */
const codeByWording: readonly (readonly [RegExp, ErrorCode])[] = [
  [/\bapi[ _-]?key\b|\bauthenticat|\bunauthori[sz]ed\b/i, 'auth'],
  [
    /context (?:length|window|size|limit)|prompt is too long|too many (?:input )?tokens|maximum (?:input|context)/i,
    'context-length',
  ],
  [/\bmodel\b.*not (?:exist|found|available|supported)|(?:unknown|invalid) model|^model:/i, 'model'],
];

/**
 * What kind of error a refusal is: by its own name, else by its status, else by its words.
 *
 * @param answering whether the server had begun to answer
 */
export function codeOf({ status, words, said }: Refusal, answering: boolean): ErrorCode {
  for (const word of words) {
    const code = codeByWord.get(word);
    if (code) return code;
  }
  const byStatus = status === undefined ? undefined : codeByStatus.get(status);
  if (byStatus) return byStatus;
  if (status !== undefined && status >= 500) return 'server';
  const wording = codeByWording.find(([pattern]) => pattern.test(said));
  if (wording) return wording[1];
  // An error that comes in the middle of an answer is no answer to the request.
  if (answering || status === undefined) return 'server';
  return 'invalid-configuration';
}
