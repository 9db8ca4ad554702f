import type { ErrorCode } from '@handrail/session/provider';
import { codeOf } from '@handrail/wire';
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

/** What kind of error a refusal is. */
export function codeOfRefusal({ status, words, said }: Refusal, answering: boolean): ErrorCode {
  const named = words.map((word) => codeByWord.get(word)).find((code) => code !== undefined);
  return codeOf({ status, named, said, answering });
}
