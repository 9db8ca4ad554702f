import type { ErrorCode } from '@handrail/session/provider';
import { codeOf, commonWordings, type Wordings } from '@handrail/wire';
import type { Refusal } from './refusal.js';

/** Types of errors that say enough; `api_error` is what those who imitate the API call everything. */
const codeByType: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['billing_error', 'quota'],
  ['rate_limit_error', 'rate-limit'],
  ['request_too_large', 'context-length'],
  ['overloaded_error', 'overloaded'],
  ['timeout_error', 'server'],
]);

/** The API says several things as `invalid_request_error` or `not_found_error`, and tells them in words only. */
const wordings: Wordings = [
  ...commonWordings,
  [/credit balance|spend(?:ing)? limit|usage limits?/i, 'quota'],
  [/content filter/i, 'refused'],
];

/** What kind of error a refusal is. */
export function codeOfRefusal({ status, type, said }: Refusal, answering: boolean): ErrorCode {
  return codeOf({ status, named: codeByType.get(type), said, answering }, wordings);
}
