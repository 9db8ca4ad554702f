import type { JsonObject } from '@banister/provider';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { oneOf } from '@banister/provider/internal/json/shape';
import type { Remembered, Resolution } from '../guards/decision.js';

/**
 * Returns an answer in a uniform form. Only `approve: true` approves; every other value denies. Edited arguments are copied and frozen, so
 * that the arguments that run are the arguments that were checked and shown.
 *
 * @throws Error if the edited arguments are not a JSON object, if the value of `remember` or `scope` is unknown, or if the digest is not a
 *   string
 */
export function readDecision(decision: unknown): Resolution {
  const given = (decision ?? {}) as Partial<Record<string, unknown>>;
  const { approve, reason, arguments: edited, digest } = given;
  if (approve !== true)
    return defined({ decision: 'denied', reason: typeof reason === 'string' ? reason : undefined });
  const remembered = readRemembered(given);
  if (digest !== undefined && typeof digest !== 'string')
    throw new Error('The digest of a preview is a text.');
  if (edited === undefined) return defined({ decision: 'approved', remembered, digest });
  return defined({ decision: 'edited', arguments: readArguments(edited), remembered, digest });
}

/** Returns a frozen copy of edited arguments. Throws if the value is not a JSON object. */
export function readArguments(edited: unknown): JsonObject {
  try {
    if (!isJsonObject(edited)) throw new Error('they are no JSON object');
    return deepFreeze(jsonCopy(edited)) as JsonObject;
  } catch (error) {
    throw new Error(sentence(`The arguments cannot be used: ${messageOf(error)}`), { cause: error });
  }
}

/** Reads how an approval is remembered. Throws for an unknown value, because the user wanted something else than no memory. */
function readRemembered({
  remember,
  scope = 'arguments',
}: Partial<Record<string, unknown>>): Remembered | undefined {
  if (remember === undefined) return undefined;
  return {
    remember: oneOf('turn', 'session', 'always')(remember, 'remember') as Remembered['remember'],
    scope: oneOf('tool', 'arguments')(scope, 'scope') as Remembered['scope'],
  };
}
