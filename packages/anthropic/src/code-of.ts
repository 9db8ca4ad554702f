import type { ErrorCode } from '@handrail/session/provider';
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

/** The last resort: the API says several things as `invalid_request_error` or `not_found_error`, and tells them in words only. */
const codeByWording: readonly (readonly [RegExp, ErrorCode])[] = [
  [/\bapi[ _-]?key\b|\bauthenticat|\bunauthori[sz]ed\b/i, 'auth'],
  [/credit balance|spend(?:ing)? limit|usage limits?/i, 'quota'],
  [
    /context (?:length|window|size|limit)|prompt is too long|too many (?:input )?tokens|maximum (?:input|context)/i,
    'context-length',
  ],
  [/content filter/i, 'refused'],
  [/\bmodel\b.*not (?:exist|found|available|supported)|(?:unknown|invalid) model|^model:/i, 'model'],
];

/**
 * What kind of error a refusal is: by its own name, else by its status, else by its words.
 *
 * @param answering whether the server had begun to answer
 */
export function codeOf({ status, type, said }: Refusal, answering: boolean): ErrorCode {
  const byType = codeByType.get(type);
  if (byType) return byType;
  const byStatus = status === undefined ? undefined : codeByStatus.get(status);
  if (byStatus) return byStatus;
  if (status !== undefined && status >= 500) return 'server';
  const wording = codeByWording.find(([pattern]) => pattern.test(said));
  if (wording) return wording[1];
  // An error that comes in the middle of an answer is no answer to the request.
  if (answering || status === undefined) return 'server';
  return 'invalid-configuration';
}
