import type { ErrorCode } from '@banister/provider';

/** The parts of a refusal that its error code is derived from. */
export interface RefusalSigns {
  readonly status: number | undefined;
  /** The code for the API's own name of the error; undefined for a name without a clear meaning. */
  readonly named: ErrorCode | undefined;
  /** The server's message. */
  readonly said: string;
  /** Whether a part of the answer arrived. */
  readonly answering: boolean;
}

/** Patterns of messages with their codes. The first match counts. */
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

/** Messages that all servers word alike, for refusals without a meaningful status or name. */
export const commonWordings: Wordings = [
  [/\bapi[ _-]?key\b|\bauthenticat|\bunauthori[sz]ed\b/i, 'auth'],
  [
    /context (?:length|window|size|limit)|prompt is too long|too many (?:input )?tokens|maximum (?:input|context)/i,
    'context-length',
  ],
  [/\bmodel\b.*not (?:exist|found|available|supported)|(?:unknown|invalid) model|^model:/i, 'model'],
];

/** Returns the error code of a refusal: by its name, else by its status, else by its message. */
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
  // An error in the middle of an answer does not refuse the request.
  if (answering || status === undefined) return 'server';
  return 'invalid-configuration';
}
