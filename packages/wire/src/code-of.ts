import type { ErrorCode } from '@handrail/session/provider';

/** What a refusal says about its kind. */
export interface RefusalSigns {
  readonly status: number | undefined;
  /** What the API's own name for the error means; undefined for a name that means nothing. */
  readonly named: ErrorCode | undefined;
  /** What the server said. */
  readonly said: string;
  /** Whether the server had begun to answer. */
  readonly answering: boolean;
}

/** Words that give a refusal away, and what they mean. The first that fits counts. */
export type Wordings = readonly (readonly [RegExp, ErrorCode])[];

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

/** What all servers say alike when they say it in words only. */
export const commonWordings: Wordings = [
  [/\bapi[ _-]?key\b|\bauthenticat|\bunauthori[sz]ed\b/i, 'auth'],
  [
    /context (?:length|window|size|limit)|prompt is too long|too many (?:input )?tokens|maximum (?:input|context)/i,
    'context-length',
  ],
  [/\bmodel\b.*not (?:exist|found|available|supported)|(?:unknown|invalid) model|^model:/i, 'model'],
];

/** What kind of error a refusal is: by its own name, else by its status, else, as the last resort, by its words. */
export function codeOf(
  { status, named, said, answering }: RefusalSigns,
  wordings: Wordings = commonWordings,
): ErrorCode {
  if (named) return named;
  const byStatus = status === undefined ? undefined : codeByStatus.get(status);
  if (byStatus) return byStatus;
  if (status !== undefined && status >= 500) return 'server';
  const wording = wordings.find(([pattern]) => pattern.test(said));
  if (wording) return wording[1];
  // An error that comes in the middle of an answer is no answer to the request.
  if (answering || status === undefined) return 'server';
  return 'invalid-configuration';
}
